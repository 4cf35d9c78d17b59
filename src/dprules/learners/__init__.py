"""What learns from private records: each room has settings, a plan of what is guaranteed, and `learn`."""
