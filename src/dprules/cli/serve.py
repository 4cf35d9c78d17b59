"""`dprules serve` and `dprules stream serve`: predictions over HTTP, from public files alone."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dprules.cli.exits import StoppedError
from dprules.cli.options import ModelFile, Unverified, judge

if TYPE_CHECKING:
    from dprules.models import Released

EPILOG = "Example: dprules serve model.json --port 8080"
STREAM_EPILOG = "Example: dprules stream serve clicks --port 8080"
Host = Annotated[str, typer.Option(help="Address to listen at; others than loopback let everybody ask who reaches it.")]
Port = Annotated[int, typer.Option(help="Port to listen at; 0 takes any that is free.")]
AccessLog = Annotated[
    bool, typer.Option("--access-log", help="Say the method, endpoint and status of each request; never an event.")
]


def serve(
    model: ModelFile,
    host: Host = "127.0.0.1",
    port: Port = 8080,
    access_log: AccessLog = False,
    unverified: Unverified = False,
) -> None:
    """Answer questions about a model over HTTP: /predict, /hypothesis, /certificate, /metrics, /healthz."""
    from dprules.jobs import serve as answer

    with _interruptible():
        answer(model, host=host, port=port, access_log=access_log, unverified=unverified, judge=_banners(unverified))


def stream_serve(
    state: Annotated[Path, typer.Argument(help="Folder of the stream; only its public file is opened.")],
    host: Host = "127.0.0.1",
    port: Port = 8080,
    access_log: AccessLog = False,
    unverified: Unverified = False,
) -> None:
    """Answer questions about the published hypothesis over HTTP; a new one is taken up when it is published."""
    from dprules.jobs import stream_serve as answer

    with _interruptible():
        answer(state, host=host, port=port, access_log=access_log, unverified=unverified, judge=_banners(unverified))


def _banners(unverified: bool) -> "Callable[[Released], object]":
    return lambda released: judge(released, unverified)


@contextmanager
def _interruptible() -> Iterator[None]:
    """A signal is how a server ends."""
    try:
        yield
    except KeyboardInterrupt:
        raise StoppedError("requests that had begun were answered.") from None
    except SystemExit:  # whoever manages services has asked for it: there is nothing to log
        raise StoppedError from None
