"""Predictions over HTTP, from public files alone."""

import ipaddress
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dprules.errors import ParameterError
from dprules.jobs.serving.limits import Limits
from dprules.jobs.serving.public_file import PublicFile
from dprules.models import Released

if TYPE_CHECKING:
    from dprules.jobs.serving.app import App

Say = Callable[[str], None]
Judge = Callable[[Released], object]

__all__ = ["Limits", "make_app", "serve", "stream_serve"]


def make_app(
    source: str | Path,
    *,
    unverified: bool = False,
    limits: Limits | None = None,
    log: Say | None = None,
) -> "App":
    """Return an ASGI application that answers for a model; needs `pip install 'dprules[serve]'`.

    Limits on how slowly a client may send its head and take its answer are the server's: `serve` has them.

    Parameters
    ----------
    source : str or Path
        A model file, or the folder of a stream, of which only the public file is opened.
    unverified : bool
        Whether a model that does not verify is served all the same; answers say so.
    limits : Limits or None
        What clients may ask for; None: the usual.
    log : callable, or None
        Told the method, the endpoint and the status of each request; None: requests are not logged.

    Examples
    --------
    With any ASGI server, `app = make_app("model.json")` in a module of your own.
    """
    path = Path(source)
    open_file = PublicFile.of_stream if path.is_dir() else PublicFile.of_model
    return _make_app(open_file(path, unverified), limits or Limits(), log, _tell)


def serve(
    model: str | Path,
    *,
    host: str = "127.0.0.1",
    port: int = 8080,
    unverified: bool = False,
    access_log: bool = False,
    judge: Judge | None = None,
    say: Say | None = None,
) -> None:
    """Answer questions about a model file over HTTP, until told to end.

    Parameters
    ----------
    model : str or Path
        A model file: a list, a scorecard or a halfspace.
    host : str
        Where to listen. Loopback only unless another address is given.
    port : int
        Where to listen; 0: any that is free.
    unverified : bool
        Whether a model that does not verify is served all the same.
    access_log : bool
        Whether the method, the endpoint and the status of each request are said.
    judge : callable, or None
        Told the model before anything is answered.
    say : callable, or None
        Told sentences for the user; None: they go to standard error.
    """
    _serve(lambda: PublicFile.of_model(Path(model), unverified), host, port, access_log, judge, say)


def stream_serve(
    folder: str | Path,
    *,
    host: str = "127.0.0.1",
    port: int = 8080,
    unverified: bool = False,
    access_log: bool = False,
    judge: Judge | None = None,
    say: Say | None = None,
) -> None:
    """Answer questions about the hypothesis that a stream has published; its private state is never opened.

    Parameters
    ----------
    folder : str or Path
        Of the stream. Of all that is in it only `hypothesis.json` needs to be there.
    host, port, unverified, access_log, judge, say
        As for `serve`.
    """
    _serve(lambda: PublicFile.of_stream(Path(folder), unverified), host, port, access_log, judge, say)


def _serve(
    open_file: Callable[[], PublicFile], host: str, port: int, access_log: bool, judge: Judge | None, say: Say | None
) -> None:
    server = _require_extra("server")
    tell = say or _tell
    limits = Limits()
    file = open_file()
    app = _make_app(file, limits, tell if access_log else None, tell)
    if judge is not None:
        judge(file.in_force.released)
    listener = server.listen(host, port)
    if not _is_loopback(listener.getsockname()[0]):
        tell("Whoever reaches this port may ask. Put a proxy in front that knows your users and speaks TLS.")
    tell(f"Serving a {file.in_force.released.model.kind} on {server.address_of(listener)}; Ctrl-C ends it.")
    server.run(app, listener, limits, tell)


def _make_app(file: PublicFile, limits: Limits, log: Say | None, say: Say) -> "App":
    made: App = _require_extra("app").App(file, limits, log, say)
    return made


def _require_extra(module: str) -> Any:
    """Return one of the modules that need starlette and uvicorn, or say how to get them."""
    try:
        return import_module(f"dprules.jobs.serving.{module}")
    except ModuleNotFoundError:
        pass
    raise ParameterError("serving needs starlette and uvicorn. Install them with `pip install 'dprules[serve]'`.")


def _is_loopback(host: str) -> bool:
    return ipaddress.ip_address(host.partition("%")[0]).is_loopback


def _tell(sentence: str) -> None:
    if sys.stderr is not None:
        sys.stderr.write(f"{sentence}\n")
        sys.stderr.flush()
