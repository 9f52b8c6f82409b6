"""Linear elastodynamics of hexahedra by dense matrices: lumped masses, central differences; statics by a direct solution."""
import numpy as np

from judges.hexahedron import POINTS, gradients
from judges.solid import face_loads, operators, update


def analyse(model, steps):
    case = model.case
    mesh = model.mesh()
    n = 3 * len(mesh.points)
    if n > 900:
        return None
    material = case["materials"][0]
    _, tangent, _ = update(np.zeros(6), (np.zeros(6), np.zeros(6), 0.0), {k: material[k] for k in ("young", "poisson")})
    k, mass = np.zeros((n, n)), np.zeros(len(mesh.points))
    x = np.array(mesh.points)
    for cell, points in zip(mesh.cells, operators(mesh)):
        d = np.array([3 * a + i for a in cell for i in range(3)])
        k[np.ix_(d, d)] += sum(v * b.T @ tangent @ b for b, v in points)
        for p in POINTS:
            shape, _, volume = gradients(x[cell], p)
            mass[cell] += material["density"] * volume * shape
    m = np.repeat(mass, 3)
    load = np.zeros(n)
    shapes = []
    for e in case.get("loads", []):
        one = np.zeros(n)
        if "total" in e:
            for a, share in mesh.shares(e["set"]).items():
                one[3 * a:3 * a + 3] += np.array(e["total"]) * share
        if "pressure" in e:
            face_loads(mesh, mesh.faces[e["set"]], e["pressure"], one)
        if "history" in e:
            shapes.append((one, np.array(e["history"])))
        else:
            load += one
    if "gravity" in case:
        load += m * np.tile(case["gravity"]["acceleration"], len(mass))
    held = np.array([3 * a + i for s in case.get("supports", []) for a in mesh.nodes[s["set"]] for i in range(3)], dtype=int)
    free = np.setdiff1d(np.arange(n), held)
    u = np.zeros(n)
    if model.judge["kind"] == "static":
        total = load + sum(one * h[-1, 1] for one, h in shapes)
        u[free] = np.linalg.solve(k[np.ix_(free, free)], total[free])
        force = k @ u - total
    else:
        v = np.zeros(n)
        for e in case.get("initial", []):
            for a in mesh.nodes[e["set"]] if "set" in e else range(len(mass)):
                v[3 * a:3 * a + 3] = e["velocity"]
        dt = case["analysis"][0]["time_step"]
        # the velocity stands half a step behind
        def inner(t):
            return load + sum(one * np.interp(t, h[:, 0], h[:, 1]) for one, h in shapes) - k @ u
        v = v - 0.5 * dt * inner(0.0) / m
        v[held] = 0
        for i in range(steps):
            f = inner(i * dt)
            v = v + dt * f / m
            v[held] = 0
            u = u + dt * v
        force = -inner(steps * dt)
    out = {}
    for p in case["probes"]:
        q = p["quantity"]
        if q[0] == "u":
            node = int(np.argmin(((x - np.array(p["point"])) ** 2).sum(axis=1)))
            out[p["name"]] = float(u[3 * node + "xyz".index(q[1])])
        elif model.judge["kind"] == "static":
            out[p["name"]] = float(sum(force[3 * a + "xyz".index(q[1])] for a in mesh.nodes[p["set"]]))
    return out
