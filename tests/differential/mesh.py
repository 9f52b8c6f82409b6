"""Meshes of boxes made in Python, so that a test can turn, mirror, renumber and write them itself."""
import math
import random

# faces of a hexahedron as Abaqus numbers them: S1 … S6
FACES = ((0, 1, 2, 3), (4, 7, 6, 5), (0, 4, 5, 1), (1, 5, 6, 2), (2, 6, 7, 3), (3, 7, 4, 0))


class Mesh:
    """Hexahedra of boxes that share nodes where they touch.

    points: [[x, y, z]]; cells: [[8 node numbers]]; parts: {box name: [cells]}; faces: {name: [(cell, side)]};
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
            for f in FACES:
                key = tuple(sorted(cell[i] for i in f))
                count[key] = count.get(key, 0) + 1
        for d, axis in enumerate("xyz"):
            values = [p[d] for p in self.points]
            tolerance = 1e-6 * (max(values) - min(values))
            for end, value in (("min", min(values)), ("max", max(values))):
                on = {n for n, p in enumerate(self.points) if abs(p[d] - value) < tolerance}
                self.nodes[axis + end] = sorted(on)
                self.faces[axis + end] = [(c, s) for c, cell in enumerate(self.cells) for s, f in enumerate(FACES)
                                          if all(cell[i] in on for i in f)]
        self.faces["outside"] = [(c, s) for c, cell in enumerate(self.cells) for s, f in enumerate(FACES)
                                 if count[tuple(sorted(cell[i] for i in f))] == 1]

    def mapped(self, function):
        """The same mesh with its points moved; sets stay those of the same nodes."""
        other = object.__new__(Mesh)
        other.__dict__.update(self.__dict__)
        other.points = [function(p) for p in self.points]
        return other

    def shuffled(self, seed):
        """Nodes and cells in another order."""
        rng = random.Random(seed)
        to = list(range(len(self.points)))
        rng.shuffle(to)
        order = list(range(len(self.cells)))
        rng.shuffle(order)
        place = {c: i for i, c in enumerate(order)}
        other = object.__new__(Mesh)
        other.points = [None] * len(self.points)
        for n, p in enumerate(self.points):
            other.points[to[n]] = p
        other.cells = [[to[n] for n in self.cells[c]] for c in order]
        other.parts = {k: [place[c] for c in v] for k, v in self.parts.items()}
        other.nodes = {k: [to[n] for n in v] for k, v in self.nodes.items()}
        other.faces = {k: [(place[c], s) for c, s in v] for k, v in self.faces.items()}
        return other

    def write(self, path):
        """An Abaqus file with the parts as element sets, sides as node sets and as surfaces."""
        def rows(values):
            return "".join(", ".join(map(str, values[i:i + 12])) + "\n" for i in range(0, len(values), 12))
        with open(path, "w") as f:
            f.write("*NODE\n")
            for n, p in enumerate(self.points):
                f.write("%d, %.17g, %.17g, %.17g\n" % (n + 1, *p))
            f.write("*ELEMENT, TYPE=C3D8\n")
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


def turned(angle):
    """A map that turns points about z."""
    c, s = math.cos(angle), math.sin(angle)
    return lambda p: [c * p[0] - s * p[1], s * p[0] + c * p[1], p[2]]
