"""Finds the absorptivity and the cooling of a plate from a thermocouple curve, with SciPy.

The measurement is made here, with known values and a noise of 2 K, so that the answer can be
checked. Replace `measured` by your own curve.
"""
import sys

import numpy as np

import ingot
from plate import plate

try:
    from scipy.optimize import least_squares
except ImportError:
    print("this example needs SciPy (Debian: python3-scipy)")
    sys.exit(77)

THERMOCOUPLE = [4e-3, 0.5e-3, 1e-3]


def curve(absorptivity, cooling, times=np.arange(0.02, 0.401, 0.02)):
    """Temperature at the thermocouple at these times."""
    case = ingot.Case.from_dict(plate(duration=0.4))
    case["materials[0].absorptivity"] = absorptivity
    case["boundary[0].convection"] = cooling
    with ingot.Simulation(case) as s:
        node = np.linalg.norm(s.mesh().points - THERMOCOUPLE, axis=1).argmin()
        values = []
        for t in times:
            s.until(t)
            values.append(s["T"][node])
    return np.array(values)


true = 0.62, 20e3
measured = curve(*true) + np.random.default_rng(1).normal(0, 2.0, 20)
fit = least_squares(lambda p: curve(*p) - measured, x0=[0.4, 5e3], x_scale=[0.1, 5e3],
                    bounds=([0.05, 10.0], [1.0, 1e5]), diff_step=1e-3)
deviation = np.sqrt(np.diag(np.linalg.inv(fit.jac.T @ fit.jac))) * 2.0  # of 2 K noise
for name, value, sigma, right in zip(("absorptivity", "cooling W/(m2 K)"), fit.x, deviation, true):
    print(f"{name}: {value:.4g} +- {sigma:.2g}, made with {right:g}")
print(f"{fit.nfev} evaluations, remaining difference {np.sqrt(np.mean(fit.fun**2)):.2f} K")
assert np.all(np.abs(fit.x - true) < 4 * deviation)
