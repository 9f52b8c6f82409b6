"""Plane elastodynamics of linear triangles by dense matrices, from docs/explanation/fracture.md."""
import numpy as np


def analyse(model, base):
    case = model.case
    box = case["mesh"]["boxes"][0]
    (nx, ny), size = box["cells"], box["size"]
    points = np.array([[size[0] * i / nx, size[1] * j / ny] for j in range(ny + 1) for i in range(nx + 1)])
    cells = []
    for j in range(ny):
        for i in range(nx):
            a = i + j * (nx + 1)
            b, c, d = a + 1, a + nx + 2, a + nx + 1
            cells += [[a, b, c], [a, c, d]]  # cut along the diagonal from the lowest corner
    material = case["materials"][0]
    e, nu, t = material["young"], material["poisson"], case["thickness"]
    if case["plane"] == "strain":
        e, nu = e / (1 - nu ** 2), nu / (1 - nu)
    d = e / (1 - nu ** 2) * np.array([[1, nu, 0], [nu, 1, 0], [0, 0, (1 - nu) / 2]])
    n = 2 * len(points)
    k, mass = np.zeros((n, n)), np.zeros(len(points))
    for cell in cells:
        p = points[cell]
        area = 0.5 * abs((p[1, 0] - p[0, 0]) * (p[2, 1] - p[0, 1]) - (p[2, 0] - p[0, 0]) * (p[1, 1] - p[0, 1]))
        g = np.linalg.inv(np.column_stack([np.ones(3), p]))[1:]  # gradients of the shape functions, 2 x 3
        b = np.zeros((3, 6))
        b[0, 0::2], b[1, 1::2] = g
        b[2, 0::2], b[2, 1::2] = g[1], g[0]
        at = np.stack([2 * np.array(cell), 2 * np.array(cell) + 1], axis=1).ravel()
        k[np.ix_(at, at)] += b.T @ d @ b * area * t
        mass[cell] += material["density"] * area * t / 3
    m = np.repeat(mass, 2)
    u, v = np.zeros(n), np.zeros(n)
    for entry in case.get("initial", []):
        u[0::2] = entry["strain"][0] * points[:, 0]
    left = np.flatnonzero(points[:, 0] < 1e-9)
    right = np.flatnonzero(points[:, 0] > size[0] - 1e-9)
    led = {}
    for s in case["supports"]:
        nodes = left if s["set"] == "xmin" else right
        for a in nodes:
            if s.get("fix") == "all":
                led[2 * a], led[2 * a + 1] = 0.0, 0.0
            elif "fix" in s:
                led[2 * a] = 0.0
            else:
                led[2 * a] = s["velocity"][0]
    at = np.array(sorted(led))
    value = np.array([led[i] for i in at])
    steps = int(base["#steps"])
    dt = base["time"] / steps
    v = 0.5 * dt * (k @ u) / m  # half a step back, from rest
    v[at] = value
    for _ in range(steps):
        v = v - dt * (k @ u) / m
        v[at] = value
        u = u + dt * v
    out = {}
    for p in case["probes"]:
        if p["quantity"][0] == "u":
            a = int(np.argmin(((points - np.array(p["point"])) ** 2).sum(axis=1)))
            out[p["name"]] = float(u[2 * a + "xy".index(p["quantity"][1])])
    return out
