"""What can go wrong: one exception per status of the C library."""
from __future__ import annotations

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
