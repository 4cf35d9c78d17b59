"""Listen, answer, and end when told to."""

import asyncio
import signal
import socket
import threading
from collections.abc import Callable
from math import ceil
from types import FrameType
from typing import Any

import uvicorn

from dprules.errors import ParameterError, ResourceError, name_place
from dprules.jobs.serving.app import App
from dprules.jobs.serving.limits import Limits
from dprules.jobs.serving.protocol import protocol_for

Say = Callable[[str], None]


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens, or refuse in one sentence.

    Parameters
    ----------
    host : str
        A name or an address of this machine.
    port : int
        0: any that is free.
    """
    if not 0 <= port <= 65_535:
        raise ParameterError(f"port must lie between 0 and 65535; got {port}. 8080 is usual.")
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError):
        raise ParameterError(f"host {host!r} is no address of this machine. 127.0.0.1 is usual.") from None
    family, kind, protocol, _, address = found[0]
    # asyncio switches Nagle's delay off where it sees TCP named: `socket.create_server` does not name it.
    listener = socket.socket(family, kind, protocol)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(1024)
    except PermissionError:
        reason = "may not be used without special rights. Choose a --port above 1023"
    except OSError:
        reason = "is in use, or no address of this machine. Stop the other program, or choose another --port or --host"
    else:
        return listener
    listener.close()
    raise ResourceError(f"port {port} of {host} {reason}.")


def run(app: App, listener: socket.socket, limits: Limits, say: Say) -> None:
    """Answer until SIGTERM, SIGHUP or Ctrl-C; requests that have begun are answered first.

    Parameters
    ----------
    app : App
        What answers.
    listener : socket
        Where clients come in.
    limits : Limits
        What they may ask for, and how long they may take.
    say : callable
        Told of faults of ours.
    """
    config = uvicorn.Config(
        app,
        http=protocol_for(limits),
        ws="none",
        lifespan="on",
        log_config=None,
        # uvicorn's words on errors come with tracebacks, which may quote an event.
        log_level="critical",
        access_log=False,
        server_header=False,
        timeout_keep_alive=limits.idle,
        timeout_graceful_shutdown=ceil(limits.seconds),
    )
    server = uvicorn.Server(config)

    def end(number: int, frame: FrameType | None) -> None:
        server.handle_exit(signal.SIGTERM, frame)

    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGHUP, end)
    asyncio.run(_serve(server, listener, say))


async def _serve(server: uvicorn.Server, listener: socket.socket, say: Say) -> None:
    def name_only(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        if isinstance(error, Exception):
            say(f"something that nobody foresaw ({name_place(error)}). Please report it.")

    asyncio.get_running_loop().set_exception_handler(name_only)
    await server.serve(sockets=[listener])


def address_of(listener: socket.socket) -> str:
    """Return the URL that clients use."""
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
