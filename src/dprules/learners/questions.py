"""How much a schema leaves to ask: a check that fits, streams and `schema check` share."""

from dprules.errors import ParameterError
from dprules.schema import Schema, count_conditions
from dprules.schema.conditions import MOST_CONDITIONS


def count_questions(schema: Schema, width: int) -> tuple[int, int]:
    """Return how many literals and conditions there are at the most; none at all, or too many, are refused.

    Parameters
    ----------
    schema : Schema
        Cuts and values that are still to be bought count as many as were asked for.
    width : int
        Literals in one condition, 1 to 3.
    """
    most = schema.with_cuts({column.name: range(column.number) for column in schema.private_cuts})
    most = most.with_values({column.name: [str(i) for i in range(column.most)] for column in schema.private_values})
    literals = most.literals()
    if not literals:
        raise ParameterError("no column leaves anything to ask. Declare at least two values or one cut.")
    conditions = count_conditions(literals, width)
    if conditions > MOST_CONDITIONS:
        raise ParameterError(f"{conditions:,} conditions are too many. Lower width, or declare fewer cuts and values.")
    return len(literals), conditions
