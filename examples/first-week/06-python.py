"""Python: a run that is stepped, watched and steered: the beam is weakened when a point gets too hot.

    ingot new print -o print-wall.yaml && python3 06-python.py
"""
import ingot

case = ingot.Case("print-wall.yaml")
with ingot.Simulation(case) as run:
    hottest, weakened = 0.0, False
    while not run.ended and run.time < 2.0:
        run.step(10)
        hottest = max(hottest, run["T"].max())
        if run["T"].max() > 2200 and not weakened:
            run.load(0, 0.8)  # beam 0 at 80 % from the next step on
            weakened = True
    print(f"hottest point of the first {run.time:.2f} s: {hottest:.0f} K, weakened: {weakened}")
assert hottest > 1700
