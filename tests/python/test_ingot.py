"""The Python package against the command line, by hand calculations, and under misuse."""
import contextlib
import filecmp
import gc
import io
import logging
import os
import pickle
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
import types
import unittest
import warnings

import numpy as np

import ingot
import ingot._core
import ingot.exchange
from ingot._core import Context, lib

# every function of the C library that is called in these tests is noted
reached = set()


class Noting:
    def __getattr__(self, name):
        reached.add(name)
        return getattr(lib, name)


for module in list(sys.modules.values()):
    if module.__name__.startswith("ingot"):
        for name in ("lib", "_lib"):
            if getattr(module, name, None) is lib:
                setattr(module, name, Noting())

PLATE = {
    "physics": "thermal",
    "mesh": {"boxes": [{"size": ["6 mm", "4 mm", "1 mm"], "cells": [8, 6, 4]}]},
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


BAR = {
    "physics": "dynamics",
    "mesh": {"boxes": {"size": ["8 mm", "2 mm", "2 mm"], "cells": [4, 1, 1]}},
    "materials": {"name": "steel", "density": 7850, "young": "210 GPa", "poisson": 0.3},
    "supports": {"set": "xmin", "fix": "all"},
    "loads": {"set": "xmax", "force": [0, 0, -10]},
    "analysis": {"duration": 5e-6},
}
SKIPPED = {  # on the command line only
    "ig_path_open", "ig_path_of_case", "ig_path_close", "ig_path_describe", "ig_path_write", "ig_path_draw",
    "ig_mesh_file_unit", "ig_reference", "ig_schema", "ig_completion", "ig_explain", "ig_materials", "ig_chain_check", "ig_case_upgrade", "ig_sweep_open",
    "ig_sweep_close", "ig_sweep_count", "ig_sweep_at", "ig_sweep_results", "ig_ranks_mpi", "ig_ranks_threads",
    "ig_ranks_close", "ig_ranks_rank", "ig_ranks_count", "ig_ranks_local", "ig_ranks_transport", "ig_ranks_agree", "ig_ranks_divide",
    "ig_ranks_gpu", "ig_ranks_gpu_try", "ig_ranks_ipc", "ig_deck_is", "ig_deck_import", "ig_deck_open",
    "ig_sample", "ig_sensitivity", "ig_dataset", "ig_assimilate", "ig_is_calibration",
    "ig_room_add", "ig_law_add", "ig_room_fail", "ig_solver_open", "ig_solver_close", "ig_solver_set_coefficient", "ig_solver_apply", "ig_solver_solve",
    "ig_result_extremes", "ig_result_join", "ig_result_probe", "ig_view_range", "ig_figure_text",
    # what Python does by itself: values as text, sets and elements as arrays, fields as views
    "ig_case_set_real", "ig_case_set_int", "ig_case_set_text", "ig_case_set_reals", "ig_mesh_find_set",
    "ig_mesh_element", "ig_elem_face", "ig_run", "ig_sim_get", "ig_sim_show", "ig_folder_inspect",
    # called when an object goes, through a name taken before these tests
    "ig_ctx_close", "ig_version", "ig_build_info",
    # of texts that go to a terminal
    "ig_printable",
}


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

    def test_state_of_another_case_is_refused_by_its_key(self):
        with open_plate() as s:
            s.step(2)
            state = s.save()
        with open_plate(set={"initial_temperature": 400.0}) as s:
            with self.assertRaisesRegex(ingot.IngotError, "'initial_temperature' in the case was another"):
                s.restore(state)
            s.step(1)


class Pickles(unittest.TestCase):
    def test_a_case_is_the_same_elsewhere(self):
        case = ingot.Case(PLATE, threads=1, set={"initial_temperature": 350.0})
        case["title"] = "one"
        case["title"] = "two"
        again = pickle.loads(pickle.dumps(case))
        self.assertEqual(again["title"], "two")
        with ingot.Simulation(case) as a, ingot.Simulation(again) as b:
            a.step(3)
            b.step(3)
            self.assertTrue((a["T"] == b["T"]).all())
            with self.assertRaisesRegex(TypeError, "cannot be pickled"):
                pickle.dumps(a)

    def test_a_state_goes_on_elsewhere(self):
        """Case and state in a process that was started anew: the same bits, with the factor of a load."""
        case = ingot.Case(PLATE, threads=1)
        with ingot.Simulation(case) as s:
            s.support(0, 1.1)
            s.step(2)
            packed = pickle.dumps((case, s.save()))
            s.step(3)
            end = s["T"].copy()
        code = """if True:
            import pickle, sys, ingot
            case, state = pickle.load(sys.stdin.buffer)
            with ingot.Simulation(case) as s:
                s.restore(state)
                s.step(3)
                pickle.dump((s.steps, s["T"].copy()), sys.stdout.buffer)
            """
        done = subprocess.run([sys.executable, "-c", code], input=packed, stdout=subprocess.PIPE, timeout=120, check=True)
        steps, there = pickle.loads(done.stdout)
        self.assertEqual(steps, 5)
        self.assertTrue((there == end).all())
        state = pickle.loads(packed)[1]
        self.assertRegex(repr(state), r"^<ingot\.State of \d+ bytes>$")
        _, (whole,) = state.__reduce__()
        with self.assertRaisesRegex(ingot.InputError, "damaged"):
            ingot.State._unpack(whole[:-1])

    def test_a_mesh_with_its_sets(self):
        points = [[x, y, z] for z in (0, 1) for y in (0, 1) for x in (0, 1)]
        mesh = ingot.Mesh(points, {"hexahedron": [[0, 1, 3, 2, 4, 5, 7, 6]]}, node_sets={"n": [1, 2]}, element_sets={"e": [0]},
                          face_sets={"f": ([0], [3])})
        again = pickle.loads(pickle.dumps(mesh))
        self.assertTrue((again.points == mesh.points).all())
        self.assertTrue((again.cells[0][1] == mesh.cells[0][1]).all())
        self.assertEqual(again.node_sets["n"].tolist(), [1, 2])
        self.assertEqual(again.face_sets["f"][1].tolist(), [3])


class Meshio(unittest.TestCase):
    def test_vertices_and_groups_of_gmsh(self):
        class Cells:
            def __init__(self, kind, data):
                self.type, self.data = kind, np.array(data)

        class Theirs:
            points = np.array([[i & 1, (i >> 1) & 1, i >> 2] for i in range(8)], dtype=float)
            cells = [Cells("vertex", [[0]]), Cells("quad", [[0, 1, 3, 2]]), Cells("hexahedron", [[0, 1, 3, 2, 4, 5, 7, 6]])]
            point_sets, cell_sets = {}, {"gmsh:bounding_entities": [[0], [0], [0]]}
            cell_data = {"gmsh:physical": [np.array([9]), np.array([3]), np.array([4])]}
            field_data = {"body": np.array([4, 3]), "bottom": np.array([3, 2])}

        mesh = ingot.Mesh.from_meshio(Theirs)
        self.assertEqual([name for name, _ in mesh.cells], ["hexahedron"])
        self.assertEqual(mesh.element_sets["body"].tolist(), [0])
        self.assertEqual(mesh.node_sets["bottom"].tolist(), [0, 1, 2, 3])
        self.assertEqual(mesh.node_sets["group_0_9"].tolist(), [0])
        Theirs.cell_data = {}
        self.assertEqual([name for name, _ in ingot.Mesh.from_meshio(Theirs).cells], ["quad", "hexahedron"])


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


class Designs(Folder):
    CASE = dict(physics="topopt", grid={"elements": [8, 4, 0]}, supports=[{"set": "xmin"}],
                loads=[{"set": "xmax", "force": [0, -1, 0]}], volume=0.5, iterations=5,
                filter={"kind": "density", "radius": 1.5}, solver={"tolerance": 1e-12},
                constraints=[{"compliance": 200}], surface={"analyse": "false"})

    def test_value_and_gradient(self):
        with ingot.Simulation(ingot.Case(**self.CASE)) as s:
            x = 0.5 + 0.3 * np.sin(np.arange(32.0))
            along = np.cos(3 * np.arange(32.0))
            plus, minus = s.evaluate(x + 1e-4 * along), s.evaluate(x - 1e-4 * along)
            at = s.evaluate(x)
            for name in ("objective", "volume"):
                slope = (plus[name] - minus[name]) / 2e-4
                self.assertAlmostEqual(at[name + "_gradient"] @ along / slope, 1, 5)
            slope = (plus["constraints"] - minus["constraints"]) / 2e-4
            self.assertAlmostEqual((at["constraint_gradients"] @ along)[0] / slope[0], 1, 5)
            self.assertEqual(s["displacement"].shape, (45, 3))
            self.assertEqual(s.fields["objective"].where, "whole")

    def test_gradients_of_held_and_linked_elements(self):
        """What has no effect has no gradient, and linked elements have that of their mean."""
        for more in ({"passive": [{"box": {"min": [6, 0, 0]}}]}, {"pattern": {"extrude": "y"}},
                     {"pattern": {"mirror": ["x"], "repeat": [1, 2, 1]}}):
            with self.subTest(**more), ingot.Simulation(ingot.Case(**{**self.CASE, **more})) as s:
                x = 0.5 + 0.3 * np.sin(1.7 * np.arange(32.0))
                along = np.cos(3 * np.arange(32.0))
                plus, minus = s.evaluate(x + 1e-4 * along), s.evaluate(x - 1e-4 * along)
                at = s.evaluate(x)
                for name in ("objective", "volume"):
                    slope = (plus[name] - minus[name]) / 2e-4
                    self.assertAlmostEqual(at[name + "_gradient"] @ along / slope, 1, 5)

    def test_without_constraints(self):
        case = {k: v for k, v in self.CASE.items() if k != "constraints"}
        with ingot.Simulation(ingot.Case(**case)) as s:
            at = s.evaluate()
        self.assertEqual(at["constraints"].shape, (0,))
        self.assertEqual(at["constraint_gradients"].shape, (0, 32))

    def test_figures_before_the_end(self):
        with ingot.Simulation(ingot.Case(**self.CASE)) as s:
            s.step(2)
            objective = float(s["objective"][0])
            figures = s.finish()
        self.assertAlmostEqual(figures["objective"] / objective, 1, 6)
        self.assertIn("iteration 2 of 5", figures["stopped"])

    def test_section_finish(self):
        case = dict(physics="topopt", grid={"elements": [4, 2, 2], "size": [40e-3, 20e-3, 20e-3]}, volume=1,
                    supports=[{"set": "xmin"}], loads=[{"set": "xmax", "force": [1000, 0, 0], "spread": "faces"}],
                    materials=[{"name": "m", "young": 200e9, "poisson": 0}], iterations=1,
                    filter={"kind": "none"}, finish={"meshes": 1})
        try:
            s = ingot.Simulation(ingot.Case(**case), self.path("finished"))
        except ingot.InputError as error:
            if "Gmsh" in str(error):
                self.skipTest("no Gmsh")
            raise
        with s:
            s.run()
            figures = s.finish()
        self.assertAlmostEqual(figures["finished_compliance"] / 5e-4, 1, 4)
        self.assertEqual(ingot.Result(self.path("finished")).figures["finished_feasible"], "yes")
        with ingot.Simulation(ingot.Case(**case)) as s:  # nowhere to read the part from
            s.run()
            self.assertRaises(ingot.InputError, s.finish)


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

    def test_as_meshio_has_it(self):
        block = lambda kind, data: types.SimpleNamespace(type=kind, data=np.array(data))
        given = types.SimpleNamespace(
            points=[[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]],
            cells=[block("tetra", [[0, 1, 2, 3]]), block("tetra", [[1, 2, 3, 4]])],
            point_sets={"foot": np.array([0, 1])}, cell_sets={"upper": [np.array([], dtype=int), np.array([0])]})
        mesh = ingot.Mesh.from_meshio(given)
        self.assertEqual(len(mesh), 2)
        self.assertEqual(mesh.element_sets["upper"].tolist(), [1])
        self.assertEqual(mesh.node_sets["foot"].tolist(), [0, 1])
        self.assertIn(("nodes", "5"), [(k, v) for k, v in mesh.describe()][:6])
        try:
            import meshio  # noqa: F401
        except ImportError:
            self.assertRaisesRegex(ImportError, "python3-meshio", mesh.to_meshio)
        else:
            self.assertEqual(len(mesh.to_meshio().points), 5)

    def test_every_type_of_cell(self):
        cube = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1],
                         [0.5, 0.5, 2]], dtype=float)
        cells = {"wedge": [[0, 1, 2, 4, 5, 6], [0, 2, 3, 4, 6, 7]], "pyramid": [[4, 5, 6, 7, 8]]}
        mesh = ingot.Mesh(cube, cells)
        self.assertEqual([name for name, _ in mesh.cells], ["wedge", "pyramid"])
        self.assertTrue(np.allclose(mesh.measures(), [0.5, 0.5, 1 / 3]))
        same = ingot.Mesh(cube, [(n + "65"[n == "pyramid"], c) for n, c in cells.items()])
        self.assertEqual([name for name, _ in same.cells], ["wedge", "pyramid"])
        for t in range(lib.IG_ELEM_TYPES):  # none of the library's types is without a name
            name = ingot._core.text(lib.ig_elem_info_get(t).name)
            self.assertEqual(ingot.mesh.vtk_type(ingot.mesh.MESHIO[name]), lib.ig_elem_info_get(t).vtk)
        mesh.write(self.path("mixed.vtkhdf"))
        self.assertEqual([n for n, _ in ingot.Mesh.read(self.path("mixed.vtkhdf")).cells], ["wedge", "pyramid"])
        self.assertIn("data:image/png", mesh._repr_html_())
        try:
            from vtkmodules.vtkFiltersVerdict import vtkCellSizeFilter
            from vtkmodules.util.numpy_support import vtk_to_numpy
        except ImportError:
            return
        size = vtkCellSizeFilter()
        size.SetInputData(mesh.grid())
        size.Update()
        self.assertTrue(np.allclose(vtk_to_numpy(size.GetOutput().GetCellData().GetArray("Volume")), mesh.measures()))

    def test_quadratic_elements_of_files(self):
        case = {"physics": "structure", "mesh": {"boxes": {"size": [4e-3, 2e-3, 1e-3], "cells": [4, 2, 1]}, "element": "hex20"},
                "materials": {"name": "m", "young": "210 GPa", "poisson": 0.3}}
        path = os.path.join(self.folder.name, "hex20.inp")
        ingot.Case(case).mesh().write(path)
        for quadratic, kind in ((False, "hexahedron"), (True, "hexahedron20")):
            mesh = ingot.Mesh.read(path, quadratic=quadratic)
            self.assertEqual([name for name, _ in mesh.cells], [kind])
            self.assertAlmostEqual(mesh.measures().sum(), 8e-9, 15)

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

    def test_pythons_own_kinds(self):
        """What is not there is a FileNotFoundError or a KeyError, with its number, after pickling too."""
        for use in (lambda: ingot.run("none.yaml"), lambda: ingot.Mesh.read("none.msh"), lambda: ingot.calibrate("none.yaml", self.path("fit")),
                    lambda: ingot.run(PLATE, out=self.path("out"), restart="none.h5")):
            with self.assertRaises(FileNotFoundError) as e:
                use()
            self.assertIsInstance(e.exception, ingot.InputError)
            again = pickle.loads(pickle.dumps(e.exception))
            self.assertEqual((type(again), again.errno, str(again)), (ingot.MissingFileError, 2, str(e.exception)))
        with open_plate() as s:
            self.assertTrue("T" in s and "nope" not in s and list(s) == list(s.fields))
            for use in (lambda: s["nope"], lambda: s.device("nope"), lambda: s.__setitem__("nope", 1)):
                with self.assertRaisesRegex(KeyError, "^there is no field 'nope': expected T$"):
                    use()
            with self.assertRaisesRegex(ValueError, r"T: a number or an array of the shape \(315,\) is needed, not \(2,\)"):
                s["T"] = [1, 2]
            self.assertRaisesRegex(TypeError, "a State of", s.restore, None)
        result = ingot.run(PLATE, threads=1)
        self.assertTrue("T_max" in result and "nope" not in result and list(result) == list(result.figures))
        self.assertRaisesRegex(KeyError, "no figure 'nope': there are .*T_max", lambda: result["nope"])
        self.assertEqual(pickle.loads(pickle.dumps(result)).figures, result.figures)
        self.assertRaisesRegex(TypeError, "a case is a path or a dict, not int", ingot.Case, 3)
        self.assertRaises(TypeError, lambda: "duration" in ingot.Case(PLATE))

    def test_slips_are_refused(self):
        """What was taken without a word, and had no effect."""
        self.assertRaisesRegex(ValueError, "without `out`", ingot.run, PLATE, resume=True)
        self.assertRaisesRegex(TypeError, "progress: True or a function", ingot.run, PLATE, progress=3)
        self.assertRaisesRegex(ValueError, "'anbient' is none of the keys", ingot.optimise, PLATE, "p", ["ambient"], bounds={"anbient": (1, 2)})
        with self.assertRaisesRegex(ingot.InputError, "^unknown key|^bakend: unknown key 'bakend': did you mean 'backend'"):
            ingot.run(PLATE, bakend="cpu")
        result = ingot.run(PLATE, out=self.path("out"), threads=1)
        self.assertRaisesRegex(TypeError, "no option 'feld' of a picture", result.snapshots[-1].view, self.path("a.png"), feld="T")
        self.assertRaisesRegex(ValueError, "snapshots: expected last, all, none, not 'some'", result.compare, result, snapshots="some")
        here = os.getcwd()
        os.chdir(self.folder.name)
        try:  # a result is found by a process that works in another folder
            packed = pickle.dumps(ingot.Result("out"))
        finally:
            os.chdir(here)
        self.assertEqual(pickle.loads(packed).history["T_max"][0], 500)

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
        go(1000)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        go(4000)
        self.assertLess(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before, 1820)  # KiB: less than half of one each time

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

    def test_ctrl_c_reaches_calls_without_callbacks(self):
        """As of `view` and `report`: the library is asked to stop, then the exception goes on."""
        asked = threading.Event()

        class Library(Noting):
            def ig_ctx_interrupt(self, context):
                asked.set()

        def drawing():
            return lib.IG_INTERRUPTED if asked.wait(60) else lib.IG_OK
        context, real = Context("cpu"), ingot._core.lib
        ingot._core.lib = Library()
        timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        try:
            self.assertRaises(KeyboardInterrupt, context.call_apart, drawing)
        finally:
            timer.join()
            ingot._core.lib = real
        self.assertTrue(asked.is_set())
        self.assertRaises(ingot.InputError, context.call_apart, lambda: lib.IG_INPUT)

    def test_ctrl_c_ends_a_gradient(self):
        """It went on to its end, minutes later."""
        code = ("import ingot, os, signal, sys, threading\n"
                "threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()\n"
                f"case = dict({PLATE!r}, duration=1e5, probes=[{{'name': 'p', 'point': [0, 0, 1e-3]}}])\n"
                "try: ingot.value_and_grad(case, 'p', 'initial_temperature')\n"
                "except KeyboardInterrupt: sys.exit(7)\n")
        self.assertEqual(subprocess.run([sys.executable, "-c", code], timeout=60).returncode, 7)

    def test_interrupted_without_a_folder(self):
        with ingot.Simulation(PLATE, threads=1, set={"duration": 1e5}) as s:
            s.step(3)
            s.interrupt()
            with self.assertRaises(ingot.Interrupted) as caught:
                s.step(3)
            self.assertIn("nothing was saved: there is no output folder", str(caught.exception))
            self.assertEqual(s.step(3), 3)  # it can go on

    def test_four_threads_with_a_simulation_each(self):
        results = [None] * 4

        def work(i):
            with open_plate() as s:
                s.run()
                results[i] = s["T"].copy()
        threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join(60)
        for r in results:
            np.testing.assert_array_equal(r, results[0])

    def test_other_threads_go_on_and_are_kept_out(self):
        with ingot.Simulation(PLATE, threads=1, set={"duration": 1e5}) as s:
            caught, T = [], s["T"]

            def work():
                try:
                    s.run()
                except ingot.Interrupted as e:
                    caught.append(e)
            thread = threading.Thread(target=work)
            thread.start()
            time.sleep(0.2)
            self.assertTrue(thread.is_alive())  # and this thread is, too: the lock was released
            for use in (s.step, lambda: s.fields, lambda: s["T"], lambda: T.max(), T.copy, lambda: T + 1, lambda: s.stats, lambda: s.case["duration"]):
                self.assertRaisesRegex(RuntimeError, "in use by another thread", use)
            self.assertGreaterEqual(s.time, 0)
            self.assertIn("steps", s._repr_html_())
            s.interrupt()
            thread.join(60)
            self.assertEqual(len(caught), 1)

    def test_callbacks_may_look(self):
        """A function for progress sees its case, and is told that it cannot step."""
        said = []

        def progress(done, total, unit, note):
            said.append(case["duration"])
            try:
                case.check()
            except RuntimeError as e:
                said.append(str(e))
        case = ingot.Case(PLATE, threads=1)
        ingot.run(case, progress=progress)
        self.assertEqual(set(said), {"0.2", "this case or simulation is in use by the call that made this callback"})

    def test_views_keep_a_simulation_where_it_is(self):
        """Restoring frees the memory that a view shows: it showed numbers of something else."""
        with open_plate() as s:
            s.step(2)
            state, view = s.save(), s["T"].view()
            self.assertRaisesRegex(RuntimeError, "drop them before restore", s.restore, state)
            del view
            tensor = s.device("T").__dlpack__()
            self.assertRaisesRegex(RuntimeError, "drop them before restore", s.restore, state)
            del tensor
            s.restore(state)
            self.assertEqual(s.steps, 2)

    def test_dropped_while_a_call_is_under_way(self):
        """A simulation that nobody has any more is freed when the call on its case is back."""
        case = ingot.Case(PLATE, threads=1)
        s = ingot.Simulation(case)
        with case.context:
            del s
            gc.collect()
            self.assertEqual(len(case.context._retired), 1)
        self.assertEqual(case.context._retired, [])
        with ingot.Simulation(case) as s:
            s.step(1)

    def test_closed_while_another_thread_steps(self):
        for leave in ("close", "with"):
            caught = []
            s = ingot.Simulation(PLATE, threads=1, set={"duration": 1e5})

            def work():
                try:
                    s.run()
                except ingot.Interrupted as e:
                    caught.append(e)
            thread = threading.Thread(target=work)
            if leave == "with":
                with self.assertRaises(ZeroDivisionError), s:
                    thread.start()
                    time.sleep(0.2)
                    1 / 0
            else:
                thread.start()
                time.sleep(0.2)
                s.close()
            thread.join(60)
            self.assertFalse(thread.is_alive())
            self.assertEqual(len(caught), 1)
            self.assertRaises(ValueError, s.step)

    def test_result_without_a_folder(self):
        result = ingot.run(PLATE, threads=1, set={"duration": 1.0})
        self.assertEqual(result.snapshots, [])
        for use in (lambda: result.history, lambda: result.stages, lambda: result.report()):
            with self.assertRaisesRegex(ValueError, "figures only: run it with out="):
                use()

    def test_chain_without_a_folder(self):
        case = ingot.Case(self.write("chain.yaml", "stages:\n  one:\n" + "".join("    " + l for l in TEXT.splitlines(True))))
        with self.assertRaisesRegex(ingot.ArgumentError, "a chain needs a folder"):
            ingot.run(case)

    def test_forked_children_compute(self):
        """After a run with several threads: libgomp's are not in the child, which must not wait for them."""
        code = """if True:
            import multiprocessing, os, sys, ingot
            case = dict(%r, mesh={"boxes": [{"size": [0.01, 0.01, 0.01], "cells": [20, 20, 10]}]}, duration=0.01)
            def go(power):
                return ingot.run(ingot.Case.from_dict(dict(case, initial_temperature=power), threads=4))["T_max"]
            first = go(500)
            with multiprocessing.get_context("fork").Pool(2) as pool:
                assert pool.map(go, [500, 600]) == [first, go(600)]
            s = ingot.Simulation(case, out=sys.argv[1], threads=4, set={"output.count": 20, "duration": 1})
            s.step(1)
            child = os.fork()
            if child == 0:
                try:
                    s.run()
                except ingot.UnsupportedError as e:
                    s.close()
                    del s
                    os._exit(7 if "before fork" in str(e) else 8)
                os._exit(9)
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
            s.run()
            s.finish()
            """ % PLATE
        done = subprocess.run([sys.executable, "-W", "ignore", "-c", code, self.path("out")], timeout=120)
        self.assertEqual(done.returncode, 0)
        self.assertEqual(ingot.Result(self.path("out")).summary["status"], "complete")


