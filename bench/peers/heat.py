#!/usr/bin/env python3
"""A heat step on a grid of bricks: numpy, scipy, CuPy or JAX beside Ingot.

    heat.py --with numpy|scipy|cupy|jax [--backend cpu|cuda] [--cells 96] [--steps 40] [--repeats 3]

Trilinear bricks with lumped mass, insulated, a hot block inside, explicit steps in single precision. All use
the same discrete form, so that temperatures agree to rounding: M dT/dt = -K T with K = k (Kx My Mz + Mx Ky Mz + Mx My Kz)
of the one-dimensional matrices. numpy, CuPy and JAX apply these three by three; scipy multiplies by the assembled
matrix (27 entries a row). Times are those of the steps alone: processor time on a CPU (a run of all steps less one of
one step), which other work on the machine disturbs least; on a GPU the clock on the wall.
"""

import argparse
import os
import time

import numpy

import peers

EDGE, CONDUCTIVITY, CAPACITY = 1e-3, 20.0, 4e6  # m, W/(m K), J/(m^3 K)
COLD, HOT = 300.0, 1000.0


def start(n):
    """Nodes of the block from 0.25 to 0.5 of each side are hot; planes between nodes bound it."""
    T = numpy.full((n + 1,) * 3, COLD, numpy.float32)
    low, high = n // 4, n // 2
    T[low : high + 1, low : high + 1, low : high + 1] = HOT
    return T


