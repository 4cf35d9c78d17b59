"""A stream learner that lives on disk: private state in SQLite, the released hypothesis beside it.

    folder/private/state.db     mode 0600 in a folder of mode 0700: scores, noise, positions in sources
    folder/private/attempt      the key of the batch that is being learnt, and which batch it is
    folder/hypothesis.json      public: the hypothesis in force, and its certificate

A batch is acknowledged when its effect, every hypothesis it led to and the position in its source are committed in one
transaction; only then is a hypothesis published. So a process that is killed at any instant releases no decision twice,
loses no acknowledged event and counts none twice.
"""

import errno
import json
import secrets
import threading
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Self

from dprules.accounting import Assumption, Certificate
from dprules.errors import (
    DataError,
    DprulesError,
    FileError,
    ModelError,
    ParameterError,
    PrivacyError,
    ResourceError,
)
from dprules.learners.streams.attempt import Attempt, AttemptFile
from dprules.learners.streams.batch_digest import digest_batch
from dprules.learners.streams.creation import MAKING, certify, private_file
from dprules.learners.streams.extension import extend_features
from dprules.learners.streams.features import Events
from dprules.learners.streams.learner import Learner
from dprules.learners.streams.lock import lock_folder
from dprules.learners.streams.positions import Position
from dprules.learners.streams.settings import StreamSettings
from dprules.learners.streams.state import Standing, State
from dprules.mechanisms import KeyedBits
from dprules.mechanisms.bits import KEY_BYTES
from dprules.models import Released, StreamMark
from dprules.models.published import not_a_stream, public_file, read_published
from dprules.numbers import whole
from dprules.private import Private
from dprules.schema import Schema
from dprules.tables.events import CodedEvents
from dprules.temporary import remove_left_files, remove_left_folders

MOST = 2**63 - 1
"""Positions beyond it do not fit the table."""
LONGEST_SOURCE = 10_000
"""Bytes of the name of a source."""