class Exchange(unittest.TestCase):
    def test_device_memory_through_dlpack(self):
        for backend in ("cpu", "debug"):  # on debug the device's memory is not the host's
            with ingot.Simulation(PLATE, threads=1, backend=backend) as s:
                s.step(3)
                device, host = s.device("T"), s["T"]
                self.assertEqual(device.__dlpack_device__(), (1, 0))
                self.assertFalse(hasattr(device, "__cuda_array_interface__"))
                taken = np.from_dlpack(device)
                np.testing.assert_array_equal(taken, host)  # each is good beside the other
                where = host.view().__array_interface__["data"][0]
                self.assertEqual(taken.__array_interface__["data"][0] == where, backend == "cpu")
                self.assertEqual(host.copied, backend == "debug")
                np.testing.assert_array_equal(np.from_dlpack(host), host)
                s.step()
                self.assertRaises(ingot.StaleViewError, np.from_dlpack, device)
                self.assertRaises(ingot.StaleViewError, np.from_dlpack, host)

    def test_strides_and_lives(self):
        lent = ingot.exchange.lent()
        block = np.arange(12.0).reshape(4, 3)
        taken = np.from_dlpack(Given(block[::2, 1:]))
        np.testing.assert_array_equal(taken, [[1, 2], [7, 8]])
        capsule = Given(block).__dlpack__()  # taken by nobody
        self.assertEqual(ingot.exchange.lent(), lent + 2)
        del taken, capsule
        gc.collect()
        self.assertEqual(ingot.exchange.lent(), lent)

    def test_cuda_interface(self):
        with open_plate() as s:
            field = s.device("T")
            context = contextlib.nullcontext()
            context.backend, context.device = "cuda", 3
            field._simulation = types.SimpleNamespace(_handle=s._handle, context=context)
            shown = field.__cuda_array_interface__
            self.assertEqual((shown["version"], shown["shape"], shown["typestr"]), (3, (315,), "<f8"))
            self.assertEqual(shown["data"], (s["T"].view().__array_interface__["data"][0], True))
            self.assertEqual(field.__dlpack_device__(), (2, 3))

    def test_two_copies_side_by_side(self):
        with ingot.Simulation({**BAR}, threads=1, backend="debug") as s:
            s.step(5)
            u, v = s["displacement"], s["velocity"]
            self.assertTrue(u.copied and v.copied)
            self.assertGreater(np.abs(u).max(), 0)  # not stale by what was taken after it
            self.assertEqual(u.view().__array_interface__["data"], s["displacement"].view().__array_interface__["data"])

    def test_grid(self):
        try:
            import vtkmodules  # noqa: F401
        except ImportError:
            self.skipTest("no VTK")
        with open_plate() as s:
            s.step(2)
            grid = s.grid()
            self.assertEqual((grid.GetNumberOfCells(), grid.GetNumberOfPoints()), (192, 315))
            array = grid.GetPointData().GetArray("T")
            self.assertEqual(array.GetValue(7), s["T"][7])
            self.assertEqual(grid.GetCellType(0), 12)
            sys.modules["pyvista"] = types.SimpleNamespace(wrap=lambda g: ("wrapped", g.GetNumberOfCells()))
            try:
                self.assertEqual(s.grid(), ("wrapped", 192))
            finally:
                del sys.modules["pyvista"]


