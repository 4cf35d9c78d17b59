"""The base of everything that holds private values."""

from typing import NoReturn

from dprules.errors import PrivacyError


class Private:
    """Holds rows, counts, scores or noise: it shows nothing of itself and cannot be copied, pickled or compared.

    A repr ends up in logs, a pickle on disks and in other processes, and a comparison in error messages of test
    tools; so none of them exists. What may be published leaves through a mechanism that an account has charged.

    Examples
    --------
    >>> class Scores(Private):
    ...     __slots__ = ("values",)
    >>> Scores()
    <private Scores>
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return f"<private {type(self).__name__}>"

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise PrivacyError(f"{type(self).__name__} holds private values and cannot be copied or pickled.")

    def __copy__(self) -> NoReturn:
        self.__reduce_ex__(None)

    def __deepcopy__(self, memory: object) -> NoReturn:
        self.__reduce_ex__(None)

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        raise PrivacyError(f"{type(self).__name__} holds private values and cannot be compared.")

    __hash__ = object.__hash__
