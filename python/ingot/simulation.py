"""Simulations that Python advances, looks into and changes."""
from __future__ import annotations

import os
import weakref
from typing import Any, Iterator, Mapping, NoReturn

import numpy as np

from ._core import Block, Context, FieldInfo, encode, ffi, lib
from .case import Case, CaseLike
from .errors import InputError, MissingFieldError, StaleViewError
from .exchange import CPU, CUDA, capsule
from .mesh import Mesh


class _Handle:
    """The C simulation. Arrays made by `Field.view` keep it, so that their memory stays.

    It is closed when nobody has it any more: a call that is under way in another thread has it.
    """

    def __init__(self, case: Case, pointer: Any) -> None:
        self.case = case
        self.ptr = pointer
        self.lent: weakref.WeakSet[Any] = weakref.WeakSet()  # what shows memory of the simulation itself

    def __del__(self) -> None:
        self.case.context.retire(lib.ig_sim_close, self.ptr)

    def lend(self) -> Any:
        """The pointer, for one call: it keeps the simulation open as long as it is an argument."""
        return ffi.gc(self.ptr, lambda p, keep=self: None)


class _Taken:
    """What was taken of a simulation: a view, good until the simulation goes on."""

    def __init__(self, simulation: Simulation, view: Any) -> None:
        self._simulation, self._view = simulation, view
        self._handle: Any = simulation._handle
        self.info = FieldInfo(view.info)
        self.copied = bool(view.copied)

    def _fresh(self) -> Any:
        """The address, if the view is still good."""
        if (self._handle is None or self._simulation._handle is not self._handle
                or not lib.ig_sim_is_fresh(self._handle.ptr, self._view)):
            raise StaleViewError(f"{self.info.name}: the simulation has gone on or was closed "
                                 "since this field was taken; take it again, or a copy() before")
        return self._view.data

    @property
    def _context(self) -> Context:
        return self._simulation.context

    def _block(self) -> Block:
        """The memory itself: the simulation knows that it is in use."""
        block = Block(self._handle, self._fresh(), self.info.dtype, self.info.shape, self._strides)
        self._handle.lent.add(block)
        return block

    @property
    def shape(self) -> tuple[int, ...]:
        return self.info.shape

    @property
    def _strides(self) -> tuple[int, ...]:
        return (self._view.stride[0], self._view.stride[1])[:len(self.info.shape)]


class DeviceField(_Taken):
    """A field where the simulation keeps it, for CuPy, PyTorch, JAX, Numba: `cupy.asarray(f)`,
    `torch.from_dlpack(f)`. No copy is made and no step is under way. It is the simulation's own
    memory: read it, do not write to it, and take a copy before the next step; what asks this
    object again after that raises StaleViewError.
    """

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        if self._simulation.context.backend != "cuda":
            raise AttributeError("this simulation does not run on a CUDA device")
        with self._context:
            address = int(ffi.cast("uintptr_t", self._fresh()))
            self._handle.lent.add(self)  # who reads this keeps it
        return {"version": 3, "shape": self.info.shape, "typestr": "<" + self.info.dtype,
                "strides": self._strides, "data": (address, True), "stream": None}

    def __dlpack_device__(self) -> tuple[int, int]:
        context = self._simulation.context
        return (CUDA, context.device) if context.backend == "cuda" else (CPU, 0)

    def __dlpack__(self, stream: Any = None, **_: Any) -> Any:
        # all steps are done when a view is given, so that any stream may read at once
        with self._context:
            block = self._block()
            address = int(ffi.cast("uintptr_t", self._view.data))
        return capsule(block, address, self.info.dtype, self.info.shape,
                       self._strides, self.__dlpack_device__())

    def __repr__(self) -> str:
        i = self.info
        return f"<field {i.name} [{i.unit}] at {i.where} on {self._simulation.context.backend}, shape {i.shape}>"


