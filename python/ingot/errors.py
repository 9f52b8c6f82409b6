"""What can go wrong: one exception per status of the C library, and Python's own kind where it has one."""
from __future__ import annotations

import errno
import os
import re


class IngotError(Exception):
    """Any failure. `status` is the library's word for it, `message` what it says.

    Where the message points into a file, `path`, `line` and `column` say where; else they are None.
    """

    status = "error"

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message
        found = re.match(r"([^:\n]+):(\d+):(?:(\d+):)? ", message)
        self.path = found.group(1) if found else None
        self.line = int(found.group(2)) if found else None
        self.column = int(found.group(3)) if found and found.group(3) else None

    def __str__(self) -> str:
        return self.message


class InputError(IngotError, ValueError):
    """A case, a file or a value is wrong: correct it and try again."""

    status = "INPUT"


class ArgumentError(IngotError, ValueError):
    """A call with arguments that do not fit."""

    status = "ARG"


class OutOfMemoryError(IngotError, MemoryError):
    status = "MEMORY"


class FileError(IngotError, OSError):
    """A file cannot be read or written."""

    status = "IO"


class MissingFileError(InputError, FileError, FileNotFoundError):
    """A file or folder that is named is not there."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.errno = errno.ENOENT


class AccessError(InputError, FileError, PermissionError):
    """A file or folder that this user may not read or write."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.errno = errno.EACCES


class MissingFieldError(InputError, KeyError):
    """A simulation has no field of this name."""


class DeviceError(IngotError, RuntimeError):
    """A GPU or its driver failed."""

    status = "DEVICE"


class NumericalError(IngotError, ArithmeticError):
    """The computation does not converge or left the range of numbers."""

    status = "NUMERIC"


class UnsupportedError(IngotError, NotImplementedError):
    """Not available in this build, or not for this case."""

    status = "UNSUPPORTED"


class Interrupted(IngotError):
    """The run stopped on request (`Simulation.interrupt`); Ctrl-C gives KeyboardInterrupt."""

    status = "INTERRUPTED"


class StaleViewError(IngotError, RuntimeError):
    """A field is used after its simulation went on or was closed."""

    status = "STALE"


BY_STATUS = {
    c.status: c
    for c in (InputError, ArgumentError, OutOfMemoryError, FileError, DeviceError, NumericalError,
              UnsupportedError, Interrupted)
}


# how the library ends a message about a file: with the system's words
_FILES = {os.strerror(errno.ENOENT): MissingFileError, os.strerror(errno.EACCES): AccessError,
          os.strerror(errno.EPERM): AccessError}


def error(status: str, message: str) -> IngotError:
    """The exception of a status and its message."""
    if message.startswith("--set "):  # what the command line calls a key that is set
        message = message[len("--set "):]
    kind = BY_STATUS.get(status, IngotError)
    if kind in (InputError, FileError):
        kind = next((k for words, k in _FILES.items() if message.endswith(": " + words)), kind)
    return kind(message)
