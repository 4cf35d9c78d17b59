"""From the bytes of a request to events. A refusal says what to do, and quotes nothing of what was sent."""

import json
from typing import Any, NoReturn

from dprules.jobs.serving.limits import Limits

Event = dict[str, Any]


class RefusedError(Exception):
    """A request that is not answered: the status that it gets, and one sentence."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status
        self.sentence = sentence


def read_events(body: bytes, limits: Limits) -> tuple[list[Event], bool]:
    """Return the events of a request, and whether there was one that came alone.

    An event is an object. Many come as an array, or as an object whose only entry is an array "events": no cell is an
    array, so that such an object is no event.

    Parameters
    ----------
    body : bytes
        JSON in UTF-8.
    limits : Limits
        How many events there may be.
    """
    parsed = _parse(body)
    if isinstance(parsed, dict) and list(parsed) == ["events"]:
        parsed = parsed["events"]
    if isinstance(parsed, dict):
        return [parsed], True
    if not isinstance(parsed, list):
        raise RefusedError(400, 'the body is neither an event nor a list of them. Send {"column": value, ...}.')
    if len(parsed) > limits.events:
        raise RefusedError(413, f"a request may hold {limits.events:,} events. Send several requests.")
    for place, event in enumerate(parsed, start=1):
        if not isinstance(event, dict):
            raise RefusedError(400, f'event {place} is not an object. Send {{"column": value, ...}}.')
    return parsed, False


def _parse(body: bytes) -> Any:
    """Return what JSON says. The parser's own words may quote an event, so they never leave."""
    if not body.strip():
        raise RefusedError(400, 'the body is empty. Send an event as JSON: {"column": value, ...}.')
    try:
        return json.loads(body.decode("utf-8-sig"), parse_constant=_refuse_constant, object_pairs_hook=_refuse_doubles)
    except UnicodeDecodeError:
        sentence = "the body is not UTF-8. Send JSON in UTF-8."
    except json.JSONDecodeError as error:
        sentence = f"the body is not JSON from line {error.lineno}, column {error.colno} on. Send a JSON object."
    except RecursionError:
        sentence = "the body is nested too deeply. The cells of an event are texts, numbers, true, false or null."
    except ValueError:  # an integer of more digits than Python reads
        sentence = "the body holds a number that is too long. Send a shorter one, or null."
    raise RefusedError(400, sentence)


def _refuse_constant(name: str) -> NoReturn:
    raise RefusedError(400, "NaN and Infinity are no JSON. Send null for a missing cell.")


def _refuse_doubles(pairs: list[tuple[str, Any]]) -> Event:
    """A name that stands twice shows one value to readers and another to us."""
    made = dict(pairs)
    if len(made) < len(pairs):
        raise RefusedError(400, "a column stands twice in one event. Send each once.")
    return made
