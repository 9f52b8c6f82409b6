"""Stiffness of plane designs by dense matrices, from docs/explanation/topopt.md: bilinear squares in plane stress, SIMP, cone filters,
optimality criteria."""
import numpy as np

G = 1 / np.sqrt(3)


def element(young, poisson, h, thickness):
    """Stiffness of a square of edge h in plane stress; nodes counter-clockwise from the lowest corner."""
    d = young / (1 - poisson ** 2) * np.array([[1, poisson, 0], [poisson, 1, 0], [0, 0, (1 - poisson) / 2]])
    corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
    k = np.zeros((8, 8))
    for p in corners * G:
        f = 1 + corners * p
        g = np.stack([corners[:, 0] * f[:, 1], corners[:, 1] * f[:, 0]], axis=1) / 4 * (2 / h)
        b = np.zeros((3, 8))
        b[0, 0::2], b[1, 1::2] = g[:, 0], g[:, 1]
        b[2, 0::2], b[2, 1::2] = g[:, 1], g[:, 0]
        k += b.T @ d @ b * h * h / 4 * thickness
    return k


def there(points, box):
    low, high = np.array(box["min"]), np.array(box["max"])
    return np.flatnonzero(np.all((points >= low) & (points <= high), axis=1))


def optimise(model):
    case = model.case
    nx, ny, _ = case["grid"]["elements"]
    h = case["grid"]["size"][0] / nx
    material = case["materials"][0]
    ke = element(material["young"], material["poisson"], h, case["grid"]["size"][2])
    points = np.array([[i * h, j * h] for j in range(ny + 1) for i in range(nx + 1)])
    cells = np.array([[i + j * (nx + 1), i + 1 + j * (nx + 1), i + 1 + (j + 1) * (nx + 1), i + (j + 1) * (nx + 1)]
                      for j in range(ny) for i in range(nx)])
    dofs = np.stack([2 * cells, 2 * cells + 1], axis=2).reshape(len(cells), 8)
    n = 2 * len(points)
    load = np.zeros(n)
    for e in case["loads"]:
        at = there(points, e["box"])
        load[2 * at] += e["force"][0] / len(at)
        load[2 * at + 1] += e["force"][1] / len(at)
    held = np.concatenate([np.stack([2 * a, 2 * a + 1]).ravel() for a in (there(points, e["box"]) for e in case["supports"])])
    free = np.setdiff1d(np.arange(n), held)
    centre = points[cells].mean(axis=1)
    weight = np.maximum(0, case["filter"]["radius"] - np.linalg.norm(centre[:, None] - centre[None], axis=2))
    total = weight.sum(axis=1)
    kind, p, volume = case["filter"]["kind"], case["penalty"], case["volume"]
    least = 1e-9
    move, x_min = case["optimiser"]["move_limit"], 0.0
    x = np.full(len(cells), volume)
    objective = 0.0
    for iteration in range(case["iterations"] + 1):  # the design of the last update is analysed, too
        rho = weight @ x / total if kind == "density" else x
        k = np.zeros((n, n))
        for c, d in enumerate(dofs):
            k[np.ix_(d, d)] += (least + rho[c] ** p * (1 - least)) * ke
        u = np.zeros(n)
        u[free] = np.linalg.solve(k[np.ix_(free, free)], load[free])
        energy = np.einsum("ci,ij,cj->c", u[dofs], ke, u[dofs])
        objective = float(load @ u)
        if iteration == case["iterations"]:
            break
        dc = -p * rho ** (p - 1) * (1 - least) * energy
        dv = np.ones(len(cells))
        if kind == "sensitivity":
            dc = weight @ (x * dc) / total / np.maximum(1e-3, x)
        else:
            dc, dv = weight.T @ (dc / total), weight.T @ (dv / total)
        low, high = 0.0, 1e30
        for _ in range(500):
            mid = 0.5 * (low + high) if high < 1e29 else max(2 * low, 1e-30 + np.abs(dc).max())
            new = np.clip(x * np.sqrt(np.maximum(0, -dc / (mid * dv))), np.maximum(x_min, x - move), np.minimum(1, x + move))
            used = (weight @ new / total if kind == "density" else new).mean()
            low, high = (mid, high) if used > volume else (low, mid)
            if high < 1e29 and high - low < 1e-14 * high:
                break
        x = new
    return {"objective": objective, "volume": float((weight @ x / total if kind == "density" else x).mean())}
