"""Natural frequencies of linear tetrahedra by dense matrices: constant strains, masses that are consistent with the shape functions."""
import numpy as np


def element(x, material):
    """Stiffness and mass of a tetrahedron with corners x."""
    edges = x[1:] - x[0]
    volume = abs(np.linalg.det(edges)) / 6
    gradient = np.zeros((4, 3))
    gradient[1:] = np.linalg.inv(edges).T
    gradient[0] = -gradient[1:].sum(axis=0)
    strain = np.zeros((6, 12))
    for a, (gx, gy, gz) in enumerate(gradient):
        strain[:, 3 * a:3 * a + 3] = [[gx, 0, 0], [0, gy, 0], [0, 0, gz], [gy, gx, 0], [0, gz, gy], [gz, 0, gx]]
    young, poisson = material["young"], material["poisson"]
    law = np.zeros((6, 6))
    law[:3, :3] = young * poisson / ((1 + poisson) * (1 - 2 * poisson))
    law[range(3), range(3)] += young / (1 + poisson)
    law[range(3, 6), range(3, 6)] = young / (2 + 2 * poisson)
    mass = material["density"] * volume / 20 * np.kron(np.ones((4, 4)) + np.eye(4), np.eye(3))
    return volume * strain.T @ law @ strain, mass


def frequencies(model):
    """The lowest ones, Hz, with the nodes of zmin held."""
    mesh, material = model.mesh(), model.case["materials"][0]
    points = np.array(mesh.points)
    stiffness, mass = np.zeros((2, 3 * len(points), 3 * len(points)))
    for cell in mesh.cells:
        k, m = element(points[cell], material)
        at = np.ix_(*[[3 * n + d for n in cell for d in range(3)]] * 2)
        stiffness[at] += k
        mass[at] += m
    held = set(mesh.nodes["zmin"])
    free = np.ix_(*[[3 * n + d for n in range(len(points)) if n not in held for d in range(3)]] * 2)
    root = np.linalg.inv(np.linalg.cholesky(mass[free]))
    found = np.linalg.eigvalsh(root @ stiffness[free] @ root.T)
    return {"mode_%d" % (i + 1): float(np.sqrt(v)) / (2 * np.pi) for i, v in enumerate(found[:3])}