def probes(n):
    return [(n // 2, n // 2, n // 2), (n // 2 + 2, n // 3, n // 3), (n // 4, n // 4, n // 4 - 1)]


def case(n, steps, dt):
    low, high = (n // 4 - 0.5) * EDGE, (n // 2 + 0.5) * EDGE
    points = "\n".join("  - {name: p%d, point: [%.9g, %.9g, %.9g]}" % ((i,) + tuple(EDGE * c for c in p)) for i, p in enumerate(probes(n)))
    return f"""physics: thermal
precision: single
mesh:
  boxes: {{size: [{n * EDGE}, {n * EDGE}, {n * EDGE}], cells: [{n}, {n}, {n}]}}
  sets: [{{name: hot, of: nodes, box: {{min: [{low}, {low}, {low}], max: [{high}, {high}, {high}]}}}}]
materials: [{{name: m, density: 1000, specific_heat: {CAPACITY / 1000}, conductivity: {CONDUCTIVITY}}}]
initial_temperature: {COLD}
initial: [{{set: hot, temperature: {HOT}}}]
duration: {steps * dt!r}
time_step: {dt!r}
track_every: 0
probes:
{points}
output: {{count: 0, history_every: {steps}}}
"""


def factors(n):
    """Diagonals and off-diagonals of the one-dimensional matrices, and lumped masses."""
    ends = numpy.full(n + 1, 2.0)
    ends[[0, -1]] = 1.0
    return (ends / EDGE, -1 / EDGE), (ends * EDGE / 3, EDGE / 6), ends * EDGE / 2


def slices(xp, n, dt):
    """One step with arrays of numpy, CuPy or JAX."""
    stiff, mass, lump = factors(n)
    along = lambda v, axis: xp.asarray(v.astype(numpy.float32).reshape([-1 if d == axis else 1 for d in range(3)]))
    K = [(along(stiff[0], d), numpy.float32(stiff[1])) for d in range(3)]
    M = [(along(mass[0], d), numpy.float32(mass[1])) for d in range(3)]
    weight = lump[:, None, None] * lump[None, :, None] * lump[None, None, :]
    factor = xp.asarray((-dt * CONDUCTIVITY / CAPACITY / weight).astype(numpy.float32))

    def apply(pair, T, axis):
        pad = [(1, 1) if d == axis else (0, 0) for d in range(3)]
        wide = xp.pad(T, pad)
        at = lambda a: wide[tuple(slice(a, a + n + 1) if d == axis else slice(None) for d in range(3))]
        return pair[0] * T + pair[1] * (at(0) + at(2))

    def step(T):
        x, y = apply(M[0], T, 0), apply(M[1], T, 1)
        heat = apply(M[2], apply(K[0], y, 0) + apply(K[1], x, 1), 2) + apply(K[2], apply(M[1], x, 1), 2)
        return T + factor * heat

    return step


def assembled(n, dt):
    """One step with scipy's sparse matrix."""
    from scipy import sparse

    stiff, mass, lump = factors(n)
    line = lambda p: sparse.diags([p[0], p[1] * numpy.ones(n), p[1] * numpy.ones(n)], [0, 1, -1])
    K, M = line(stiff), line(mass)
    kron = lambda a, b, c: sparse.kron(sparse.kron(a, b), c)
    A = kron(K, M, M) + kron(M, K, M) + kron(M, M, K)
    weight = numpy.kron(numpy.kron(lump, lump), lump)
    A = (sparse.diags(-dt * CONDUCTIVITY / CAPACITY / weight) @ A).tocsr().astype(numpy.float32)
    return lambda T: T + A @ T


def peer(name, n, steps, dt, now):
    """Seconds of the steps by the clock `now`, temperatures at the probes."""
    T = start(n)
    if name == "jax":
        if now is time.process_time:
            os.environ["JAX_PLATFORMS"] = "cpu"  # where there is a GPU, it would be taken
        import jax
        import jax.numpy as xp

        once = slices(xp, n, dt)
        many = jax.jit(lambda T: jax.lax.fori_loop(0, steps, lambda i, T: once(T), T))
        T = xp.asarray(T)
        many(T).block_until_ready()  # compiled and warm
        begin = now()
        T = many(T)
        T.block_until_ready()
        seconds = now() - begin
    elif name == "cupy":
        import cupy as xp

        once, T = slices(xp, n, dt), xp.asarray(T)
        once(T)
        xp.cuda.Device().synchronize()
        begin = now()
        for _ in range(steps):
            T = once(T)
        xp.cuda.Device().synchronize()
        seconds = now() - begin
        T = T.get()
    else:
        flat = name == "scipy"
        once = assembled(n, dt) if flat else slices(numpy, n, dt)
        T = T.ravel() if flat else T
        begin = now()
        for _ in range(steps):
            T = once(T)
        seconds = now() - begin
        T = T.reshape((n + 1,) * 3)
    return seconds, [float(T[p]) for p in probes(n)]


def main():
    arg = argparse.ArgumentParser()
    arg.add_argument("--with", dest="name", required=True, choices=["numpy", "scipy", "cupy", "jax"])
    arg.add_argument("--backend", default="cpu")
    arg.add_argument("--threads", type=int, default=1)
    arg.add_argument("--cells", type=int, default=96)
    arg.add_argument("--steps", type=int, default=40)
    arg.add_argument("--repeats", type=int, default=3)
    a = arg.parse_args()
    n, dt = a.cells, 0.1 * EDGE**2 * CAPACITY / CONDUCTIVITY
    device, theirs, ours = a.backend != "cpu", [], []
    for _ in range(a.repeats):
        seconds, T = peer(a.name, n, a.steps, dt, time.perf_counter if device else time.process_time)
        theirs.append(1e9 * seconds / (a.steps * n**3))
        with peers.folder() as folder:
            short = None if device else peers.Ingot(case(n, 1, dt), folder, a.backend, a.threads)
            run = peers.Ingot(case(n, a.steps, dt), folder, a.backend, a.threads)
        seconds = run.solve if device else run.cpu - short.cpu
        if not device and seconds < 0.2 * short.cpu:
            raise SystemExit("the steps are too short beside the set-up (%.3g and %.3g s): take more of them" % (seconds, short.cpu))
        ours.append(1e9 * seconds / ((run.steps - (not device)) * n**3))
    if run.steps != a.steps:
        raise SystemExit("Ingot took %d steps, not %d" % (run.steps, a.steps))
    for i, t in enumerate(T):
        # both round in single precision, about one unit in the last place each step
        peers.agree("T at probe %d, K" % i, run.last["p%d" % i], t, 6e-8 * HOT * a.steps)
    peers.ratio("heat, %d^3 bricks, %d steps, %s" % (n, a.steps, a.backend), a.name, theirs, ours, "ns per element-step")


if __name__ == "__main__":
    main()
