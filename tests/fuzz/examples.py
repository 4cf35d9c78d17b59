"""How many hostile files a test makes: a few in every run, very many in a slow one."""

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

SEEDS = st.integers(0, 2**32)
QUICK = settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
MANY = settings(max_examples=1000, deadline=None, suppress_health_check=list(HealthCheck))
