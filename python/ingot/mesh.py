"""Meshes to and from NumPy arrays."""
from __future__ import annotations

import os
from typing import Any, Dict, Mapping, Sequence, Tuple, Union

import numpy as np

from ._core import Block, Context, encode, ffi, lib, text

TYPES = {text(lib.ig_elem_info_get(t).name): t for t in range(lib.IG_ELEM_TYPES)}
# meshio's names, by VTK's numbers of the cells; a type without one keeps Ingot's name
VTK = {3: "line", 5: "triangle", 22: "triangle6", 9: "quad", 10: "tetra", 24: "tetra10",
       12: "hexahedron", 13: "wedge", 14: "pyramid", 25: "hexahedron20", 26: "wedge15",
       23: "quad8", 21: "line3"}
MESHIO = {name: VTK.get(lib.ig_elem_info_get(t).vtk, name) for name, t in TYPES.items()}
NAMES = {theirs: ours for ours, theirs in MESHIO.items()}
Cells = Union[Sequence[Tuple[str, Any]], Dict[str, Any]]
KINDS = ("nodes", "elements", "faces")


def vtk_type(name: str) -> int:
    """VTK's number of a cell type, by meshio's or Ingot's name."""
    return lib.ig_elem_info_get(TYPES[NAMES.get(name, name)]).vtk


def _dim(name: str) -> int:
    """Of a cell type, by meshio's or Ingot's name: 0 of a vertex; of what is not known that of solids."""
    if name == "vertex":
        return 0
    ours = NAMES.get(name, name)
    return lib.ig_elem_info_get(TYPES[ours]).dim if ours in TYPES else 3


