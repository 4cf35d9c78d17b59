"""A report of a model: one HTML page, no scripts, nothing from the network."""

from datetime import UTC, datetime
from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from dprules.accounting import SEEDED
from dprules.accounting.certificate import show_at_least
from dprules.accounting.html import write_statement
from dprules.ledger import Book
from dprules.models import Released, show_number
from dprules.models.counted import show_interval
from dprules.models.export.header import describe_missing
from dprules.report.declared import list_declared
from dprules.report.deploy import list_commands
from dprules.report.ledgers import list_charges, list_grants
from dprules.report.parameters import describe_event, describe_settings, explain_parameters, show_exact
from dprules.report.views import view_of
from dprules.report.words import describe_promise
from dprules.schema import show_value


def render(released: Released, file: str = "model.json", book: Book | None = None) -> str:
    """Return the report as HTML.

    Parameters
    ----------
    released : Released
        A model and its certificate; one that does not verify, or whose noise was seeded, gets a banner.
    file : str
        The name of the model file, for the commands that put it to use.
    book : Book or None
        What the ledger knows that the model was charged to: the page then shows what is left of the data set.
    """
    mark = released.certificate.ledger
    names = [] if book is None or mark is None or mark.dataset not in book.datasets else [mark.dataset]
    view = view_of(released.model)
    return (
        _environment()
        .get_template(view.template)
        .render(
            released=released,
            certificate=released.certificate,
            certificate_html=Markup(write_statement(released.certificate.statement())),  # it has escaped the names
            faults=released.faults(),
            seeded=SEEDED,
            created=_show_time(released.created),
            records=_show_records(released),
            promise=describe_promise(released.certificate),
            describe_event=describe_event,
            explain_parameters=explain_parameters,
            settings=describe_settings(released.certificate.settings),
            declared=list_declared(released),
            commands=list_commands(released, file),
            missing_cells=describe_missing(released.model.kind),
            grants=[] if book is None else list_grants(book, names),
            spent=[] if book is None else list_charges(book, names),
            **view.names,
        )
    )


def render_ledger(book: Book) -> str:
    """Return a page of everything that a ledger knows."""
    names = sorted(book.datasets)
    return (
        _environment()
        .get_template("ledger.html")
        .render(
            name=book.name,
            grants=list_grants(book, names),
            spent=list_charges(book, names),
            entries=len(book.entries),
            head=book.entries[-1].digest if book.entries else "none yet",
        )
    )


@cache
def _environment() -> Environment:
    """Return the templates: escaped by default, and a name that is not given is an error."""
    environment = Environment(
        loader=PackageLoader("dprules.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    # Names may hold anything: `show` puts them on one line, with nothing invisible.
    environment.filters |= {
        "show": show_value,
        "at_least": show_at_least,
        "exact": lambda number: show_exact(str(number)),
    }
    return environment


def _show_records(released: Released) -> tuple[str, str] | None:
    """Return the noisy number of records and its interval; None: too few to tell, or not counted."""
    every = released.model.records()
    return None if every is None else (show_number(every), show_interval(every))


def _show_time(created: str) -> str:
    """Write a moment as people do; one that cannot be read as it is."""
    try:
        moment = datetime.fromisoformat(created).astimezone(UTC)
    except (ValueError, OverflowError):
        return show_value(created)
    return f"{moment.day} {moment:%B %Y, %H:%M} UTC"
