"""Parameters of releases as short decimals; the exact number is kept beside them."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dprules.accounting import Certificate, Event
from dprules.schema import show_value

_EXACT = re.compile(r"[0-9]+(/[0-9]+)?")
_FRACTION = re.compile(r"[0-9]{1,99}/[1-9][0-9]{0,98}")
"""Settings are any text: only what is surely a number is shortened."""
_LARGE = 10**12
"""Whole numbers below it are written in full."""
_LEFT_OUT = {"watch": "none"}
"""What it means that a field has no value; of all others, that there may be any number."""
_SHOWN = 20
"""Entries of one list that are shown."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A number as it is shown, and exactly if that is more.

    Parameters
    ----------
    name : str
        What it is.
    words : str
        A short decimal.
    exact : str or None
        The fraction, where the decimal is rounded.
    """

    name: str
    words: str
    exact: str | None = None


def describe_event(event: Event) -> list[Parameter]:
    """Return the public fields of a release."""
    return _describe_fields(event.fields(), "")


_MEANINGS = {
    "tilt": "A tilt says how sharp a release is: a draw prefers a candidate that is better by one record by a factor "
    "e^tilt, and noise of a count is as likely to be larger by one as e^-tilt.",
    "mu": "Mu says how far one record can move sums, in standard deviations of their noise.",
}


def explain_parameters(certificate: Certificate) -> list[str]:
    """Return a sentence on each parameter of the releases that few readers know."""
    names = {name for release in certificate.releases for name in release.event.fields()}
    return [sentence for name, sentence in _MEANINGS.items() if any(name in found for found in names)]


def _describe_fields(fields: Mapping[str, Any], before: str) -> list[Parameter]:
    found: list[Parameter] = []
    for key, value in fields.items():
        name = f"{before}{key}".replace("_", " ")
        if isinstance(value, Mapping):
            found += _describe_fields(value, f"{name}: ")
        elif isinstance(value, list) and all(isinstance(entry, Mapping) for entry in value):
            for place, entry in enumerate(value, start=1):
                found += _describe_fields(entry, f"{name}, kind {place}: ")
        elif isinstance(value, list):
            found.append(Parameter(name, _show_groups(value), str(value) if len(value) <= _SHOWN else None))
        else:
            found.append(_describe_number(name, value))
    return found


def _describe_number(name: str, value: object) -> Parameter:
    if value is None:
        return Parameter(name, _LEFT_OUT.get(name, "any number"))
    words = show_exact(str(value))
    is_rounded = bool(_EXACT.fullmatch(str(value))) and Fraction(words.replace(",", "")) != Fraction(str(value))
    return Parameter(name, words, str(value) if is_rounded else None)


def _show_groups(groups: list[Any]) -> str:
    """Write pairs of a number of draws and what each of them has, such as 3 at 0.25."""
    shown = [f"{number:,} at {show_exact(str(value))}" for number, value in groups[:_SHOWN]]
    return ", ".join(shown) + (f" and {len(groups) - _SHOWN:,} more" if len(groups) > _SHOWN else "")


def show_exact(text: str) -> str:
    """Write an exact number as a decimal of four digits; whole numbers in full.

    Examples
    --------
    >>> show_exact("1/3"), show_exact("1/50"), show_exact("12000"), show_exact("1/1000000")
    ('0.3333', '0.02', '12,000', '1e-06')
    """
    if not _EXACT.fullmatch(text):
        return show_value(text)
    number = Fraction(text)
    is_whole = number.denominator == 1 and number < _LARGE
    return f"{number.numerator:,}" if is_whole else f"{float(number):.4g}"


def describe_settings(settings: Mapping[str, Any]) -> list[Parameter]:
    """Return the public settings of a fit, as the user gave them."""
    return [Parameter(show_value(key).replace("_", " "), _show_setting(value)) for key, value in settings.items()]


def _show_setting(value: object) -> str:
    if value is None:
        return "not given"
    if isinstance(value, str):
        return show_exact(value) if _FRACTION.fullmatch(value) else show_value(value)
    return show_value(json.dumps(value))
