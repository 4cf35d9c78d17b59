"""The endpoints, for any ASGI server."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Message, Receive, Scope, Send

from dprules.errors import name_place
from dprules.jobs.serving.limits import Limits
from dprules.jobs.serving.metrics import CONTENT_TYPE, write_metrics
from dprules.jobs.serving.predicting import Predict
from dprules.jobs.serving.public_file import PublicFile

Log = Callable[[str], None]
PATHS = ("/predict", "/hypothesis", "/certificate", "/metrics", "/healthz")


class App:
    """An ASGI application that answers for the model in force.

    Parameters
    ----------
    file : PublicFile
        What is in force.
    limits : Limits
        What clients may ask for.
    log : callable, or None
        Told the method, the endpoint and the status of each request; None: nothing is logged but faults of ours.
    say : callable
        Told of faults of ours: the type and the place of an error, never its words.
    """

    def __init__(self, file: PublicFile, limits: Limits, log: Log | None, say: Log) -> None:
        self._file = file
        self._log = log
        self._say = say
        self._watch: asyncio.Task[None] | None = None
        self._predict = Predict(file, limits)
        self._routes = Starlette(
            routes=[
                Route("/predict", self._predict, methods=["POST"]),
                Route("/hypothesis", self._hypothesis),
                Route("/certificate", self._certificate),
                Route("/metrics", self._metrics),
                Route("/healthz", self._health),
            ],
            exception_handlers={HTTPException: _refuse_route},
            lifespan=self._lifespan,
        )
        self._routes.router.redirect_slashes = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request; what nobody foresaw is a 500 that says nothing of why."""
        if scope["type"] != "http":
            await self._routes(scope, receive, send)
            return
        self._keep_watching()
        status = 0

        async def note(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        asked = self._predict if scope["path"] == "/predict" and scope["method"] == "POST" else self._routes
        try:
            await asked(scope, receive, note)
        except Exception as error:
            self._say(f"something that nobody foresaw ({name_place(error)}). Please report it.")
            if not status:
                await _write(500, {"error": "something that nobody foresaw. Please report it."})(scope, receive, note)
        if self._log is not None and status:
            self._log(_describe(scope, status))

    def _keep_watching(self) -> None:
        """Look at the public file from now on: a server may not tell when it starts."""
        if self._watch is None or self._watch.done():
            self._watch = asyncio.get_running_loop().create_task(self._file.watch())

    @asynccontextmanager
    async def _lifespan(self, app: Starlette) -> AsyncIterator[None]:
        self._keep_watching()
        yield
        if self._watch is not None:
            self._watch.cancel()
            with suppress(asyncio.CancelledError):
                await self._watch

    async def _hypothesis(self, request: Request) -> Response:
        served = self._file.in_force
        return _choose(request, served.hypothesis, served.describe_model())

    async def _certificate(self, request: Request) -> Response:
        served = self._file.in_force
        return _choose(request, served.certificate, served.describe_certificate())

    async def _metrics(self, request: Request) -> Response:
        return Response(write_metrics(self._file), media_type=CONTENT_TYPE)

    async def _health(self, request: Request) -> Response:
        """Say which model is in force. One that works and is not the newest is no reason to be restarted: 200."""
        served = self._file.in_force
        said: dict[str, Any] = {"status": "ok" if self._file.fault is None else "outdated"}
        said |= {"model": served.released.model.kind, **served.verdict(), "published": served.released.created}
        if served.mark is not None:
            said |= {"rounds": served.mark.rounds, "releases": served.mark.releases}
        return _write(200, said if self._file.fault is None else said | {"fault": self._file.fault})


def _choose(request: Request, document: bytes, text: str) -> Response:
    """Return the text for whoever asks for plain text, otherwise the document."""
    if request.headers.get("accept", "").strip().startswith("text/plain"):
        return Response(text + "\n", media_type="text/plain")
    return Response(document, media_type="application/json")


def _write(status: int, said: Mapping[str, Any], headers: Mapping[str, str] | None = None) -> Response:
    return Response(json.dumps(said), status, headers, "application/json")


async def _refuse_route(request: Request, error: Exception) -> Response:
    """Say which endpoints there are, or which method one has."""
    if isinstance(error, HTTPException) and error.status_code == 405:
        allowed = ", ".join(sorted((error.headers or {}).get("Allow", "").split(", ")))
        return _write(405, {"error": f"this endpoint takes {allowed} only."}, {"Allow": allowed})
    return _write(404, {"error": f"there is no such endpoint. There are {', '.join(PATHS)}."})


def _describe(scope: Scope, status: int) -> str:
    """Return a line for the log. Names that a client made up, and what follows a question mark, may hold an event."""
    path = scope["path"] if scope["path"] in PATHS else "elsewhere"
    method = scope["method"] if scope["method"] in ("GET", "HEAD", "POST") else "other"
    return f"{method} {path} {status}"
