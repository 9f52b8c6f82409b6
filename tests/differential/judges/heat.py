"""Transient heat by dense matrices, from docs/explanation/thermal.md: eight-node hexahedra, lumped capacity, surface fluxes at nodes, forward
Euler with the step of the run."""
import numpy as np

from judges.hexahedron import POINTS, gradients
from mesh import FACES

STEFAN_BOLTZMANN = 5.670374419e-8


def system(mesh, conductivity, capacity):
    """Conduction matrix and lumped capacities."""
    x = np.array(mesh.points)
    n = len(x)
    k, c = np.zeros((n, n)), np.zeros(n)
    for cell in mesh.cells:
        p = x[cell]
        for point in POINTS:
            shape, g, volume = gradients(p, point)
            k[np.ix_(cell, cell)] += conductivity * volume * g @ g.T
            c[cell] += capacity * volume * shape
    return k, c


def areas(mesh, faces):
    """The area that each node has of a set of plane faces."""
    x = np.array(mesh.points)
    out = np.zeros(len(x))
    for cell, side in faces:
        nodes = [mesh.cells[cell][i] for i in FACES[side]]
        p = x[nodes]
        area = 0.5 * np.linalg.norm(np.cross(p[2] - p[0], p[3] - p[1]))
        out[nodes] += area / 4  # rectangles
    return out


def value_at(mesh, values, point):
    """A field at a point within a cell of a mesh of boxes."""
    x = np.array(mesh.points)
    for cell in mesh.cells:
        low, high = x[cell].min(axis=0), x[cell].max(axis=0)
        r = (np.array(point) - low) / (high - low)
        if np.all(r >= -1e-9) and np.all(r <= 1 + 1e-9):
            a, b, c = r
            w = [(1 - a) * (1 - b) * (1 - c), a * (1 - b) * (1 - c), a * b * (1 - c), (1 - a) * b * (1 - c),
                 (1 - a) * (1 - b) * c, a * (1 - b) * c, a * b * c, (1 - a) * b * c]
            return float(np.dot(w, values[cell]))
    raise ValueError("no cell there")


def explicit(model, steps):
    case = model.case
    material = case["materials"][0]
    mesh = model.mesh()
    k, c = system(mesh, material["conductivity"], material["density"] * material["specific_heat"])
    n = len(c)
    source = np.zeros(n)
    film, film_heat, radiating = np.zeros(n), np.zeros(n), np.zeros(n)
    fixed = {}
    volume = c / (material["density"] * material["specific_heat"])
    source += case.get("body_source", 0.0) * volume
    ambient = case["ambient"]
    for b in case["boundary"]:
        area = areas(mesh, mesh.faces["outside" if b["set"] == "surface" else b["set"]])
        if "temperature" in b:
            fixed.update({i: b["temperature"] for i in mesh.nodes[b["set"]]})
        source += b.get("flux", 0.0) * area
        film += b.get("convection", 0.0) * area
        film_heat += b.get("convection", 0.0) * area * ambient
        radiating += b.get("emissivity", 0.0) * area
    t = np.full(n, case["initial_temperature"])
    at = np.array(sorted(fixed), dtype=int)
    values = np.array([fixed[i] for i in at])
    t[at] = values
    start = t.copy()
    dt = case["duration"] / steps
    for _ in range(steps):
        rate = source + film_heat - film * t - k @ t - STEFAN_BOLTZMANN * radiating * (t ** 4 - ambient ** 4)
        t = t + dt * rate / c
        t[at] = values
    out = {p["name"]: value_at(mesh, t, p["point"]) for p in case["probes"]}
    out.update(T_max=float(t.max()), T_min=float(t.min()), stored=float(np.dot(c, t - start)))
    return out
