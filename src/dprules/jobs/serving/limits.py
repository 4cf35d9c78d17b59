"""How much a client may send, and how long it may take."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """What a server grants to one client: enough for honest ones, too little to hold it up.

    Parameters
    ----------
    body : int
        Bytes of a request.
    events : int
        Events of a request.
    connections : int
        Clients at a time.
    seconds : float
        For the head of a request, for its body, and for taking the answer.
    idle : int
        Seconds that a connection stays open without a request.
    """

    body: int = 2**20
    events: int = 10_000
    connections: int = 500
    seconds: float = 10.0
    idle: int = 5
