"""Shape functions of the eight-node hexahedron."""
import numpy as np

G = 1 / np.sqrt(3)
CORNERS = np.array([[-1, -1, -1], [1, -1, -1], [1, 1, -1], [-1, 1, -1], [-1, -1, 1], [1, -1, 1], [1, 1, 1], [-1, 1, 1]], dtype=float)
POINTS = CORNERS * G


def gradients(points, at):
    """Shape functions, their gradients in space and the volume of an integration point of weight one."""
    f = 1 + CORNERS * at
    shape = f.prod(axis=1) / 8
    local = np.stack([CORNERS[:, 0] * f[:, 1] * f[:, 2], CORNERS[:, 1] * f[:, 0] * f[:, 2], CORNERS[:, 2] * f[:, 0] * f[:, 1]], axis=1) / 8
    jacobian = local.T @ points
    return shape, np.linalg.solve(jacobian, local.T).T, float(np.linalg.det(jacobian))
