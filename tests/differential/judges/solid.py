"""Small-strain elastoplasticity by dense matrices, from docs/explanation/stress.md: eight-node hexahedra whose dilatation is its mean over the
element (B-bar), J2 plasticity with linear isotropic and kinematic hardening by radial return, Newton's method by differences of
nothing: the consistent tangent of Simo and Hughes."""
import numpy as np

from judges.hexahedron import POINTS, gradients
from mesh import FACES

ONE = np.array([1.0, 1, 1, 0, 0, 0])


def operators(mesh):
    """Per cell and point: the B-bar matrix (6 x 24, engineering shear) and the volume."""
    x = np.array(mesh.points)
    out = []
    for cell in mesh.cells:
        points = [gradients(x[cell], p) for p in POINTS]
        total = sum(v for _, _, v in points)
        mean = sum(v * g for _, g, v in points) / total  # mean gradients, 8 x 3
        row = []
        for _, g, v in points:
            b = np.zeros((6, 24))
            for a in range(8):
                b[0, 3 * a], b[1, 3 * a + 1], b[2, 3 * a + 2] = g[a]
                b[3, 3 * a:3 * a + 3] = [g[a, 1], g[a, 0], 0]
                b[4, 3 * a:3 * a + 3] = [0, g[a, 2], g[a, 1]]
                b[5, 3 * a:3 * a + 3] = [g[a, 2], 0, g[a, 0]]
                b[:3, 3 * a:3 * a + 3] += (mean[a] - g[a]) / 3
            row.append((b, v))
        out.append(row)
    return out


def update(strain, state, m):
    """Stress, consistent tangent and new state (plastic strain, back stress, equivalent plastic strain)."""
    e, nu = m["young"], m["poisson"]
    g, k = e / (2 * (1 + nu)), e / (3 * (1 - 2 * nu))
    plastic, back, equivalent = state
    deviator = np.eye(6) - np.outer(ONE, ONE) / 3
    half = np.diag([1, 1, 1, 0.5, 0.5, 0.5])
    elastic = strain - plastic  # engineering shear
    pressure = k * elastic[:3].sum()
    trial = 2 * g * (half @ deviator @ elastic)
    tangent = k * np.outer(ONE, ONE) + 2 * g * half @ deviator
    if "yield" not in m:
        return pressure * ONE + trial, tangent, state
    h, c = m.get("hardening", 0.0), m.get("kinematic", 0.0)
    relative = trial - back
    norm = np.sqrt(relative[:3] @ relative[:3] + 2 * relative[3:] @ relative[3:])
    f = norm - np.sqrt(2 / 3) * (m["yield"] + h * equivalent)
    if f <= 0:
        return pressure * ONE + trial, tangent, state
    gamma = f / (2 * g + 2 * (h + c) / 3)
    n = relative / norm
    step = gamma * n * np.array([1, 1, 1, 2, 2, 2])
    stress = pressure * ONE + trial - 2 * g * gamma * n
    theta = 1 - 2 * g * gamma / norm
    bar = 1 / (1 + (h + c) / (3 * g)) - (1 - theta)
    tangent = k * np.outer(ONE, ONE) + 2 * g * theta * half @ deviator - 2 * g * bar * np.outer(n, n)
    return stress, tangent, (plastic + step, back + 2 / 3 * c * gamma * n, equivalent + np.sqrt(2 / 3) * gamma)


def face_loads(mesh, faces, pressure, out):
    x = np.array(mesh.points)
    for cell, side in faces:
        nodes = [mesh.cells[cell][i] for i in FACES[side]]
        p = x[nodes]
        normal = 0.5 * np.cross(p[2] - p[0], p[3] - p[1])
        centre = x[mesh.cells[cell]].mean(axis=0)
        if np.dot(normal, p.mean(axis=0) - centre) < 0:
            normal = -normal
        for n in nodes:  # rectangles: a quarter each
            out[3 * n:3 * n + 3] -= pressure * normal / 4


def analyse(model):
    case = model.case
    mesh = model.mesh()
    n = 3 * len(mesh.points)
    if n > 700:
        return None
    materials = [case["materials"][0]] * len(mesh.cells)
    for m in case["materials"][1:]:
        for c in mesh.parts[m["set"]]:
            materials[c] = m
    load, fixed = np.zeros(n), {}
    for e in case.get("loads", []):
        if "total" in e:
            for a, share in mesh.shares(e["set"]).items():
                load[3 * a:3 * a + 3] += np.array(e["total"]) * share
        if "pressure" in e:
            face_loads(mesh, mesh.faces[e["set"]], e["pressure"], load)
    for e in case["supports"]:
        which = "xyz" if e.get("fix") == "all" else e.get("components", "xyz")
        for a in mesh.nodes[e["set"]]:
            for d, axis in enumerate("xyz"):
                if axis in which:
                    fixed[3 * a + d] = e.get("displacement", [0, 0, 0])[d]
    b = operators(mesh)
    dofs = [np.array([3 * a + d for a in cell for d in range(3)]) for cell in mesh.cells]
    state = [[(np.zeros(6), np.zeros(6), 0.0)] * 8 for _ in mesh.cells]
    at = np.array(sorted(fixed))
    values = np.array([fixed[i] for i in at])
    free = np.setdiff1d(np.arange(n), at)
    u = np.zeros(n)
    steps = case["phases"][0].get("steps", 1)
    for step in range(steps):  # loads and displacements grow over the steps of the phase
        share = (step + 1) / steps
        u[at] = share * values
        old = state
        for iteration in range(60):
            k, inner = np.zeros((n, n)), np.zeros(n)
            state, stress = [], []
            for c, cell in enumerate(mesh.cells):
                ue = u[dofs[c]]
                new, sigma = [], []
                ke, fe = np.zeros((24, 24)), np.zeros(24)
                for q, (bq, v) in enumerate(b[c]):
                    s, d, after = update(bq @ ue, old[c][q], materials[c])
                    fe += v * bq.T @ s
                    ke += v * bq.T @ d @ bq
                    new.append(after)
                    sigma.append((s, v))
                k[np.ix_(dofs[c], dofs[c])] += ke
                inner[dofs[c]] += fe
                state.append(new)
                stress.append(sigma)
            residual = (share * load - inner)[free]
            size = np.abs(inner).max() + np.abs(load).max()
            if np.abs(residual).max() <= 1e-11 * size:
                break
            u[free] += np.linalg.solve(k[np.ix_(free, free)], residual)
        else:
            return None  # the judge has no answer
    return figures(model, mesh, u, inner - load, stress, state)


def figures(model, mesh, u, reaction, stress, state):
    x = np.array(mesh.points)
    out = {}
    names = {"sxx": 0, "syy": 1, "szz": 2, "sxy": 3, "syz": 4, "szx": 5}
    centres = np.array([x[c].mean(axis=0) for c in mesh.cells])
    for p in model.case["probes"]:
        q = p["quantity"]
        if q[0] == "u" and len(q) == 2:
            node = int(np.argmin(((x - np.array(p["point"])) ** 2).sum(axis=1)))
            out[p["name"]] = float(u[3 * node + "xyz".index(q[1])])
        elif q[0] == "f" and len(q) == 2:
            out[p["name"]] = float(sum(reaction[3 * a + "xyz".index(q[1])] for a in mesh.nodes[p["set"]]))
        elif q in names:
            cell = int(np.argmin(((centres - np.array(p["point"])) ** 2).sum(axis=1)))
            total = sum(v for _, v in stress[cell])
            out[p["name"]] = float(sum(v * s[names[q]] for s, v in stress[cell]) / total)
    return out
