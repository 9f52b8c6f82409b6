"""A process map: width of the melt pool over power and speed. Drawn as text."""
import numpy as np

import ingot
from plate import plate

powers = [60, 100, 140, 180]        # W
speeds = [0.02, 0.04, 0.08]         # m/s
width = np.zeros((len(powers), len(speeds)))
for i, power in enumerate(powers):
    for j, speed in enumerate(speeds):
        case = plate(power=power, speed=speed, duration=4e-3 / speed)
        width[i, j] = ingot.run(case)["melt_width_max"]

print("width of the melt pool, mm")
print("  power   " + "".join(f"{1e3 * s:7.0f} mm/s" for s in speeds))
for power, row in sorted(zip(powers, width), key=lambda p: -p[0]):
    print(f"{power:5d} W    " + "".join(f"{1e3 * w:12.2f}" for w in row))
# more power: wider; faster: narrower
assert (np.diff(width, axis=0) >= 0).all() and (np.diff(width, axis=1) <= 0).all()
assert width.max() > width.min()
