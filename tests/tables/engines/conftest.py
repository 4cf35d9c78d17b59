"""Programs that tests run are not tests."""

collect_ignore = ["lost_executor.py"]