class Reach(Folder):
    def test_loads_between_steps(self):
        """Half the load, half the displacement, as long as it is small."""
        moved = []
        for factor in (1.0, 0.5):
            with ingot.Simulation(BAR, threads=1) as s:
                s.load(0, factor)
                s.step(4)
                moved.append(s["displacement"].copy())
                self.assertGreater(s.dt, 0)
        np.testing.assert_allclose(moved[1], 0.5 * moved[0], rtol=0, atol=1e-3 * np.abs(moved[1]).max())

    def test_supports_between_steps(self):
        """A bar that is pushed at one end: nothing moves once the support's velocity is taken away
        before the first step."""
        pushed = {**BAR, "supports": [{"set": "xmin", "fix": "all"}, {"set": "xmax", "components": "x", "velocity": [1, 0, 0]}]}
        del pushed["loads"]
        far = []
        for factor in (1.0, 0.0):
            with ingot.Simulation(pushed, threads=1) as s:
                s.support(1, factor)
                s.step(6)
                far.append(np.abs(s["displacement"]).max())
        self.assertGreater(far[0], 1e-9)
        self.assertEqual(far[1], 0)

    def test_where_it_stands(self):
        with open_plate() as s:
            s.until(0.1)
            self.assertTrue(0.1 <= s.time + 1e-9 < 0.1 + 2 * s.dt)
            self.assertEqual(s.stats["steps"], s.steps)
            np.testing.assert_allclose(s.mesh().bounds, [[0, 0, 0], [6e-3, 4e-3, 1e-3]])

    def test_devices(self):
        self.assertIn("cpu", [d["backend"] for d in ingot.devices() if d["available"]])

    def test_chain(self):
        case = {"title": "small", "stages": {"one": {**BAR, "output": {"count": 1}}}}
        result = ingot.run(case, out=self.path("chain"), threads=1, backend="cpu")
        self.assertEqual(list(result.stages), ["one"])
        self.assertRaises(ingot.InputError, ingot.run, {"title": "none", "stages": {}}, out=self.path("none"))