class Field(_Taken, np.lib.mixins.NDArrayOperatorsMixin):
    """A field as it stands, without a copy where the library needs none (`copied` says).

    Calculate with it as with an array: `field.max()`, `field > 1723`, `np.percentile(field, 99)`,
    `field[10]`. What comes out is yours. The field itself holds until the simulation goes on or is
    changed; then using it raises StaleViewError. `field.copy()` and `np.asarray(field)` give an
    array to keep, `field.view()` the bare memory, read-only.
    """

    def view(self) -> np.ndarray:
        """The memory itself as a read-only array. It is not watched: do not use it after the
        next step; `restore` is refused while there is one. Where the field is a copy already
        (`copied`), a copy that is yours."""
        with self._context:
            if not self.copied:
                return np.asarray(self._block())
            own = np.array(self._bare())
            own.flags.writeable = False
            return own

    def _bare(self) -> np.ndarray:
        """Memory for the moment: inside `with self._context`."""
        return np.asarray(Block(self._handle, self._fresh(), self.info.dtype, self.info.shape, self._strides))

    def copy(self) -> np.ndarray:
        with self._context:
            return np.array(self._bare())

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        with self._context:
            return np.array(self._bare(), dtype=dtype)

    def __dlpack__(self, stream: Any = None, **_: Any) -> Any:
        # DLPack cannot say that memory is read-only: who takes it gets a copy
        return self.copy().__dlpack__()

    def __dlpack_device__(self) -> tuple[int, int]:
        return (CPU, 0)

    def __getitem__(self, index: Any) -> Any:
        with self._context:
            return _own(self._bare()[_bare(index, self._context)])

    def __setitem__(self, index: Any, value: Any) -> NoReturn:
        raise TypeError(f'a field is read-only: change a copy and set it, simulation["{self.info.name}"] = array')

    def __len__(self) -> int:
        return self.info.count

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or not hasattr(np.ndarray, name):
            raise AttributeError(name)
        with self._context:
            found = getattr(self._bare(), name)
            if not callable(found):
                return _own(found)

        def method(*a: Any, **k: Any) -> Any:
            with self._context:
                return _own(getattr(self._bare(), name)(*_bare(a, self._context), **_bare(k, self._context)))

        return method

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        if any(isinstance(o, Field) for o in options.get("out", ())):
            raise TypeError("a field is read-only")
        with self._context as held:
            return getattr(ufunc, method)(*_bare(inputs, held), **_bare(options, held))

    def __array_function__(self, function: Any, types: Any, arguments: Any, options: Any) -> Any:
        with self._context as held:
            return _own(function(*_bare(arguments, held), **_bare(options, held)))

    def __repr__(self) -> str:
        i = self.info
        return f"<field {i.name} [{i.unit}] at {i.where}, shape {i.shape}>"


def _bare(value: Any, held: Context) -> Any:
    """Arrays in place of fields: the memory of those of the context that is held, copies of others."""
    if isinstance(value, Field):
        return value._bare() if value._context is held else value.copy()
    if type(value) in (list, tuple):
        return type(value)(_bare(v, held) for v in value)
    return {k: _bare(v, held) for k, v in value.items()} if isinstance(value, dict) else value


def _own(value: Any) -> Any:
    """A result that shares no memory with the simulation."""
    return np.array(value) if isinstance(value, np.ndarray) and not value.flags.owndata else value


class State:
    """A state of `Simulation.save`, in memory. It can be pickled, and restored in another process
    by a simulation of the same case."""

    def __init__(self, pointer: Any) -> None:
        self.ptr = ffi.gc(pointer, lib.ig_sim_state_free, lib.ig_sim_state_size(pointer))

    def __reduce__(self) -> tuple[Any, ...]:
        packed = bytearray(self.nbytes)
        lib.ig_sim_state_pack(self.ptr, ffi.from_buffer(packed))
        return State._unpack, (bytes(packed),)

    @classmethod
    def _unpack(cls, packed: bytes) -> State:
        context = Context("cpu")
        slot = ffi.new("ig_sim_state **")
        context.call(lib.ig_sim_state_unpack, context.ptr, ffi.from_buffer(packed), len(packed), slot)
        return cls(slot[0])

    @property
    def nbytes(self) -> int:
        """Its size in bytes, pickled."""
        return int(lib.ig_sim_state_size(self.ptr))

    def __repr__(self) -> str:
        return f"<ingot.State of {self.nbytes} bytes>"


