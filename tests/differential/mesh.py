"""Meshes of boxes made in Python, so that a test can turn, mirror, renumber, cut and write them itself."""
import math
import random

# faces of a hexahedron and of a tetrahedron as Abaqus numbers them: S1 …
FACES = ((0, 1, 2, 3), (4, 7, 6, 5), (0, 4, 5, 1), (1, 5, 6, 2), (2, 6, 7, 3), (3, 7, 4, 0))
TET_FACES = ((0, 1, 2), (0, 3, 1), (1, 3, 2), (2, 3, 0))
TYPES = {8: "C3D8", 4: "C3D4"}


def faces_of(cell):
    return FACES if len(cell) == 8 else TET_FACES


class Mesh:
    """Hexahedra of boxes that share nodes where they touch, or tetrahedra cut from them.

    points: [[x, y, z]]; cells: [[8 or 4 node numbers]]; parts: {box name: [cells]}; faces: {name: [(cell, side)]};
    nodes: {name: [nodes]} for xmin … zmax, the sides of the whole body, as the program names them.
    """

    def __init__(self, boxes):
        self.points, self.cells, self.parts = [], [], {}
        number = {}
        for box in boxes:
            nx, ny, nz = box["cells"]
            o, s = box.get("origin", [0, 0, 0]), box["size"]

            def node(i, j, k):
                p = [o[0] + s[0] * i / nx, o[1] + s[1] * j / ny, o[2] + s[2] * k / nz]
                key = tuple(round(c * 1e9) for c in p)
                if key not in number:
                    number[key] = len(self.points)
                    self.points.append(p)
                return number[key]

            for k in range(nz):
                for j in range(ny):
                    for i in range(nx):
                        self.parts.setdefault(box["name"], []).append(len(self.cells))
                        self.cells.append([node(i, j, k), node(i + 1, j, k), node(i + 1, j + 1, k), node(i, j + 1, k),
                                           node(i, j, k + 1), node(i + 1, j, k + 1), node(i + 1, j + 1, k + 1),
                                           node(i, j + 1, k + 1)])
        self.sides()

    def sides(self):
        """Names the sides of the bounding box: nodes and faces there."""
        self.nodes, self.faces = {}, {}
        count = {}
        for cell in self.cells:
            for f in faces_of(cell):
                key = tuple(sorted(cell[i] for i in f))
                count[key] = count.get(key, 0) + 1
        outside = [(c, s, {cell[i] for i in f}) for c, cell in enumerate(self.cells) for s, f in enumerate(faces_of(cell))
                   if count[tuple(sorted(cell[i] for i in f))] == 1]
        for d, axis in enumerate("xyz"):
            values = [p[d] for p in self.points]
            tolerance = 1e-6 * (max(values) - min(values))
            for end, value in (("min", min(values)), ("max", max(values))):
                on = {n for n, p in enumerate(self.points) if abs(p[d] - value) < tolerance}
                self.nodes[axis + end] = sorted(on)
                self.faces[axis + end] = [(c, s) for c, s, nodes in outside if nodes <= on]
        self.faces["outside"] = [(c, s) for c, s, _ in outside]

    def shares(self, name):
        """{node: share} of a force on a set: evenly on its faces (parallelograms, triangles), or the same on each of its nodes."""
        side = name.rsplit("_", 1)[0]
        if name.endswith("_n"):  # a file's set of nodes
            return {n: 1 / len(self.nodes[side]) for n in self.nodes[side]}
        out = {}
        for c, s in self.faces[side]:
            on = [self.cells[c][i] for i in faces_of(self.cells[c])[s]]
            a, b, d = (self.points[n] for n in (on[0], on[1], on[-1]))
            u, v = [q - p for p, q in zip(a, b)], [q - p for p, q in zip(a, d)]
            area = math.hypot(u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0])
            for n in on:
                out[n] = out.get(n, 0) + area / (4 if len(on) == 4 else 6)
        whole = sum(out.values())
        return {n: v / whole for n, v in out.items()}

    def like(self, **changes):
        other = object.__new__(Mesh)
        other.__dict__.update(self.__dict__)
        other.__dict__.update(changes)
        return other

    def mapped(self, function):
        """The same mesh with its points moved; sets stay those of the same nodes."""
        return self.like(points=[function(p) for p in self.points])

    def jittered(self, rng, share):
        """Nodes inside the body moved by up to a share of the shortest edge; those on its surface stay."""
        fixed = {self.cells[c][i] for c, s in self.faces["outside"] for i in faces_of(self.cells[c])[s]}
        h = min(math.dist(self.points[c[i]], self.points[c[j]]) for c in self.cells for i in range(4) for j in range(i))
        return self.like(points=[p if n in fixed else [x + rng.uniform(-share, share) * h for x in p] for n, p in enumerate(self.points)])

    def tetrahedra(self):
        """Each hexahedron cut into six tetrahedra about the diagonal from its first corner to the opposite one: neighbours match."""
        cut = ((0, 1, 2, 6), (0, 2, 3, 6), (0, 3, 7, 6), (0, 7, 4, 6), (0, 4, 5, 6), (0, 5, 1, 6))
        other = self.like(cells=[[cell[i] for i in t] for cell in self.cells for t in cut],
                          parts={k: [6 * c + i for c in v for i in range(6)] for k, v in self.parts.items()})
        other.sides()
        return other

    def shuffled(self, seed):
        """Nodes and cells in another order."""
        rng = random.Random(seed)
        to = list(range(len(self.points)))
        rng.shuffle(to)
        order = list(range(len(self.cells)))
        rng.shuffle(order)
        place = {c: i for i, c in enumerate(order)}
        points = [None] * len(self.points)
        for n, p in enumerate(self.points):
            points[to[n]] = p
        return self.like(points=points, cells=[[to[n] for n in self.cells[c]] for c in order],
                         parts={k: [place[c] for c in v] for k, v in self.parts.items()},
                         nodes={k: [to[n] for n in v] for k, v in self.nodes.items()},
                         faces={k: [(place[c], s) for c, s in v] for k, v in self.faces.items()})

    def write(self, path):
        """An Abaqus file with the parts as element sets, sides as node sets and as surfaces."""
        with open(path, "w") as f:
            f.write("*NODE\n")
            for n, p in enumerate(self.points):
                f.write("%d, %.17g, %.17g, %.17g\n" % (n + 1, *p))
            f.write("*ELEMENT, TYPE=%s\n" % TYPES[len(self.cells[0])])
            for c, cell in enumerate(self.cells):
                f.write("%d, %s\n" % (c + 1, ", ".join(str(n + 1) for n in cell)))
            for name, cells in self.parts.items():
                f.write("*ELSET, ELSET=%s\n%s" % (name, rows([c + 1 for c in cells])))
            for name, nodes in self.nodes.items():
                f.write("*NSET, NSET=%s_n\n%s" % (name, rows([n + 1 for n in nodes])))
            for name, faces in self.faces.items():
                f.write("*SURFACE, NAME=%s_f, TYPE=ELEMENT\n" % name)
                for c, s in faces:
                    f.write("%d, S%d\n" % (c + 1, s + 1))


def rows(values):
    """Numbers of a set as an Abaqus file has them."""
    return "".join(", ".join(map(str, values[i:i + 12])) + "\n" for i in range(0, len(values), 12))


def turned(angle):
    """A map that turns points about z."""
    c, s = math.cos(angle), math.sin(angle)
    return lambda p: [c * p[0] - s * p[1], s * p[0] + c * p[1], p[2]]
