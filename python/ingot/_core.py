"""Contexts, callbacks and statuses: the part that knows about C."""
from __future__ import annotations

import atexit
import logging
import os
import threading
from typing import Any, Callable, ClassVar, NoReturn

from ._ingot import ffi, lib
from .errors import BY_STATUS, IngotError, error

log = logging.getLogger("ingot")


def text(c: Any) -> Any:
    return ffi.string(c).decode("utf-8", "replace") if c else None


def encode(value: str | os.PathLike[str] | None) -> Any:
    """A C string; `ffi.NULL` for None. Paths too."""
    if value is None:
        return ffi.NULL
    value = value.__fspath__() if hasattr(value, "__fspath__") else value
    if not isinstance(value, str):
        raise TypeError(f"text or a path is needed, this is {type(value).__name__}")
    if "\0" in value:
        raise ValueError("text with a zero character")
    return ffi.new("char[]", value.encode("utf-8"))


class _Job:
    """The processes of an MPI job. The first handle is kept to the end of the program: where this
    package started MPI, it also ends it with that one, and MPI cannot be started again."""

    first: ClassVar[Any] = None
    ended = False

    @classmethod
    def join(cls, comm: Any) -> Any:
        """A handle of its own for each context: after a failure it serves no more."""
        number = 0 if isinstance(comm, str) and comm == "world" else getattr(comm, "py2f", lambda: None)()
        if number is None:
            raise TypeError(f'comm: "world" or a communicator of mpi4py, not {comm!r}')
        if cls.first is None:
            cls.first = cls.open(0)
            atexit.register(cls.end)
        return cls.open(number)

    @staticmethod
    def open(number: int) -> Any:
        slot = ffi.new("ig_ranks **")
        status = lib.ig_ranks_mpi(number, slot)
        if status == lib.IG_UNSUPPORTED:
            raise BY_STATUS["UNSUPPORTED"]("this ingot was built without MPI: install libopenmpi-dev "
                                           "and build it again with -DINGOT_MPI=ON")
        if status != lib.IG_OK:
            raise BY_STATUS.get("IO", IngotError)("the processes cannot be joined by MPI")
        return slot[0]

    @classmethod
    def end(cls) -> None:
        cls.ended = True
        lib.ig_ranks_close(cls.first)

    @classmethod
    def leave(cls, ranks: Any) -> None:
        if not cls.ended:
            lib.ig_ranks_close(ranks)


def _closer(ranks: Any) -> Callable[[Any], None]:
    def close(context: Any) -> None:
        lib.ig_ctx_close(context)
        _Job.leave(ranks)
    return close


class Context:
    """One ig_ctx: backend, log, progress, error slot.

    Used by one thread at a time: `call` and `with context:` raise RuntimeError where another thread
    is inside. `with context:` is for what only reads; callbacks of a call may do that, too.
    """

    def __init__(self, backend: str | None = None, threads: int = 0, device: int = 0, comm: Any = None) -> None:
        self._self = ffi.new_handle(self)
        self.progress: Callable[[float, float, str, str | None], object] | None = None  # a function of (done, total, unit, note), or None
        self.caught: BaseException | None = None  # exception of a callback, raised when the C call is back
        self.device = device
        self._busy = threading.Lock()
        self._owner, self._depth = 0, 0  # the thread that holds it, and how often
        self._retired: list[tuple[Callable[[Any], None], Any]] = []  # (close, pointer) that wait for a call to end
        self._over = False  # a failure on ranks: nobody waits for anybody any more
        name = encode(backend)
        ranks = ffi.NULL if comm is None else _Job.join(comm)
        self.rank, self.ranks = lib.ig_ranks_rank(ranks), lib.ig_ranks_count(ranks)
        options = ffi.new("ig_ctx_options *", {
            "backend": name, "threads": threads, "device": device, "log": lib.py_log,
            "progress": lib.py_progress, "user": self._self, "ranks": ranks})
        slot = ffi.new("ig_ctx **")
        status = lib.ig_ctx_open(options, slot)
        if slot[0] == ffi.NULL:
            raise MemoryError("no memory for a context")
        self.ptr = ffi.gc(slot[0], lib.ig_ctx_close if comm is None else _closer(ranks))
        if status != lib.IG_OK:
            self.fail(status)

    def __enter__(self) -> Context:
        if not self._take():
            if self._owner != threading.get_ident():
                raise RuntimeError("this case or simulation is in use by another thread")
            self._depth += 1
        return self

    def __exit__(self, *_: object) -> None:
        self._depth -= 1
        if not self._depth:
            self._give()

    def _take(self) -> bool:
        if not self._busy.acquire(blocking=False):
            return False
        self._owner, self._depth = threading.get_ident(), 1
        return True

    def _give(self) -> None:
        self._owner = 0
        self._busy.release()
        self._sweep()

    def retire(self, close: Callable[[Any], None], pointer: Any) -> None:
        """Calls close(pointer): now, or when the call is back that is under way in this context."""
        self._retired.append((close, pointer))
        self._sweep()

    def _sweep(self) -> None:
        while self._retired and self._busy.acquire(blocking=False):
            try:
                while self._retired:
                    close, pointer = self._retired.pop()
                    close(pointer)
            finally:
                self._busy.release()

    def catch(self, kind: Any, value: BaseException, trace: Any) -> None:
        """An exception inside a callback: the run stops at its next step, then it is raised."""
        if self.caught is None:
            self.caught = value
        lib.ig_ctx_interrupt(self.ptr)

    @property
    def backend(self) -> str:
        """The backend in use: "cpu", "debug", "cuda"."""
        return text(lib.ig_ctx_backend(self.ptr))

    @property
    def device_name(self) -> str:
        return text(lib.ig_ctx_device(self.ptr))

    @property
    def busy(self) -> bool:
        """Whether a call into the library is under way."""
        return self._busy.locked()

    def meet(self) -> None:
        """Waits for the other ranks; raises here what was raised on one of them."""
        self.call(lib.ig_ranks_agree, self.ptr, lib.IG_OK)

    def fail(self, status: int) -> NoReturn:
        # who fails alone meets the others where they next wait; all then raise
        status = lib.ig_ranks_agree(self.ptr, status)
        self._over = self.ranks > 1
        name = ffi.typeof("ig_status").elements[status][3:]
        message = text(lib.ig_ctx_message(self.ptr)) or text(lib.ig_status_text(status))
        raise error(name, message)

    def call(self, function: Any, *arguments: Any, after: Callable[[], None] | None = None) -> None:
        """Calls, raises what the status says. `after` runs where a callback raised and the call
        returned without noticing."""
        if self._over:
            raise RuntimeError("a call failed on some rank: open a new Case on all of them")
        if not self._take():
            raise RuntimeError("this case or simulation is in use by " +
                               ("the call that made this callback" if self._owner == threading.get_ident() else "another thread"))
        try:
            self.caught = None
            status = function(*arguments)
            caught, self.caught = self.caught, None
            if caught is not None:
                if status == lib.IG_OK and after:
                    after()
                raise caught
        finally:
            self._give()
        if status != lib.IG_OK:
            self.fail(status)

    def call_apart(self, function: Any, *arguments: Any) -> None:
        """`call` for functions without callbacks, in which Python would not see Ctrl-C: they run in
        a thread of their own, and Ctrl-C interrupts them."""
        if threading.current_thread() is not threading.main_thread():
            return self.call(function, *arguments)
        failure, back = [], threading.Event()

        def work() -> None:
            try:
                self.call(function, *arguments)
            except BaseException as e:
                failure.append(e)
            finally:
                back.set()
        thread = threading.Thread(target=work)
        thread.start()
        try:
            back.wait()
        except BaseException:
            lib.ig_ctx_interrupt(self.ptr)
            back.wait()
            raise
        finally:
            thread.join()
        if failure:
            raise failure[0]


