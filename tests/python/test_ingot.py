"""The Python package against the command line, by hand calculations, and under misuse."""
import filecmp
import logging
import os
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import numpy as np

import ingot
from ingot._core import Context, lib

PLATE = {
    "physics": "thermal",
    "mesh": {"boxes": [{"size": ["6 mm", "4 mm", 1e-3], "cells": [8, 6, 4]}]},
    "materials": [{"name": "steel", "density": 7950, "conductivity": 25, "specific_heat": 600}],
    "boundary": [{"set": "zmin", "temperature": 300}],
    "initial_temperature": 500,
    "duration": 0.2,
    "output": {"count": 3},
}
TEXT = """physics: thermal
mesh: {boxes: [{size: [6 mm, 4 mm, 1 mm], cells: [8, 6, 4]}]}
materials: [{name: steel, density: 7950, conductivity: 25, specific_heat: 600}]
boundary: [{set: zmin, temperature: 300 K}]
initial_temperature: 500 K
duration: 0.2 s
output: {count: 3}
"""


def open_plate(**options):
    return ingot.Simulation(PLATE, threads=1, **options)


class Folder(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as f:
            f.write(text)
        return self.path(name)


class Bits(Folder):
    def test_same_files_as_the_command_line(self):
        case = self.write("plate.yaml", TEXT)
        subprocess.run([os.environ["INGOT"], "run", case, "-q", "-t", "1", "-b", "cpu", "-o", self.path("cli")], check=True)
        ingot.run(case, out=self.path("run"), threads=1, backend="cpu")
        with ingot.Simulation(case, out=self.path("sim"), threads=1, backend="cpu") as s:
            for s in s.every(7):
                s["T"].max()
            s.finish()
        names = [n for n in sorted(os.listdir(self.path("cli"))) if n.startswith("snap_") or n == "history.csv"]
        self.assertGreaterEqual(len(names), 4)
        for other in ("run", "sim"):
            for name in names:
                self.assertTrue(filecmp.cmp(self.path("cli/" + name), self.path(f"{other}/{name}"), shallow=False), (other, name))

    def test_dict_is_the_file(self):
        with open_plate() as a, ingot.Simulation(self.write("plate.yaml", TEXT), threads=1) as b:
            a.run()
            b.run()
            self.assertTrue((a["T"] == b["T"]).all())

    def test_restored_state_goes_on_to_the_same_bits(self):
        with open_plate() as s:
            s.step(2)
            state = s.save()
            s.step(3)
            first = s["T"].copy()
            s.restore(state)
            s.step(3)
            self.assertTrue((s["T"] == first).all())


class Fields(unittest.TestCase):
    def test_stale_fields_raise(self):
        s = open_plate()
        T = s["T"]
        kept, raw = T.copy(), T.view()
        self.assertFalse(raw.flags.writeable)
        self.assertFalse(T.copied)
        self.assertTrue(np.shares_memory(raw, T.view()))
        self.assertFalse(np.shares_memory(raw, np.asarray(T)))
        s.step(1)
        for use in (lambda: T.max(), T.copy, lambda: T + 1, lambda: T[0], lambda: np.mean(T), lambda: np.asarray(T)):
            self.assertRaises(ingot.StaleViewError, use)
        self.assertEqual(kept.max(), 500)
        T = s["T"]
        s.close()
        self.assertRaises(ingot.StaleViewError, lambda: T.max())
        self.assertTrue(np.isfinite(raw).all())  # its memory is still there
        self.assertRaises(ValueError, lambda: s.time)

    def test_set_and_read_only(self):
        with open_plate() as s:
            s["T"] = 700.0
            self.assertEqual(s["T"][5], 700)
            with self.assertRaises(TypeError):
                s["T"][5] = 1
            with self.assertRaises(ValueError):
                s["T"] = np.zeros(7)
            self.assertEqual(s.fields["T"].unit, "K")

    def test_mean_follows_the_heat_that_left(self):
        with open_plate() as s:
            s.run()
            figures = s.finish()
        self.assertLess(abs(figures["energy_gap"]), 1e-9 * abs(figures["held"]))

    def test_one_simulation_per_case(self):
        with open_plate() as s:
            self.assertRaises(RuntimeError, ingot.Simulation, s.case)


class Meshes(Folder):
    def test_bar_pulled(self):
        n, h, young, force = 10, 0.1, 210e9, 1e6
        x = np.array([[i * h, h * (k in (1, 2)), h * (k > 1)] for i in range(n + 1) for k in range(4)])
        conn = np.arange(4 * n).reshape(n, 4)
        mesh = ingot.Mesh(x, [("hexahedron", np.hstack([conn, conn + 4]))],
                          node_sets={"root": range(4), "end": range(4 * n, 4 * n + 4)})
        self.assertTrue(np.allclose(mesh.measures(), h**3))
        with ingot.Simulation({
                "physics": "dynamics", "mesh": mesh,
                "materials": [{"name": "steel", "density": 7850, "poisson": 0, "young": young}],
                "supports": [{"set": "root", "fix": "xyz"}],
                "loads": [{"set": "end", "total": [force, 0, 0]}],
                "analysis": [{"kind": "static", "tolerance": 1e-6}]}, threads=1) as s:
            s.run()
            self.assertTrue((s.mesh().points == x).all())
            self.assertAlmostEqual(s["displacement"][-1, 0] / (force / h**2 / young * n * h), 1, delta=0.01)
        mesh.write(self.path("bar.vtkhdf"))
        back = ingot.Mesh.read(self.path("bar.vtkhdf"))
        self.assertTrue((back.points == x).all() and (back.cells[0][1] == mesh.cells[0][1]).all())
        self.assertEqual(len(mesh.keep(np.arange(n) < 4)), 4)

    def test_bad_numbers(self):
        points = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
        self.assertRaises(ValueError, ingot.Mesh, points, [("tetra", [[0, 1, 2, 4]])])
        self.assertRaises(ValueError, ingot.Mesh, points, [("pyramid", [[0, 1, 2, 3]])])
        self.assertRaises(ingot.InputError, ingot.Mesh, points, [("tetra", [[0, 2, 1, 3]])])


class Errors(Folder):
    def test_place(self):
        path = self.write("bad.yaml", "physics: thermal\ndurration: 3 s\n")
        with self.assertRaises(ingot.InputError) as e:
            ingot.check(path)
        self.assertIsInstance(e.exception, ValueError)
        self.assertEqual((e.exception.path, e.exception.line, e.exception.column), (path, 2, 1))

    def test_each_status(self):
        context = Context("cpu")
        for status, kind, base in ((lib.IG_INPUT, ingot.InputError, ValueError),
                                   (lib.IG_ARG, ingot.ArgumentError, ValueError),
                                   (lib.IG_MEMORY, ingot.OutOfMemoryError, MemoryError),
                                   (lib.IG_IO, ingot.FileError, OSError),
                                   (lib.IG_DEVICE, ingot.DeviceError, RuntimeError),
                                   (lib.IG_NUMERIC, ingot.NumericalError, ArithmeticError),
                                   (lib.IG_UNSUPPORTED, ingot.UnsupportedError, NotImplementedError),
                                   (lib.IG_INTERRUPTED, ingot.Interrupted, ingot.IngotError)):
            with self.assertRaises(kind) as e:
                context.fail(status)
            self.assertIsInstance(e.exception, base)

    def test_as_they_come(self):
        with open_plate() as s:
            self.assertRaises(ingot.ArgumentError, s.step, -1)
            self.assertRaises(ingot.InputError, lambda: s["nope"])
            s.interrupt()
            self.assertRaises(ingot.Interrupted, s.step, 3)
            self.assertEqual(s.step(2), 2)
        self.assertRaises(ingot.FileError, ingot.run, PLATE, out="/proc/no/out")
        self.assertRaises(ingot.InputError, ingot.run, PLATE, set={"duration": "3 m"})
        self.assertRaises(TypeError, ingot.run, PLATE, set={"duration": object()})

    def test_exception_in_progress_stops_the_run(self):
        def progress(done, total, unit, note):
            raise ZeroDivisionError("mine")
        self.assertRaises(ZeroDivisionError, ingot.run, PLATE, threads=1, progress=progress)

    def test_log(self):
        with self.assertLogs("ingot", logging.INFO) as log:
            ingot.run(PLATE, threads=1)
        self.assertIn("thermal", log.output[0])


class Life(Folder):
    def test_open_and_close_without_growth(self):
        def go(count):
            for _ in range(count):
                with open_plate() as s:
                    s["T"].max()
        go(200)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        go(800)
        self.assertLess(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before, 4096)  # KiB

    def test_ctrl_c_leaves_a_checkpoint(self):
        code = ("import ingot, sys\n"
                "def p(*a): print('.', flush=True)\n"
                f"try: ingot.run({PLATE!r}, out=sys.argv[1], threads=1, progress=p, set={{'duration': 1e5}})\n"
                "except KeyboardInterrupt: sys.exit(7)\n")
        run = subprocess.Popen([sys.executable, "-c", code, self.path("out")], stdout=subprocess.PIPE)
        run.stdout.readline()
        run.send_signal(signal.SIGINT)
        run.stdout.read()
        run.stdout.close()
        self.assertEqual(run.wait(60), 7)
        self.assertTrue(os.path.exists(self.path("out/checkpoint.h5")))

    def test_other_threads_go_on_and_are_kept_out(self):
        with ingot.Simulation(PLATE, threads=1, set={"duration": 1e5}) as s:
            caught = []

            def work():
                try:
                    s.run()
                except ingot.Interrupted as e:
                    caught.append(e)
            thread = threading.Thread(target=work)
            thread.start()
            time.sleep(0.2)
            self.assertTrue(thread.is_alive())  # and this thread is, too: the lock was released
            self.assertRaises(RuntimeError, s.step)
            s.interrupt()
            thread.join(60)
            self.assertEqual(len(caught), 1)


class Results(Folder):
    def test_read_back(self):
        result = ingot.run(PLATE, out=self.path("out"), threads=1)
        self.assertEqual(result.history["T_max"][0], 500)
        self.assertEqual(result.history_units["T_max"], "K")
        self.assertEqual(len(result.snapshots), 4)
        self.assertIn("data:image/png;base64,", result._repr_html_())
        self.assertGreater(os.path.getsize(result.report()), 1000)
        try:
            import h5py  # noqa: F401
        except ImportError:
            return
        self.assertEqual(result.snapshots[0]["T"].max(), 500)
        self.assertAlmostEqual(result.snapshots[-1].time, 0.2)

    def test_nothing_there(self):
        self.assertRaises(FileNotFoundError, ingot.Result, self.path("none"))


if __name__ == "__main__":
    unittest.main()
