"""Models as columns of Spark."""

from typing import Any

from dprules.errors import ParameterError


def make_column(expression: str) -> Any:
    """Return an expression of Spark's SQL as a column, which needs a session that runs."""
    try:
        from pyspark.sql.functions import expr
    except ImportError:
        raise ParameterError("Spark needs its library: pip install 'dprules[spark]'.") from None
    return expr(expression)