def _of(user: Any) -> Any:
    return ffi.from_handle(user)


def _on_error(kind: Any, value: BaseException, trace: Any) -> None:
    """The owner is the first argument of the callback's frame."""
    user = trace.tb_frame.f_locals.get("user") if trace else None
    if user is not None:
        _of(user).catch(kind, value, trace)
    else:
        _orphan.append(value)


_orphan: list[BaseException] = []  # exceptions that came before a callback's first line


@ffi.def_extern(onerror=_on_error)
def py_log(user: Any, level: int, message: Any) -> None:
    if _of(user).rank > 0:  # all say the same
        return
    said = text(message)
    if said.startswith("--set "):
        said = said[len("--set "):]
    log.log(logging.WARNING if level == lib.IG_LOG_WARN else logging.INFO, "%s", said)


@ffi.def_extern(onerror=_on_error)
def py_progress(user: Any, p: Any) -> None:
    context = _of(user)
    if _orphan:
        raise _orphan.pop()
    if context.progress and context.rank == 0:
        context.progress(p.done, p.total, text(p.unit), text(p.note))


@ffi.def_extern()
def py_figure(user: Any, key: Any, value: float, unit: Any, word: Any) -> None:
    _of(user).append((text(key), value if word == ffi.NULL else text(word), text(unit)))


@ffi.def_extern()
def py_field(user: Any, info: Any) -> None:
    _of(user).append(FieldInfo(info))


@ffi.def_extern()
def py_line(user: Any, label: Any, value: Any) -> None:
    _of(user).append((text(label), text(value)))


@ffi.def_extern()
def py_text(user: Any, piece: Any) -> None:
    _of(user).append(text(piece))


@ffi.def_extern()
def py_compared(user: Any, row: Any) -> None:
    values = [row.value[i] if row.text[i] == ffi.NULL else text(row.text[i]) for i in (0, 1)]
    _of(user).append({"part": text(row.part), "name": text(row.name), "unit": text(row.unit),
                      "values": tuple(values), "difference": row.difference, "scale": row.scale,
                      "allowed": row.allowed, "item": row.item, "place": tuple(row.place),
                      "same": row.same})


class FieldInfo:
    """What a field is: name, unit, where ("nodes", "elements", or "whole": a few numbers for all of it), dtype, components, count,
    writable."""

    DTYPES = ("f4", "f8", "i4", "i8", "u1")

    def __init__(self, info: Any) -> None:
        self.name, self.unit = text(info.name), text(info.unit) or ""
        self.where = {lib.IG_AT_POINTS: "nodes", lib.IG_AT_WHOLE: "whole"}.get(info.where, "elements")
        self.dtype = self.DTYPES[info.dtype]
        self.components, self.count = info.components, info.count
        self.writable = info.writable

    @property
    def shape(self) -> tuple[int, ...]:
        return (self.count,) if self.components == 1 else (self.count, self.components)

    def __repr__(self) -> str:
        return f"<{self.name} [{self.unit}] at {self.where}, {self.shape}>"


class Block:
    """Memory of the library as NumPy takes it, without a copy; `owner` stays alive with it."""

    def __init__(self, owner: object, pointer: Any, dtype: str, shape: tuple[int, ...],
                 strides: tuple[int, ...] | None = None, writable: bool = False) -> None:
        self.owner = owner
        self.__array_interface__ = {
            "version": 3, "typestr": "|u1" if dtype == "u1" else "<" + dtype, "shape": shape,
            "strides": strides,
            "data": (int(ffi.cast("uintptr_t", pointer)), not writable)}