class Mesh:
    """Points (n, 3) in metres; cells as [("hexahedron", (m, 8) array), …] or a dict of them.

    Names of cells are meshio's or Ingot's (hex8). Sets: node_sets={"left": [0, 1]},
    element_sets={…}, face_sets={"top": (elements, local faces)}. Elements are numbered through all
    blocks of cells.
    """

    def __init__(self, points: Any, cells: Cells, *, node_sets: Mapping[str, Any] | None = None,
                 element_sets: Mapping[str, Any] | None = None,
                 face_sets: Mapping[str, tuple[Any, Any]] | None = None, dim: int | None = None) -> None:
        points = np.asarray(points, dtype=float)
        if points.ndim != 2 or points.shape[1] not in (2, 3):
            raise ValueError(f"points have the shape (n, 3), not {points.shape}")
        if dim is None:
            dim = points.shape[1]
        blocks = list(cells.items() if isinstance(cells, dict) else cells)
        self.context = Context("cpu")
        slot = ffi.new("ig_mesh **")
        self._call(lib.ig_mesh_new, dim, len(points), slot)
        self._take(slot[0])
        self.points[:, :points.shape[1]] = points
        for kind, conn in blocks:
            self._add_block(kind, np.asarray(conn))
        for number, sets in enumerate((node_sets, element_sets, face_sets)):
            for name, items in (sets or {}).items():
                self._add_set(name, number, items)
        self.check()

    @classmethod
    def _own(cls, context: Context, pointer: Any) -> Mesh:
        mesh = cls.__new__(cls)
        mesh.context = context
        mesh._take(pointer)
        return mesh

    def _take(self, pointer: Any) -> None:
        context = self.context.ptr  # outlives the mesh
        self.ptr = ffi.gc(pointer, lambda m, keep=context: lib.ig_mesh_free(m))

    def _call(self, function: Any, *arguments: Any) -> None:
        self.context.call(function, self.context.ptr, *arguments)

    def _add_block(self, kind: str, conn: np.ndarray) -> None:
        name = NAMES.get(kind, kind)
        if name not in TYPES:
            raise ValueError(f"no cells of type {kind!r}: there are {', '.join(NAMES)}")
        nodes = lib.ig_elem_info_get(TYPES[name]).nodes
        if conn.ndim != 2 or conn.shape[1] != nodes or conn.dtype.kind not in "iu":
            raise ValueError(f"{kind}: whole numbers of the shape (n, {nodes}) are needed, "
                             f"this is {conn.dtype} {conn.shape}")
        self._whole(kind, conn, self.ptr.nodes)
        slot = ffi.new("ig_block **")
        self._call(lib.ig_mesh_add_block, self.ptr, TYPES[name], len(conn), slot)
        np.asarray(Block(self.ptr, slot[0].conn, "i4", conn.shape, writable=True))[...] = conn

    def _add_set(self, name: str, kind: int, items: Any) -> None:
        faces = None
        if KINDS[kind] == "faces":
            items, faces = items
            faces = np.asarray(faces)
        items = np.asarray(items)
        if items.ndim != 1 or (items.size and items.dtype.kind not in "iu"):
            raise ValueError(f"set {name}: a list of whole numbers is needed")
        if faces is not None and faces.shape != items.shape:
            raise ValueError(f"set {name}: as many local faces as elements are needed")
        count = self.ptr.nodes if kind == lib.IG_SET_NODES else lib.ig_mesh_elements(self.ptr)
        self._whole(f"set {name}", items, count)
        if faces is not None:
            self._whole(f"set {name}, local faces", faces, 6)
        slot = ffi.new("ig_set **")
        self._call(lib.ig_mesh_add_set, self.ptr, encode(name), kind, len(items), slot)
        if len(items):
            np.asarray(Block(self.ptr, slot[0].item, "i4", items.shape, writable=True))[:] = items
            if faces is not None:
                np.asarray(Block(self.ptr, slot[0].face, "u1", items.shape, writable=True))[:] = faces

    @staticmethod
    def _whole(what: str, numbers: np.ndarray, count: int) -> None:
        if numbers.size and (numbers.min() < 0 or numbers.max() >= count):
            raise ValueError(f"{what}: numbers are 0 to {count - 1}, "
                             f"these are {numbers.min()} to {numbers.max()}")

    @classmethod
    def read(cls, path: str | os.PathLike[str], *, unit: float = 0.0, edge: float = 0.0, split: bool = False,
             quadratic: bool = False, curved: bool = False, time_limit: float = 0.0, memory_limit: float = 0.0) -> Mesh:
        """Reads a file by its ending; unit: metres of the file's lengths. quadratic: hexahedron20 and
        wedge15 stay what they are, else their corners are taken; curved: quad8 and three-node beams,
        too. time_limit (s) and memory_limit (bytes): what Gmsh may take, 0 for 600 s and three
        quarters of what is left."""
        context = Context("cpu")
        slot = ffi.new("ig_mesh **")
        options = ffi.new("ig_mesh_read_options *", {
            "unit": unit, "edge": edge, "split": split, "quadratic": quadratic, "curved": curved,
            "time_limit": time_limit, "memory_limit": memory_limit})
        context.call(lib.ig_mesh_read, context.ptr, encode(path), options, slot)
        return cls._own(context, slot[0])

    @classmethod
    def from_meshio(cls, mesh: Any, **sets: Any) -> Mesh:
        """From a meshio.Mesh, or anything with its `points`, `cells`, `point_sets`, `cell_sets`.

        Cells of type vertex are left out. Groups of a Gmsh file (`gmsh:physical`) become sets by their
        names: of elements; of what has fewer dimensions, of nodes, and these cells are no elements.
        """
        blocks: list[Any] = [(c.type, c.data) if hasattr(c, "type") else tuple(c) for c in mesh.cells]
        physical = (getattr(mesh, "cell_data", None) or {}).get("gmsh:physical")
        dims = [_dim(kind) for kind, _ in blocks]
        most = max(dims, default=0)
        taken = [d > 0 and (physical is None or d == most) for d in dims]
        counts = [len(data) if take else 0 for take, (_, data) in zip(taken, blocks)]
        first = np.concatenate([[0], np.cumsum(counts)])
        nodes = dict(getattr(mesh, "point_sets", None) or {})
        elements: dict[str, Any] = {}
        for name, lists in (getattr(mesh, "cell_sets", None) or {}).items():
            if name.startswith("gmsh:"):
                continue
            for b, items in enumerate(lists):
                if items is not None and taken[b]:
                    elements.setdefault(name, []).append(first[b] + np.asarray(items, dtype=int))
        names = {tuple(int(v) for v in value): name for name, value in (getattr(mesh, "field_data", None) or {}).items()}
        groups: dict[str, list[np.ndarray]] = {}
        for b, numbers in enumerate(physical if physical is not None else ()):
            for number in np.unique(numbers):
                if number == 0:  # in no group
                    continue
                name = names.get((int(number), dims[b]), f"group_{dims[b]}_{int(number)}")
                items = np.flatnonzero(np.asarray(numbers) == number)
                if taken[b] and name not in (getattr(mesh, "cell_sets", None) or {}):
                    elements.setdefault(name, []).append(first[b] + items)
                groups.setdefault(name, []).append(np.asarray(blocks[b][1])[items].ravel())
        for name, lists in groups.items():
            nodes.setdefault(name, np.unique(np.concatenate(lists)))
        elements = {name: np.concatenate(lists) for name, lists in elements.items()}
        given: dict[str, Any] = {"node_sets": nodes, "element_sets": elements, **sets}
        return cls(mesh.points, [block for take, block in zip(taken, blocks) if take], **given)

    def to_meshio(self) -> Any:
        """A meshio.Mesh of points, cells and sets of nodes and elements."""
        try:
            import meshio
        except ImportError:
            raise ImportError("to_meshio needs meshio (Debian: python3-meshio)") from None
        cells = [(name, np.array(nodes)) for name, nodes in self.cells]
        first = np.concatenate([[0], np.cumsum([len(nodes) for _, nodes in cells])])
        parts = {name: [items[(items >= a) & (items < b)] - a for a, b in zip(first, first[1:])]
                 for name, items in self.element_sets.items()}
        return meshio.Mesh(np.array(self.points), cells, point_sets=self.node_sets, cell_sets=parts)

    def grid(self, point_data: Mapping[str, Any] | None = None, cell_data: Mapping[str, Any] | None = None) -> Any:
        """A PyVista or VTK grid of the mesh, with values per node and per element."""
        from .grid import cells_of, grid
        return grid(self.points, *cells_of(self), point_data or {}, cell_data or {})

    def write(self, path: str | os.PathLike[str]) -> None:
        """Writes by the ending: .vtkhdf, .vtu, .vtk, .inp, .msh, .stl."""
        self._call(lib.ig_mesh_write, self.ptr, encode(path))

    def check(self) -> None:
        """Raises where a number, a coordinate or the shape of an element is wrong."""
        self._call(lib.ig_mesh_check, self.ptr)

    def keep(self, mask: Any) -> Mesh:
        """A new mesh of the elements where `mask` is true and the nodes they use; sets follow."""
        mask = np.ascontiguousarray(mask, dtype=bool).astype(np.uint8)
        if mask.shape != (len(self),):
            raise ValueError(f"one value per element is needed: {len(self)}, not {mask.shape}")
        kept = Mesh(self.points, self.cells, node_sets=self.node_sets, dim=self.dim,
                    element_sets=self.element_sets, face_sets=self.face_sets)
        kept._call(lib.ig_mesh_keep, kept.ptr, ffi.from_buffer("uint8_t[]", mask), ffi.NULL)
        return kept

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickled, (np.array(self.points), [(name, np.array(nodes)) for name, nodes in self.cells],
                            {"dim": self.dim, "node_sets": self.node_sets, "element_sets": self.element_sets,
                             "face_sets": self.face_sets})

    @property
    def dim(self) -> int:
        return self.ptr.dim

    @property
    def points(self) -> np.ndarray:
        """(n, 3) in metres, without a copy; writable."""
        return np.asarray(Block(self.ptr, self.ptr.x, "f8", (self.ptr.nodes, 3), writable=True))

    @property
    def cells(self) -> list[tuple[str, np.ndarray]]:
        """[(name, array of node numbers), …], without copies, not writable."""
        blocks = []
        for i in range(self.ptr.blocks):
            b = self.ptr.block[i]
            info = lib.ig_elem_info_get(b.type)
            blocks.append((MESHIO[text(info.name)],
                           np.asarray(Block(self.ptr, b.conn, "i4", (b.count, info.nodes)))))
        return blocks

    def _sets(self, kind: str) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for i in range(self.ptr.sets):
            s = self.ptr.set[i]
            if KINDS[s.kind] == kind:
                items = np.array(Block(self.ptr, s.item, "i4", (s.count,))) if s.count else np.zeros(0, "i4")
                if kind == "faces":
                    faces = np.array(Block(self.ptr, s.face, "u1", (s.count,))) if s.count else np.zeros(0, "u1")
                    found[text(s.name)] = (items, faces)
                else:
                    found[text(s.name)] = items
        return found

    @property
    def node_sets(self) -> dict[str, np.ndarray]:
        return self._sets("nodes")

    @property
    def element_sets(self) -> dict[str, np.ndarray]:
        return self._sets("elements")

    @property
    def face_sets(self) -> dict[str, tuple[np.ndarray, np.ndarray]]:
        return self._sets("faces")

    @property
    def bounds(self) -> np.ndarray:
        """Lowest and highest corner, (2, 3)."""
        low, high = ffi.new("double[3]"), ffi.new("double[3]")
        lib.ig_mesh_bounds(self.ptr, low, high)
        return np.array([list(low), list(high)])

    def measures(self) -> np.ndarray:
        """Volume (area, length) of each element."""
        return np.array([lib.ig_mesh_measure(self.ptr, e) for e in range(len(self))])

    def describe(self) -> list[tuple[str, str]]:
        """Counts, sizes and sets: a list of (label, value)."""
        lines: list[tuple[str, str]] = []
        self._call(lib.ig_mesh_describe, self.ptr, lib.py_line, ffi.new_handle(lines))
        return lines

    def __len__(self) -> int:
        return lib.ig_mesh_elements(self.ptr)

    def _repr_html_(self) -> str:
        from ._html import table
        from .picture import image_of_mesh
        return image_of_mesh(self) + table(self.describe())

    def __repr__(self) -> str:
        kinds = ", ".join(f"{len(c)} {name}" for name, c in self.cells)
        return f"<ingot.Mesh {self.dim}D: {self.ptr.nodes} nodes, {kinds}>"


def _unpickled(points: np.ndarray, cells: list[tuple[str, np.ndarray]], options: dict[str, Any]) -> Mesh:
    return Mesh(points, cells, **options)