class Stream(Private):
    """A stream that is open to learn. It holds private state and shows nothing of it.

    Open it with `Stream.open`, in a `with` statement or until `close`. Threads may share one: they take turns.
    """

    __slots__ = (
        "_attempts",
        "_begun",
        "_bits",
        "_certified",
        "_closing",
        "_folder",
        "_learner",
        "_settings",
        "_standing",
        "_state",
        "_turn",
        "_unpublished",
        "features",
    )
    _bits: KeyedBits
    _standing: Standing
    _begun: Attempt | None
    _learner: Learner | None

    def __init__(self, folder: Path, state: State) -> None:
        self._folder = folder
        self._state = state
        self._closing: ExitStack | None = None
        self._turn = threading.RLock()
        self._unpublished = True
        self._attempts = AttemptFile(folder / "private" / "attempt", private_file(folder))
        meta = state.meta()
        self._settings = StreamSettings.from_document(json.loads(meta["settings"]))
        self.features = self._settings.features(Schema.from_toml(meta["schema"]), int(meta["width"]))
        """What is asked of events: public."""
        self._certified = Certificate.from_document(json.loads(meta["certificate"]))
        if certify(self._settings, self.features).charges != self._certified.charges:
            raise ModelError(f"{folder}: this dprules would learn otherwise than was certified. Use the one before.")
        self._load()

    @classmethod
    def open(cls, folder: str | Path, *, restore: bool = False) -> "Stream":
        """Open a stream to learn; a second process is refused, and so is a state older than what was published.

        Parameters
        ----------
        folder : str or Path
            What `create_stream` made.
        restore : bool
            Go on from a private state whose public file is missing or torn. If that state is not the newest, what was
            decided since is decided a second time, and the certificate, which names this from then on, does not hold.
        """
        where = Path(folder)
        if not private_file(where).is_file():
            raise not_a_stream(where)
        with ExitStack() as opened:
            lock_folder(where / "private", opened)
            state = State(private_file(where))
            opened.callback(state.close)
            stream = cls._resume(where, state)
            if stream._is_without_public_file(restore=restore):
                stream._restore()
            remove_left_files(where)
            remove_left_folders(where.resolve().parent, MAKING)
            stream._publish()
            stream._closing = opened.pop_all()
        return stream

    @classmethod
    def _resume(cls, folder: Path, state: State) -> "Stream":
        """Take a stream up; a state that was damaged is refused in our words."""
        try:
            return cls(folder, state)
        except DprulesError:
            raise
        except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError):
            # A table may hold anything.
            pass
        raise ModelError(f"{folder}: the private state is torn. Start a new stream, and add its epsilon.")

    def close(self) -> None:
        """Let the stream go, so that another process may open it; a second time does nothing."""
        with self._turn:
            if self._closing is not None:
                self._closing.close()
            self._closing = None
            self._learner = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<stream {self._folder}>"

    @property
    def published(self) -> Released:
        """What everybody may see: the hypothesis in force, and its certificate."""
        with self._turn:
            model = self.features.model(self._ready().hypothesis, self.releases)
            mark = StreamMark(self._standing.name, self._standing.rounds, self.releases)
            return Released.of(model, self.features.schema.label, self._certified, stream=mark)

    @property
    def releases(self) -> int:
        """How many hypotheses have been released."""
        return self._standing.releases

    @property
    def rounds(self) -> int:
        """How many rounds have been learnt."""
        return self._standing.rounds

    def position(self, source: str, file: int = 0) -> Position:
        """Return up to where a source has been learned; of a source of files, one of them by its number."""
        with self._turn:
            self._ready()
            return self._state.position(_name(source), file)

    def files(self, source: str) -> list[Position]:
        """Return up to where each file of a source has been learned, in the order in which they were begun.

        A file whose first batch was begun and not committed is among them.
        """
        with self._turn:
            self._ready()
            files = [position for position in self._state.positions(_name(source)) if position.file]
            begun = self._begun
            if begun is not None and begun.source == source and begun.position.file:
                numbers = {position.file for position in files}
                files += [] if begun.position.file in numbers else [begun.start]
            return sorted(files, key=lambda position: position.file)

    def source_of(self, identity: str) -> str | None:
        """Return the name of a source that a file was learned as, None if there is none."""
        with self._turn:
            self._ready()
            return self._state.source_of(identity)

    def record_file(self, source: str, position: Position) -> None:
        """Keep the position of a file of a source, without learning anything."""
        with self._turn:
            self._ready()
            self._state.record(self._standing, _name(source), position)

    def interrupted(self, source: str) -> Position | None:
        """Return where a batch of this source ends that was begun and not committed.

        Offer exactly that batch first, if it is still there: it repeats what it drew (`docs/proofs/stream_state.md`).
        """
        with self._turn:
            self._ready()
            return self._begun.position if self._begun is not None and self._begun.source == source else None

    def learn(self, events: Events, source: str, position: Position | int) -> int:
        """Learn a batch that ends at a position of its source; return the number of its line when it is committed.

        Its effect, what it released and the position are committed in one transaction. What was acknowledged before is
        recognised by its position and left alone, so that each event counts once whatever queue it comes from.

        Parameters
        ----------
        events : sequence of mappings
            Rounds, in their order.
        source : str
            Name of the file or queue.
        position : Position or int
            How many events of the source there are up to the end of this batch; or the offset after its last event, if
            the queue has gaps and no batch overlaps with one that was acknowledged.
        """
        _name(source)
        reached = position if isinstance(position, Position) else Position(whole(position, "position", least=0))
        _require_list(events)
        if not len(events) <= reached.line <= MOST:
            raise ParameterError(
                f"position must lie between the number of events ({len(events)}) and 2^63; got {reached.line}. It is "
                "the place after the last event, counted from the source's start."
            )
        with self._turn:
            self._ready()
            if self._unpublished:
                self._publish()
            unseen = reached.line - self._state.position(source, reached.file).line
            if unseen > 0:
                # A queue may send the end of an earlier batch again.
                self._learn_rest(events[max(0, len(events) - unseen) :], source, reached)
        return reached.line

    def extend(self, schema: Schema) -> Released:
        """Ask about new columns from the next round on, for the same price; return what is published then.

        Their weights start at 0, and what was learnt of the others stays. When this happens is public, so it must not
        depend on events. A schema that changes anything else is refused.

        Parameters
        ----------
        schema : Schema
            The stream's, with more columns.
        """
        with self._turn:
            learner = self._ready()
            if self._begun is not None:
                raise PrivacyError("A batch was interrupted: learn it first, and then extend the stream.")
            features, places = extend_features(self.features, schema)
            if certify(self._settings, features).charges != self._certified.charges:
                raise PrivacyError("With more columns this algorithm would cost otherwise. Start a new stream.")
            self._bits.turn(secrets.token_bytes(KEY_BYTES), b"")  # what is drawn here belongs to no batch
            try:
                learner.extend(features, places)
                self._standing = self._state.replace(self._standing, learner, {"schema": schema.to_toml()})
            except BaseException:
                self._learner = None
                raise
            self.features = features
            self._publish()
            return self.published

    def _learn_rest(self, events: Events, source: str, reached: Position) -> None:
        """Learn events that were not acknowledged; a batch among them that was begun comes first, as it was."""
        begun = self._begun
        if begun is not None and begun.source == source and begun.position.file == reached.file:
            first = events[: begun.size]
            if 0 < begun.size < len(events) and self._digest(first) == begun.digest:
                self._learn_batch(first, source, begun.position)
                events = events[begun.size :]
        self._learn_batch(events, source, reached)

    def _digest(self, events: Events) -> bytes:
        return digest_batch(self.features.block(events), self.features.codes(events))

    def _learn_batch(self, events: Events, source: str, reached: Position) -> None:
        """Keep the key, draw, commit, publish: in this order."""
        learner = self._ready()
        block = self.features.block(events)
        codes = self.features.codes(events)
        digest = digest_batch(block, codes)
        begun = self._begun
        if begun is None:
            begun = Attempt.begin(digest, len(events), source, reached)
            with self._state.holding(self._standing):
                self._attempts.write([*self._standing], begun)
            self._begun = begun
        self._bits.turn(begun.key, digest)
        try:
            learner.take(block, codes)
            self._standing = self._state.commit(self._standing, learner, len(events), source, reached)
        except BaseException:
            self._learner = None  # what was drawn and not committed is forgotten; the next use loads what was
            raise
        self._begun = None
        self._attempts.clear()
        self._publish()

    def _ready(self) -> Learner:
        """Return the learner, loaded again if the batch before it failed."""
        if self._learner is not None:
            return self._learner
        if self._closing is None:
            raise DataError("The stream is closed. Open it again with Stream.open.")
        return self._load()

    def _load(self) -> Learner:
        """Take the learner up where it was committed, and the batch that was begun then."""
        kept = self._state.load()
        self._bits = KeyedBits()  # nothing is drawn from a key that was kept but what its batch draws
        learner = self._settings.resume(self.features, kept.public, kept.secret, self._bits)
        if learner.releases != kept.standing.releases:
            raise ModelError(f"{self._folder}: the private state does not fit its releases. Start a new stream.")
        self._standing = kept.standing
        self._begun = self._attempts.read([*kept.standing])
        self._learner = learner
        return learner

    def _is_without_public_file(self, *, restore: bool) -> bool:
        """Whether nobody can tell if the state is the newest; refuse an older copy, which would decide again."""
        try:
            mark = read_published(self._folder, unverified=True).stream
        except (DataError, ModelError):
            mark = None
            if not restore:
                raise PrivacyError(
                    f"{public_file(self._folder)} is missing or torn, so nobody can tell whether the private state is "
                    "the newest. Put it back; or go on with --restore (restore=True), which risks that an older copy "
                    "decides again what was published, beyond the certificate."
                ) from None
        if mark is not None and mark.name != self._standing.name:
            raise PrivacyError("The public file belongs to another stream. Put both back to where they belong.")
        if mark is not None and (mark.releases > self.releases or mark.rounds > self.rounds):
            raise PrivacyError(
                "The private state is older than what was published. "
                "Restore the newest copy; going on would decide one round twice."
            )
        return mark is None

    def _restore(self) -> None:
        """A restored state draws a key of its own, and its certificate says what it rests on."""
        self._attempts.clear()
        self._begun = None
        named = self._certified.assumptions
        if Assumption.NEWEST_STATE not in named:
            self._certified = replace(self._certified, assumptions=(*named, Assumption.NEWEST_STATE))
            meta = {"certificate": self._certified.to_json()}
            self._standing = self._state.replace(self._standing, self._ready(), meta)

    def _publish(self) -> None:
        """Write the public file, while no other process can move the state."""
        self._unpublished = True
        failed: int | None = None
        with self._state.holding(self._standing):
            try:
                self.published.save(public_file(self._folder), overwrite=True)
            except OSError as error:
                failed = error.errno or 0
        if failed in (errno.ENOSPC, errno.EDQUOT):
            raise ResourceError(
                f"{public_file(self._folder)} cannot be written: the disk is full. Make room; all that was "
                "acknowledged is kept."
            )
        if failed is not None:
            raise FileError(
                f"{public_file(self._folder)} cannot be written. Check its permissions; all that was acknowledged is "
                "kept."
            )
        self._unpublished = False


def _name(source: str) -> str:
    """Return the name of a source, which must be text that can be kept."""
    try:
        fits = len(source.encode()) <= LONGEST_SOURCE
    except (AttributeError, UnicodeEncodeError):
        fits = False
    if not fits:
        raise ParameterError(
            f"source must be the name of a file or queue, in text of at most {LONGEST_SOURCE:,} bytes. Rename it."
        )
    return source


def _require_list(events: object) -> None:
    """A batch is cut and counted, so it must be a list; what is in it stops nothing."""
    if isinstance(events, str | bytes) or not isinstance(events, Sequence | CodedEvents):
        raise ParameterError(f"events must be a list of mappings; got {type(events).__name__}. Make a list of them.")