class Given:
    """An array as exchange.capsule hands it out."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, stream=None):
        a = self.array
        return ingot.exchange.capsule(a, a.__array_interface__["data"][0], "f8", a.shape, a.strides, (1, 0))

    def __dlpack_device__(self):
        return (1, 0)


class Notebook(Folder):
    def test_pictures(self):
        self.assertEqual(ingot.Case({"physics": "thermal", "duration": "2 s"}, set={"title": "a"})["duration"], "2 s")
        case = ingot.Case(physics="thermal", **{k: v for k, v in PLATE.items() if k != "physics"}, threads=1)
        self.assertIn("500", case._repr_html_())
        with ingot.Simulation(case) as s:
            s.step(2)
            for shown in (s, s.mesh()):
                self.assertIn("data:image/png;base64,iVBOR", shown._repr_html_())
        self.assertIn("closed", s._repr_html_())
        # unit and time are in the picture
        from ingot.picture import image_of_mesh
        mesh = case.mesh()
        values = mesh.points[:, 0]
        shown = {image_of_mesh(mesh, {"T": (unit, "nodes", values)}, time=t) for unit in ("K", "W") for t in (0.0, 0.25)}
        self.assertEqual(len(shown), 4)
        nasty = ingot.Case(physics="thermal", title="<script>alert(1)</script>")
        self.assertNotIn("<script>", nasty._repr_html_())

    def test_bar(self):
        class Terminal(io.StringIO):
            def isatty(self):
                return True
        bar = ingot.Bar(Terminal(), every=0)
        bar(1, 4, "s", "<hot>")
        bar(4, 4, "s", "")
        bar.close()
        shown = bar.stream.getvalue()
        self.assertIn(" 25 %  1 of 4 s", shown)
        self.assertTrue(shown.endswith("100 %  4 of 4 s\033[K\n"))
        quiet = io.StringIO()  # no terminal: nothing
        ingot.Bar(quiet)(1, 4, "s", "")
        self.assertEqual(quiet.getvalue(), "")

    def test_bar_in_a_notebook(self):
        said = []
        handle = types.SimpleNamespace(update=said.append)
        display = types.SimpleNamespace(HTML=str, display=lambda b, display_id: said.append(b) or handle)
        sys.modules["IPython"] = types.SimpleNamespace(get_ipython=lambda: types.SimpleNamespace(kernel=1), display=display)
        try:
            bar = ingot.Bar(every=0)
            bar(1, 4, "step", "T < 2000 K")
            bar(2, 4, "step", "")
            bar.close()
        finally:
            del sys.modules["IPython"]
        self.assertEqual(len(said), 2)
        self.assertIn('value="0.2500"', said[0])
        self.assertIn("T &lt; 2000 K", said[0])

    def test_progress_true(self):
        stderr, sys.stderr = sys.stderr, io.StringIO()
        try:
            ingot.run(PLATE, threads=1, progress=True)
            self.assertEqual(sys.stderr.getvalue(), "")
        finally:
            sys.stderr = stderr


class Results(Folder):
    def test_names_with_commas(self):
        names = ['left, "low"', "x [1]", "=1+1", "it's; 50 % <b>"]
        case = dict(PLATE, probes=[{"name": n, "point": [0, 0, 0.001]} for n in names])
        result = ingot.run(case, out=self.path("out"), threads=1)
        for n in names:
            self.assertEqual(result.history[n][0], 500)
            self.assertEqual(result.history_units[n], "K")
        self.assertGreater(os.path.getsize(result.report()), 1000)
        with self.assertRaisesRegex(ingot.InputError, "a line end in a text"):
            ingot.Case(self.write("nl.yaml", TEXT + 'probes: [{name: "a\\nb", point: [0, 0, 0]}]\n')).check()

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

    def test_frame_and_grid(self):
        result = ingot.run(PLATE, out=self.path("out"), threads=1)
        try:
            import pandas  # noqa: F401
        except ImportError:
            self.assertRaises(ImportError, result.frame)
        else:
            frame = result.frame()
            self.assertEqual(frame.index.name, "time")
            self.assertEqual(frame["T_max"].iloc[0], 500)
        try:
            import h5py, xarray  # noqa: F401, E401
        except ImportError:
            with self.assertRaisesRegex(ImportError, "needs"):
                result.dataset("T")
        else:
            data = result.dataset("T")
            self.assertEqual(data["T_max"].dims, ("time",))
            self.assertEqual(data["T_max"].attrs["units"], "K")
            self.assertEqual(data["T"].dims, ("snapshot", "node"))
            self.assertEqual(data["T"].attrs["units"], "K")
            self.assertEqual(data["T"].shape, (4, 9 * 7 * 5))
            self.assertTrue((data["T"][-1].values == result.snapshots[-1]["T"]).all())
            low = data["T"].where(data["z"] < 1e-9, drop=True)
            self.assertTrue((low[1:] == 300).all())
        page = result.interactive(height=300)._repr_html_()
        self.assertTrue(page.startswith('<iframe srcdoc="&lt;!') and "height:300px" in page, page[:80])
        self.assertFalse("allow-same-origin" in page)
        try:
            import h5py, vtkmodules  # noqa: F401, E401
        except ImportError:
            return
        grid = result.snapshots[-1].grid()
        self.assertEqual(grid.GetNumberOfCells(), 192)
        self.assertAlmostEqual(grid.GetFieldData().GetArray("TimeValue").GetValue(0), 0.2)

    def test_finish_is_for_designs(self):
        case = {"physics": "thermal", "mesh": {"boxes": [{"size": [1e-3, 1e-3, 1e-3], "cells": [1, 1, 1]}]},
                "materials": [{"name": "m", "density": 8000, "specific_heat": 500, "conductivity": 20}],
                "initial_temperature": 400, "duration": 0.1, "body_source": 1e6}
        result = ingot.run(case, self.path("plain"), backend="cpu")
        self.assertRaises(ingot.InputError, result.finish)

    def test_value_and_grad(self):
        case = {"physics": "thermal", "mesh": {"boxes": [{"size": [4e-3, 2e-3, 1e-3], "cells": [4, 2, 1]}]},
                "materials": [{"name": "m", "density": 8000, "specific_heat": 500, "conductivity": 20}],
                "initial_temperature": 400, "ambient": 300, "duration": 2,
                "boundary": [{"set": "zmax", "convection": 500}],
                "probes": [{"name": "p", "point": [1e-3, 1e-3, 0]}]}
        value, grad = ingot.value_and_grad(case, "p", ["boundary[0].convection", "ambient", "initial_temperatures"])
        case["boundary"][0]["convection"] = 500.5
        near, _ = ingot.value_and_grad(case, "p", [])
        self.assertAlmostEqual((near - value) / 0.5 / grad["boundary[0].convection"], 1, 3)
        # temperatures of the start and around: a common shift is one of the result
        self.assertAlmostEqual(grad["ambient"] + grad["initial_temperatures"].sum(), 1, 9)
        self.assertRaises(ingot.InputError, ingot.value_and_grad, case, "q", [])
        self.assertEqual(list(ingot.value_and_grad(case, "p", "ambient")[1]), ["ambient"])  # one key needs no list

    def test_value_and_grad_of_dynamics(self):
        case = {"physics": "dynamics",
                "mesh": {"boxes": [{"size": [0.02, 0.01], "cells": [4, 2]}], "shell": True,
                         "sets": [{"name": "root", "of": "nodes", "box": {"min": [0, 0], "max": [0, 0.01]}}]},
                "materials": [{"name": "m", "density": 2700, "young": 7e10, "poisson": 0.3}],
                "sections": [{"thickness": 1e-3}], "supports": [{"set": "root", "fix": "all"}],
                "initial": [{"velocity": [0, 0, 10]}], "analysis": [{"duration": 2e-5, "time_step": 5e-7}]}
        keys = ["sections[0].thickness", "thicknesses", "initial_velocities", "initial[0].velocity[2]"]
        value, grad = ingot.value_and_grad(case, "energy", keys)
        self.assertGreater(value, 0)
        self.assertEqual(grad["thicknesses"].shape, (8,))
        self.assertAlmostEqual(grad["thicknesses"].sum() / grad["sections[0].thickness"], 1, 9)
        self.assertAlmostEqual(grad["initial_velocities"][2::3].sum() / grad["initial[0].velocity[2]"], 1, 9)
        case["sections"][0]["thickness"] = 1.0001e-3
        near, _ = ingot.value_and_grad(case, "energy", [])
        self.assertAlmostEqual((near - value) / 1e-7 / grad["sections[0].thickness"], 1, 3)

    def test_value_and_grad_of_topopt(self):
        case = {"physics": "topopt", "grid": {"elements": [6, 3, 0]}, "filter": {"kind": "density", "radius": 1.5},
                "supports": [{"box": {"min": [0, 0], "max": [0, 3]}}],
                "loads": [{"box": {"min": [6, 0], "max": [6, 0]}, "force": [0, -2, 0]}]}
        value, grad = ingot.value_and_grad(case, "objective", ["design", "loads[0].force[1]"])
        self.assertAlmostEqual(grad["loads[0].force[1]"] / -value, 1, 8)
        with ingot.Simulation(case, set={"solver.tolerance": 1e-11}, backend="cpu") as s:
            at = s.evaluate()
            self.assertAlmostEqual(at["objective"] / value, 1, 9)
            np.testing.assert_allclose(at["objective_gradient"], grad["design"], rtol=1e-7)

    def test_optimise(self):
        case = {"physics": "thermal", "mesh": {"boxes": [{"size": [1e-3, 1e-3, 1e-3], "cells": [1, 1, 1]}]},
                "materials": [{"name": "m", "density": 8000, "specific_heat": 500, "conductivity": 20}],
                "initial_temperature": 300, "duration": 1, "time_step": 0.02, "body_source": 5e6,
                "probes": [{"name": "p", "point": [5e-4, 5e-4, 5e-4]}]}
        best, found = ingot.optimise(case, "p", ["body_source"], bounds={"body_source": (1e6, "9 MW/m^3")})
        self.assertTrue(found["converged"], found)
        self.assertAlmostEqual(found["value"], 300 + 1e6 / (8000 * 500), 9)
        self.assertIn("body_source: 1000000", best.text())
        hot, found = ingot.optimise(case, "p", ["body_source"], bounds={"body_source": (1e6, "9 MW/m^3")}, maximise=True)
        self.assertAlmostEqual(found["value"], 300 + 9e6 / (8000 * 500), 9)
        self.assertRaises(ingot.InputError, ingot.optimise, case, "p", ["body_source"], bounds={"body_source": (2, 1)})

    def test_torch(self):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # PyTorch's own
                import torch
        except ImportError:
            self.skipTest("no PyTorch")
        import ingot.torch
        case = {"physics": "thermal", "mesh": {"boxes": [{"size": [8e-3, 4e-3, 2e-3], "cells": [8, 4, 2]}]},
                "materials": [{"name": "m", "density": 8000, "specific_heat": 500, "conductivity": 20,
                               "absorptivity": 0.4}],
                "initial_temperature": 300, "duration": 0.5, "time_step": 0.01,
                "beams": [{"model": "gaussian", "radius": 1e-3, "segment": 2e-3,
                           "raster": {"power": 50, "speed": 0.02, "spacing": 2e-3, "layer_height": 1e-3, "base": 1e-3,
                                      "layers": 1, "rotation": 0, "regions": {"min": [1e-3, 1e-3], "max": [7e-3, 3e-3]}}}],
                "boundary": [{"set": "surface", "convection": 500}], "ambient": 300,
                "probes": [{"name": "p", "point": [4e-3, 2e-3, 1e-3]}]}
        value, grad = ingot.value_and_grad(case, "p", ["beams[0].powers", "boundary[0].convection"])
        powers = torch.full((len(grad["beams[0].powers"]),), 50.0, dtype=torch.float64)
        powers[-1] = 0
        powers.requires_grad_()
        film = torch.tensor(500.0, requires_grad=True)
        loss = (ingot.torch.figure(case, "p", {"beams[0].powers": powers, "boundary[0].convection": film}) - 400) ** 2
        loss.backward()
        self.assertAlmostEqual(float(loss), (value - 400) ** 2, 6)
        factor = 2 * (value - 400)
        self.assertTrue(np.allclose(powers.grad.numpy(), factor * grad["beams[0].powers"], rtol=1e-9, atol=1e-12))
        self.assertAlmostEqual(float(film.grad) / (factor * grad["boundary[0].convection"]), 1, 5)

    def test_jax(self):
        try:
            import jax
        except ImportError:
            self.skipTest("no JAX")
        import ingot.jax
        jax.config.update("jax_enable_x64", True)
        case = {"physics": "thermal", "mesh": {"boxes": [{"size": [4e-3, 2e-3, 2e-3], "cells": [4, 2, 2]}]},
                "materials": [{"name": "m", "density": 8000, "specific_heat": 500, "conductivity": 20}],
                "initial_temperature": 400, "duration": 1, "time_step": 0.02, "body_source": 5e6, "ambient": 300,
                "boundary": [{"set": "surface", "convection": 500}], "probes": [{"name": "p", "point": [2e-3, 1e-3, 1e-3]}]}
        film, source = "boundary[0].convection", "body_source"
        value, grad = ingot.value_and_grad(case, "p", [film, source])

        def figure(h, q):
            return ingot.jax.figure(case, "p", {film: h, source: q})
        self.assertAlmostEqual(float(jax.jit(figure)(500.0, 5e6)), value, 9)
        slopes = jax.jit(jax.grad(lambda h, q: (figure(h, q) - 350) ** 2, argnums=(0, 1)))(500.0, 5e6)
        for found, key in zip(slopes, (film, source)):
            self.assertAlmostEqual(float(found) / (2 * (value - 350) * grad[key]), 1, 12)
        along = jax.jvp(figure, (500.0, 5e6), (3.0, 1e4))[1]
        self.assertAlmostEqual(float(along) / (3 * grad[film] + 1e4 * grad[source]), 1, 12)
        many = jax.vmap(figure, (0, None))(jax.numpy.array([400.0, 500.0]), 5e6)
        self.assertAlmostEqual(float(many[1]), value, 9)
        self.assertGreater(float(many[0]), value)

    def test_calibrate(self):
        with open(self.path("bar.yaml"), "w") as f:
            f.write("physics: stress\nmesh: {boxes: {size: [4 mm, 1 mm, 1 mm], cells: [2, 1, 1]}}\n"
                    "materials: {name: m, young: 200 GPa, poisson: 0}\nphases: {name: pull}\n"
                    "supports: [{set: xmin, fix: x}, {set: ymin, fix: y}, {set: zmin, fix: z}]\n"
                    "loads: {set: xmax, pressure: -100 MPa}\noutput: {count: 0}\n"
                    "probes: {name: ux, set: xmax, quantity: ux}\n")
        with open(self.path("fit.yaml"), "w") as f:
            f.write("case: bar.yaml\nkeys: [{key: materials.young, from: 50 GPa, to: 400 GPa}]\n"
                    "figures: [{figure: ux, value: 4 um, uncertainty: 1 %}]\n")
        fit = ingot.calibrate(self.path("fit.yaml"), self.path("fit"), backend="cpu")
        self.assertEqual(fit["status"], "converged")
        self.assertAlmostEqual(fit["keys"][0]["value"], 100, places=3)
        self.assertAlmostEqual(fit["keys"][0]["standard_error"], 1, places=1)
        twice = ingot.calibrate(self.path("fit.yaml"), self.path("twice"), backend="cpu",
                                set={"loads.pressure": "-200 MPa"})
        self.assertAlmostEqual(twice["keys"][0]["value"], 200, places=3)
        again = ingot.calibrate(self.path("fit.yaml"), self.path("fit"), backend="cpu", resume=True)
        self.assertEqual(again["runs"], 0)
        self.assertRaises(ingot.InputError, ingot.calibrate, self.path("bar.yaml"), self.path("no"))

    def test_compare(self):
        one = ingot.run(PLATE, out=self.path("one"), threads=1)
        same = ingot.run(PLATE, out=self.path("same"), threads=1)
        other = ingot.run(PLATE, out=self.path("other"), set={"duration": 0.1}, threads=1)
        rows = one.compare(same, snapshots="all")
        self.assertTrue(rows and all(r["same"] for r in rows))
        rows = {(r["part"], r["name"]): r for r in one.compare(other)}
        self.assertFalse(rows["snapshot", "time"]["same"])
        self.assertAlmostEqual(rows["snapshot", "time"]["difference"], 0.1)
        self.assertEqual(rows["figure", "status"]["values"], ("complete", "complete"))
        loose = one.compare(other, relative=10, tolerances={"snapshots": 1.0, "T*": (10.0, 1e9)})
        self.assertTrue(all(r["same"] for r in loose if r["part"] != "history"))
        self.assertRaises(ingot.InputError, one.compare, self.path("none"))

    def test_nothing_there(self):
        self.assertRaises(FileNotFoundError, ingot.Result, self.path("none"))


class ZLast(unittest.TestCase):  # after the others, which run in the order of their names
    def test_every_function_was_reached(self):
        public = {n for n in dir(lib) if n.startswith("ig_") and callable(getattr(lib, n))}
        self.assertEqual(public - reached - SKIPPED, set())


if __name__ == "__main__":
    unittest.main()