class Simulation:
    """A case, opened and ready for its first step.

        with ingot.Simulation("case.yaml") as s:
            for s in s.every(100):
                print(s.time, s["T"].max())

    out: folder for snapshots, history and summary; without it nothing is written. The result is
    the same to the last bit in whatever portions it is advanced. One per case at a time.
    """

    def __init__(self, case: CaseLike, out: str | os.PathLike[str] | None = None, *,
                 set: Mapping[str, Any] | None = None, restart: str | os.PathLike[str] | None = None,
                 force: bool = False, **options: Any) -> None:
        case = Case._of(case, set, options)
        self._handle: _Handle | None = None
        other = case._simulation and case._simulation()
        if other is not None:
            raise RuntimeError("this case has an open simulation: close() it first and drop the "
                               "arrays of Field.view(), or take another Case")
        self.case, self.context, self.out = case, case.context, out
        self._figures: list[tuple[str, Any, str]] = []
        self._user = ffi.new_handle(self._figures)
        names = encode(out), encode(restart)
        slot = ffi.new("ig_sim **")
        options = ffi.new("ig_sim_options *", {
            "out": names[0], "restart": names[1], "force": force, "figure": lib.py_figure,
            "user": self._user})
        self.context.call(lib.ig_sim_open, case.ptr, options, slot)
        self._handle = _Handle(case, slot[0])
        case._simulation = weakref.ref(self._handle)

    def __reduce__(self) -> NoReturn:
        raise TypeError("a Simulation cannot be pickled: pickle its Case and save(), open and restore() it in the other process")

    @property
    def _ptr(self) -> Any:
        handle = self._handle  # another thread may close it meanwhile
        if handle is None:
            raise ValueError("the simulation is closed")
        return handle.lend()

    def _advance(self, function: Any, *arguments: Any) -> None:
        pointer = self._ptr

        def stop() -> None:
            lib.ig_sim_step(pointer, 1, ffi.NULL)

        self.context.call(function, pointer, *arguments, after=stop)

    def step(self, steps: int = 1) -> int:
        """Takes up to `steps` steps, fewer at the end; returns how many."""
        done = ffi.new("int64_t *")
        self._advance(lib.ig_sim_step, steps, done)
        return done[0]

    def until(self, time: float) -> None:
        """Steps until `time` is reached; the length of a step stays, so the last may pass it."""
        self._advance(lib.ig_sim_until, time)

    def every(self, steps: int) -> Iterator[Simulation]:
        """Yields the simulation after every `steps` steps and at the end."""
        while not self.ended:
            self.step(steps)
            yield self

    def run(self) -> None:
        """Steps to the end."""
        self.step(2**63 - 1)

    @property
    def ended(self) -> bool:
        return bool(lib.ig_sim_ended(self._ptr))

    @property
    def time(self) -> float:
        """Seconds; of an optimisation: iterations."""
        return lib.ig_sim_time(self._ptr)

    @property
    def steps(self) -> int:
        return lib.ig_sim_steps(self._ptr)

    @property
    def dt(self) -> float:
        """Length of the next step."""
        return lib.ig_sim_dt(self._ptr)

    @property
    def fields(self) -> dict[str, FieldInfo]:
        """The fields there are: {name: FieldInfo}."""
        found: list[FieldInfo] = []
        handle = ffi.new_handle(found)
        with self.context:
            lib.ig_sim_fields(self._ptr, lib.py_field, handle)
        return {f.name: f for f in found}

    def __contains__(self, name: object) -> bool:
        return name in self.fields

    def __iter__(self) -> Iterator[str]:
        return iter(self.fields)

    def _view(self, name: str, side: Any) -> Any:
        view = ffi.new("ig_field_view *")
        try:
            self.context.call(lib.ig_sim_view, self._ptr, encode(name), side, view)
        except InputError as error:
            if name in self.fields:
                raise
            raise MissingFieldError(error.message) from None
        return view

    def __getitem__(self, name: str) -> Field:
        return Field(self, self._view(name, lib.IG_ON_HOST))

    def device(self, name: str) -> DeviceField:
        """The field on the device, without a copy: see DeviceField. UnsupportedError where it is
        not stored there in the order of the mesh."""
        return DeviceField(self, self._view(name, lib.IG_ON_DEVICE))

    def __setitem__(self, name: str, values: Any) -> None:
        info = self.fields.get(name)
        if info is None:
            self._view(name, lib.IG_ON_HOST)  # says which there are
            return
        given = np.asarray(values, dtype=float)
        try:
            given = np.ascontiguousarray(np.broadcast_to(given, info.shape))
        except ValueError:
            raise ValueError(f"{name}: a number or an array of the shape {info.shape} is needed, not {given.shape}") from None
        self.context.call(lib.ig_sim_set, self._ptr, encode(name), ffi.from_buffer("double[]", given))

    def load(self, number: int, factor: float) -> None:
        """Multiplies load `number` of the case (thermal: of `beams`) from the next step on."""
        self.context.call(lib.ig_sim_scale_load, self._ptr, number, factor)

    def support(self, number: int, factor: float) -> None:
        """Multiplies what support `number` of the case prescribes (displacement, velocity,
        acceleration; thermal: temperature and flux of `boundary`) from the next step on."""
        self.context.call(lib.ig_sim_scale_support, self._ptr, number, factor)

    def save(self) -> State:
        """All that is needed to go on from here to the same bits."""
        slot = ffi.new("ig_sim_state **")
        self.context.call(lib.ig_sim_save, self._ptr, slot)
        return State(slot[0])

    def restore(self, state: State) -> None:
        """Back to a state of this simulation, any number of times, or of another one with the same
        case (its end, output, title, backend and threads may differ). RuntimeError while arrays of
        `Field.view` or tensors of `device` are in use: their memory would be another's."""
        if not isinstance(state, State):
            raise TypeError(f"a State of save() is needed, not {type(state).__name__}")
        if self._handle is not None and len(self._handle.lent):
            raise RuntimeError("arrays of Field.view() or device() show memory of this simulation: drop "
                               "them before restore(), or keep Field.copy()")
        self.context.call(lib.ig_sim_restore, self._ptr, state.ptr)

    def interrupt(self) -> None:
        """From another thread: the run finishes its step, writes a checkpoint, raises Interrupted."""
        lib.ig_ctx_interrupt(self.context.ptr)

    def mesh(self) -> Mesh:
        """The mesh of the case; nodes and elements of fields are in its order."""
        return self.case.mesh()

    def grid(self) -> Any:
        """All fields as they stand on a PyVista or VTK grid."""
        data: dict[str, dict[str, np.ndarray]] = {"nodes": {}, "elements": {}}
        for name, info in self.fields.items():
            if info.where in data:
                data[info.where][name] = self[name].copy()
        return self.mesh().grid(data["nodes"], data["elements"])

    def evaluate(self, design: Any = None) -> dict[str, Any]:
        """Topology optimisation: the design (one number from 0 to 1 per element; None: as it
        stands) is analysed. A dict with objective, volume (a share), constraints (values over their
        bounds), and their gradients by the design: objective_gradient, volume_gradient,
        constraint_gradients, one row each.

        With it another optimiser takes the place of the room's: nothing but the design changes.
        Give `solver: {tolerance: 1e-8}`, say: without it linear systems are solved as exactly as
        the last change of the design deserves.
        """
        if design is not None:
            self["design"] = design
        info = self.fields
        value: dict[str, Any] = {name: float(self[name][0]) for name in ("objective", "volume")}
        value["constraints"] = (self["constraints"].copy() if "constraints" in info
                                else np.zeros(0))
        for name in ("objective_gradient", "volume_gradient"):
            value[name] = self[name].copy()
        rows = [self[f"constraint_{i + 1}_gradient"].copy()
                for i in range(len(value["constraints"]))]
        value["constraint_gradients"] = np.array(rows).reshape(len(rows), len(value["volume_gradient"]))
        return value

    def finish(self) -> dict[str, float | str]:
        """Writes figures and summary; returns the figures, {name: value}. An optimisation has
        figures of its present design before its end, too. At its end the part is analysed as the
        section `finish` of its case says, which needs `out`."""
        self.context.call(lib.ig_sim_finish, self._ptr)
        if self.ended:
            name = encode(self.out)
            self.context.call(lib.ig_finish_after, self.case.ptr, ffi.new("ig_run_options *", {
                "out": name, "figure": lib.py_figure, "user": self._user}))
        return {key: value for key, value, unit in self._figures}

    @property
    def stats(self) -> dict[str, Any]:
        """What the run did: elements, nodes, steps, seconds, bytes."""
        stats = ffi.new("ig_run_stats *")
        with self.context:
            lib.ig_sim_stats(self._ptr, stats)
        return {name: getattr(stats, name) for name, _ in ffi.typeof("ig_run_stats").fields}

    def close(self) -> None:
        """Frees it; arrays of `Field.view` keep their memory.

        A step that is under way in another thread ends first: that thread raises Interrupted, and
        the simulation is freed when its call is back.
        """
        handle, self._handle = self._handle, None
        if handle is not None and self.context.busy:
            self.interrupt()

    def __enter__(self) -> Simulation:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _repr_html_(self) -> str:
        from ._html import table
        from .picture import image_of_mesh
        if self._handle is None:
            return table([("simulation", "closed")])
        rows = [("case", repr(self.case)), ("on", f"{self.context.backend}: {self.context.device_name}"),
                ("steps", self.steps), ("time", f"{self.time:.6g}")]
        if self.context.busy:  # another thread steps it: what can be said without its fields
            return table(rows)
        first = next((n for n in ("density", "T", "nodal_von_mises", "von_mises", "displacement") if n in self.fields),
                     next(iter(self.fields), None))
        fields = {}
        if first:
            info = self.fields[first]
            fields[first] = (info.unit, info.where, self[first].copy())
        unit = "1" if self.case.get("physics") == "topopt" else "s"  # iterations, seconds
        return image_of_mesh(self.mesh(), fields, self.time, unit) + table(rows)

    def __repr__(self) -> str:
        if self._handle is None:
            return "<ingot.Simulation, closed>"
        return f"<ingot.Simulation of {self.case!r}: {self.steps} steps, time {self.time:g}>"
