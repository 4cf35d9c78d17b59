"""Database engines: each reads the named columns as text, so that types cannot change how cells are read."""
