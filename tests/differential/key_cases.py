"""Small cases whose keys are changed one by one (keys.py), and the keys that only concern output.

A case: its room, itself, `hints` (values to try, by the end of a key's name), `only` (beginnings of the keys
that are changed in it; left out: all but those of sections that other rooms have in common).
"""
import os

only = None
MOVING = ("seconds", "seconds_insert", "seconds_solve", "seconds_sensitivities", "seconds_filter", "seconds_update", "time_per_cohesive_element")  # figures of a summary that are wall time

# Keys that change no number: what is written, how fast it is computed, what it is called.
OUTPUT = {
    "title": "a line for reports",
    "accept": "limits of figures, judged at the end",
    "backend": "where it runs",
    "threads": "how many CPU threads compute",
    "assembly": "order of summation alone: the same bits but for atomic",
    "physics": "chooses the table",
    "output.compression": "size of the files",
    "phases.name": "what supports, probes and figures call it",
    "checkpoint": "size and precision of checkpoints, which are not results",
    "output.checkpoint_every": "wall time between checkpoints, which are not results",
    "materials.name": "what entries and messages call it",
    "mesh.meshing_time": "limit of Gmsh's time",
    "mesh.meshing_memory": "limit of Gmsh's memory",
}
# Keys that have no effect in a case and are not refused there: (room or "*", key or its end[, case]) and the
# reason. "open": the program should act on the key, refuse it or warn; everything else is as documented.
KNOWN = {
    ("thermal", "mesh.loose_nodes"): "the mesh has none",
    ("thermal", "mesh.sets.elements"): "numbers of a file",
    ("thermal", "mesh.sets.side"): "numbers of a file",
    ("shape", "sets.elements"): "numbers of a file",
    ("shape", "sets.side"): "numbers of a file",
    ("*", "parts.laser"): "there is one laser",
    ("stress", "reference", "stress load"): "nothing is born",
    ("thermal", "dwell_change", "thermal layers"): "a long step ends at the next row of history, which has one per step here; with `history_every` it acts",
    ("thermal", "dwell_change", "thermal bead"): "its dwells have fewer than the six steps that a long one takes",
    ("fracture", "cohesive.insertion_threshold"): "the facets are above their strength from the start",
    ("powder", "dwell_change"): "recoating takes too few steps for them to grow; with 50 ms in place of 0.5 it acts",
    ("thermal", "down_skin.layers"): "the first layer lies on the plate, and nothing overhangs",
    ("thermal", "down_skin.power"): "the first layer lies on the plate, and nothing overhangs",
    ("thermal", "down_skin.speed"): "the first layer lies on the plate, and nothing overhangs",
    ("powder", "down_skin.layers"): "the first layer lies on the plate, and nothing overhangs",
    ("powder", "down_skin.power"): "the first layer lies on the plate, and nothing overhangs",
    ("powder", "down_skin.speed"): "the first layer lies on the plate, and nothing overhangs",
    ("powder", "paths.format"): "the file is what the key says",
    ("powder", "paths.power"): "the file gives its own",
    ("powder", "paths.jump_speed"): "the file gives times",
    ("powder", "paths.feed"): "the file gives times",
    ("powder", "paths.z"): "the file gives its own",
    ("powder", "paths.sample"): "the file gives times",
    ("powder", "paths.start_time"): "the file gives times",
    ("fracture", "insertion.seed"): "in the end all facets are open; the order shows in wall times alone",
    ("stress", "solver.halvings"): "a limit that is not met",
    ("thermal", "beams.path.format"): "the file is what the key says",
    ("thermal", "beams.path.power"): "the file gives its own",
    ("thermal", "beams.path.jump_speed"): "the file gives times",
    ("thermal", "beams.path.feed"): "the file gives times",
    ("thermal", "beams.path.z"): "the file gives its own",
    ("thermal", "beams.path.sample"): "the file gives times",
    ("thermal", "beams.path.start_time"): "the file gives times",
    ("thermal", "ambient", "thermal fields"): "nothing exchanges heat with it",
    ("thermal", "boundary.from.time"): "there is one file, which holds at all times",
    ("thermal", "safety", "thermal fields"): "as many steps to the end",
    ("thermal", "step_limit", "thermal fields"): "properties are constant",
    ("thermal", "latent", "thermal fields"): "properties are constant",
    ("thermal", "mesh.boxes.name"): "no entry names it",
    ("thermal", "keep.sphere.inner"): "no node of the inside lies there",
    ("thermal", "mesh.place_on_plate"): "the part is set down on its plate in any case",
    ("thermal", "mesh.fill_holes"): "the surface is closed",
    ("stress", "output.history_every"): "every step has a row",
    ("stress", "mechanical.anneal", "stress load"): "it does not get so hot",
    ("stress", "floors.yield", "stress heat"): "it does not get so hot",
    ("dynamics", "energy_error"): "a limit that is not met",
    ("dynamics", "added_mass"): "a limit that is not met",
    ("dynamics", "output.count", "dynamics static"): "it has one step",
    ("dynamics", "output.history_every", "dynamics static"): "steps of statics always have a row",
    ("dynamics", "analysis.steps", "dynamics static"): "a limit that is not met",
    ("stress", "materials.homogenised.conductivity_exponent", "stress walls"): "a material may be described for other rooms too: `thermal` takes it",
    ("dynamics", "materials.tangent", "dynamics johnson_cook"): "a material may be described for other rooms too: `stress` takes it",
    ("dynamics", "materials.hardening", "dynamics johnson_cook"): "a material may be described for other rooms too: `stress` takes it",
    ("dynamics", "materials.kinematic", "dynamics johnson_cook"): "a material may be described for other rooms too: `stress` takes it",
    ("dynamics", "materials.hardening_curve", "dynamics johnson_cook"): "a material may be described for other rooms too: `stress` takes it",
    ("dynamics", "analysis.tolerance", "dynamics relaxation"): "the estimate counts from step 100 on and is below it by then; 1e-5 takes 225 steps",
    ("dynamics", "analysis.steps", "dynamics relaxation"): "a limit that is not met",
    ("dynamics", "analysis.tolerance", "dynamics static"): "Newton's last residual is far below it",
    ("dynamics", "sections.set"): "the set is the whole mesh",
    ("dynamics", "contact.overlap"): "nothing overlaps",
    ("dynamics", "contact.friction", "dynamics shell"): "nothing touches",
    ("dynamics", "contact.thickness", "dynamics shell"): "nothing touches",
    ("dynamics", "ties.distance"): "all nodes are near enough",
    ("fracture", "materials.law"): "elastic is what is computed",
    ("fracture", "materials.yield"): "a material may be described for other rooms too",
    ("fracture", "cohesive.friction", "fracture strip"): "nothing closes",
    ("topopt", "loads.box.max"): "the same nodes",
    ("topopt", "loads.box.min"): "the same nodes",
    ("topopt", "springs.box.max"): "the same nodes",
    ("topopt", "springs.box.min"): "the same nodes",
    ("topopt", "masses.box.max"): "the same nodes",
    ("topopt", "constraints.box.max"): "the same nodes",
    ("topopt", "printing.box.max"): "the same nodes",
    ("topopt", "sets.name"): "no entry names the set",
    ("topopt", "sets.box.min"): "no entry names the set",
    ("topopt", "sets.box.max"): "no entry names the set",
    ("topopt", "objective_change"): "densities still change by more than `change`",
    ("topopt", "ranks"): "one rank",
    ("topopt", "constraints.load_case"): "there is one load case",
    ("topopt", "loads.spread", "topopt mechanism"): "one node",
    ("topopt", "materials.conductivity"): "a material may be described for other rooms too",
    ("topopt", "materials.law"): "a material may be described for other rooms too: its elastic part is taken",
    ("powder", "ambient"): "nothing exchanges heat with it",
    ("powder", "materials.evaporation_heat", "powder"): "nothing evaporates",
    ("powder", "materials.molar_mass", "powder"): "nothing evaporates",
    ("shape", "loose"): "nothing hangs loose",
    ("structure", "materials.conductivity"): "a material may be described for other rooms too",
    ("structure", "materials.density", "structure plastic"): "nothing weighs or moves",
    ("structure", "materials.law", "structure static"): "the material has no yield stress",
    **{("structure", "materials." + k, "structure static"): "the material has no yield stress" for k in ("tangent", "hardening", "kinematic", "mechanical.hardening", "mechanical.tangent")},
    **{("structure", "materials.mechanical." + k, "structure plastic"): "no temperature changes" for k in
       ("thermal_strain", "expansion", "expansion_mean", "expansion_reference", "anneal", "recovery_start", "recovery_end")},
    ("structure", "mechanical.expansion_reference", "structure static"): "of expansion_mean, which is not given",
    ("structure", "output.count"): "its analyses have one step each",
    ("structure", "output.history_every"): "every step has a row",
    **{("structure", k, "structure static"): "the mass of a node weighs where an acceleration is given to that node" for k in ("masses.set", "masses.mass")},
    ("structure", "sections.set"): "the set is the whole mesh",
    ("structure", "supports.where"): "in the first analysis both are the same",
    ("structure", "supports.replaces"): "no two supports have a node in common",
    ("structure", "loads.given"): "of decks: there is no other load on these nodes",
    **{("structure", k): "there is one analysis" for k in ("supports.last", "loads.last", "prescribed_temperatures.last", "heat_loads.last")},
    **{("structure", k, "structure static"): "nothing radiates" for k in ("absolute_zero", "stefan_boltzmann")},
    **{("structure", "analysis." + k, "structure static"): "the analysis is linear, one step" for k in ("largest_step", "fixed_steps", "steps")},
    ("structure", "analysis.tolerance", "structure joints"): "Newton's last residual is far below it",
    ("structure", "contacts.distance"): "all points are near enough",
    ("structure", "contacts.tangential", "structure contact"): "a share of `damping`, which is not given",
    ("structure", "ties.distance"): "all nodes are near enough",
    ("structure", "analysis.highest", "structure frequency"): "both frequencies are below it",
    ("structure", "analysis.fixed_steps", "structure rubber"): "the steps are as long without it",
    ("structure", "tables.axes", "structure heat"): "temperatures have no axes",
}
# Choices that switch another key of their section off without a word: (room, choice, value, key) and the reason.
SWITCHED = {
    **{(room, "materials.law", law, key): "the law chooses what it takes of a material, which may be described for other rooms too"
       for room in ("dynamics", "stress", "structure") for law in ("elastic", "plastic", "neo_hookean")
       for key in ("yield", "hardening", "kinematic", "tangent", "hardening_curve", "specific_heat")},
    **{("dynamics", "probes.quantity", q, "set"): "zero at both places" for q in ("cx", "cy", "cz", "vx", "vy", "vz")},
    ("fracture", "probes.quantity", "fx", "set"): "zero at both places",
    ("thermal", "conduction", "recompute", "anisotropy"): "other values are refused",
    ("topopt", "solver.preconditioner", "jacobi", "fine_smoothing_steps"): "other values are refused",
    ("thermal", "step_limit", "state", "track_every"): "the run has seven steps, fewer than any of the values",
    ("thermal", "beams.normalise", "false", "sampling"): "a cylinder, whose end is sharp and which nothing scales, takes eight points per side",
    **{("structure", "tables.quantity", q, "axes"): "zero, or in fixed axes as documented" for q in ("velocity", "temperature", "heat_flow", "section")},
    ("structure", "tables.total", "only", "axes"): "sums are in fixed axes",
    ("topopt", "optimiser.move_limit_kind", "relative", "x_min"): "densities fall by a share of themselves: none comes to it in so few designs",
    ("structure", "contacts.tied", "true", "clearance"): "tied surfaces keep the distance they have",
    **{("structure", "analysis." + k, v, "tolerance"): "Newton's last residual is far below it" for k, v in (("kind", "static"), ("large", "true"), ("steady", "true"))},
    ("dynamics", "analysis.kind", "buckling", "at_time"): "the load is constant in time",
    ("dynamics", "analysis.method", "relaxation", "tolerance"): "the estimate counts from step 100 on and is below it by then",
    ("dynamics", "analysis.method", "arc_length", "largest_step"): "its steps are shorter",
    ("stress", "phases.layers", "true", "new_nodes"): "the body has not moved when its one layer comes; from the third layer on it acts",
}
# Keys of materials that a room reads; a material is described once for all rooms and may hold more.
MATERIAL = {
    "thermal": "density conductivity specific_heat powder_conductivity solidus liquidus latent_heat absorptivity",
    "powder": "density conductivity specific_heat powder_conductivity solidus liquidus latent_heat absorptivity boiling evaporation_heat molar_mass",
    "stress": "young poisson law yield tangent hardening kinematic hardening_curve mechanical homogenised",
    "dynamics": "density young poisson law yield tangent hardening kinematic hardening_curve johnson_cook specific_heat",
    "fracture": "density young poisson fracture_energy fracture_energy_shear cohesive_strength cohesive_strength_shear law yield",
    "topopt": "density young poisson conductivity law yield",
    "shape": "",
    "grains": "",
    "structure": "density young poisson law yield tangent hardening kinematic hardening_curve mechanical conductivity specific_heat",
}
# Values that another value cannot be guessed from.
HINTS = {
    "dwell_change": [0.01, 0.3, 500.0],
    "analysis.tolerance": [1e-7, 0.5],
    "movie.frames": [1, 30],
    "bodies.fix": ["all"],
    "phases.change": [30.0, 300.0, 2000.0],
    "solver.smoothing_steps": [3],
    "solver.coarse_cycles": [1, 2],
    "insertion_threshold": [0.5, 0.9, 0.1],
    "check_every": [1, 3, 0],
    "set": ["xmin", "zmax", "wall"],
    "fix": ["x", "all", "z"],
    "supports.components": ["z", "x"],
    "bodies.components": ["x", "z"],
    "output.fields": [["T"], ["displacement"], ["density"], []],
    "mesh.sets.name": ["other"],
    "probes.name": ["other"],
    "sets.name": ["other"],
    "history": [[[0, 0], [1e-5, 0.7]], 0.5],
    "file": ["missing.h5"],
    "stl": ["missing.stl"],
}


def wanted(room, entry, key):
    if only and not key.startswith(only):
        return False
    if "only" in entry and not any(key == o or key.startswith(o + ".") for o in entry["only"]):
        return False
    if key.startswith("materials."):
        return key.split(".")[1] in MATERIAL[room].split()
    return "only" in entry or not key.startswith("mesh.")


def reason(table, room, key, case=None):
    for at, why in table.items():
        if isinstance(at, str):
            if key == at:
                return why
        elif at[0] in (room, "*") and (key == at[1] or key.endswith("." + at[1])) and (len(at) < 3 or at[2] == case):
            return why
    return None


STEEL = {"name": "steel", "density": 7850.0, "conductivity": [[300, 14.0], [1650, 31.0]], "specific_heat": [[300, 500.0], [1650, 800.0]], "absorptivity": 0.4,
         "solidus": 1600.0, "liquidus": 1650.0, "latent_heat": 2.7e5, "powder_conductivity": 0.5}
PLAIN = {"name": "steel", "density": 7850.0, "conductivity": 20.0, "specific_heat": 500.0}
SOLID = {"name": "steel", "density": 7850.0, "young": 210e9, "poisson": 0.3}
PLASTIC = dict(SOLID, **{"yield": 3e8, "hardening": 2e9})
MM = 1e-3


def block(x, y, z, cells, name="plate", origin=(0, 0, 0)):
    return {"name": name, "origin": [o * MM for o in origin], "size": [x * MM, y * MM, z * MM], "cells": cells}


def thermal():
    two = {"boxes": [block(8, 4, 2, [4, 2, 2]), block(8, 4, 2, [4, 2, 2], "wall", (0, 0, 2))]}
    raster = {"power": 3000.0, "speed": 0.08, "spacing": 1 * MM, "layer_height": 1 * MM, "base": 2 * MM, "layers": 2, "dwell": 0.8,
              "regions": [{"min": [0.0, 0.0], "max": [8 * MM, 4 * MM]}]}
    out = {"count": 2}
    probe = [{"name": "mid", "point": [4 * MM, 2 * MM, 1.9 * MM]}]
    yield "layers", {"case": {
        "mesh": two, "materials": [STEEL], "birth": {"by": "layers", "set": "wall", "height": 1 * MM, "temperature": "melt"},
        "beams": [{"model": "gaussian", "radius": 2 * MM, "depth": 2 * MM, "raster": raster}],
        "boundary": [{"set": "zmin", "temperature": 320.0}, {"set": "surface", "convection": 50.0, "emissivity": 0.5}],
        "initial": [{"set": "xmax", "temperature": 350.0}], "duration": 2.5, "output": out, "probes": probe},
        "hints": {"boundary.set": ["xmin"], "initial.set": ["xmin"], "beams.axis": [[1, 0, -2]], "beams.order": [6.0], "birth.field": ["other"],
                  "initial.field": ["T_peak"], "beams.laser": [1], "birth.set": ["plate"], "birth.height": [3e-4], "dwell_change": [0.01, 1.0, 30.0, 500.0],
                  "probes.to": [[0.006, 0.002, 0.0019]]}}
    scan = {"parts": [{"min": [0.0, 0.0, 2 * MM], "max": [8 * MM, 4 * MM, 4 * MM]}], "layer_height": 1 * MM, "spacing": 1 * MM,
            "power": 3000.0, "speed": 0.2, "pattern": "stripes", "width": 3 * MM, "recoating": 0.05}
    hints = {"beams.axis": [[1, 0, -2]], "beams.order": [6.0], "hatch.base": [0.001], "hatch.jump_speed": [0.1], "hatch.parts.field": ["a"],
             "boundary.set": ["ymin", "ymax"], "birth.set": ["plate"], "hatch.parts.threshold": [3.0], "hatch.settle": [0.01],
             "hatch.start_time": [0.1], "hatch.layer_time": [0.5], "hatch.layers": [1], "birth.height": [3e-4], "birth.field": ["other"], "dwell_change": [0.01, 1.0, 30.0, 500.0],
             "from.temperature": ["T_peak"], "from.flux": ["T"], "from.convection": ["T"], "from.ambient": ["T"]}
    bead = {"mesh": two, "materials": [STEEL], "birth": {"by": "bead", "set": "wall", "width": 1.5 * MM, "height": 1 * MM},
            "hatch": scan, "beams": [{"model": "goldak", "radius": 1 * MM, "laser": 1, "sampling": 1.5}],
            "boundary": [{"set": "zmin", "convection": 500.0}], "duration": 0.6, "output": out}
    yield "bead", {"case": bead, "hints": hints}
    skin = dict(scan, pattern="lines", contour={"offset": 0.3 * MM}, up_skin={"power": 150.0}, down_skin={"speed": 0.3})
    skin.pop("width")
    yield "lines", {"case": dict(bead, hatch=skin), "only": ["hatch"], "hints": hints}
    ring = dict(bead, beams=[{"model": "surface", "radius": 1 * MM, "laser": 1, "absorptivity": 0.5,
                              "ring": {"radius": 1 * MM, "width": 0.5 * MM, "share": 0.4}}])
    yield "ring", {"case": ring, "only": ["beams"], "hints": hints}
    cylinder = dict(bead, beams=[{"model": "cylinder", "radius": 1 * MM, "laser": 1, "depth_profile": [[0.0, 1.0], [1 * MM, 0.3]],
                                  "profile": [[0.0, 1.0], [1 * MM, 0.5]]}])
    yield "cylinder", {"case": cylinder, "only": ["beams"], "hints": hints}
    boils = dict(STEEL, boiling=3100.0, evaporation_heat=6.3e6, molar_mass=0.056)
    keyhole = dict(bead, materials=[boils], beams=[{"radius": 0.45 * MM, "laser": 1, "depth": 0.05 * MM, "absorptivity": 0.35, "keyhole": {"absorptivity": 0.35}}],
                   boundary=[{"set": "surface", "evaporation": True}])
    yield "keyhole", {"case": keyhole, "only": ["beams.keyhole", "beams.depth", "boundary.evaporation", "materials.boiling", "materials.evaporation_heat", "materials.molar_mass"],
                      "hints": dict(hints, **{"boiling": [2900.0], "evaporation_heat": [7e6], "molar_mass": [0.05], "transition": [1.0], "depth_factor": [9.0], "beams.depth": [2 * MM]})}
    several = {"power": 200.0, "speed": 0.1, "spacing": 1 * MM, "layer_height": 1 * MM, "base": 2 * MM, "parts": [
        {"regions": [{"min": [0.0, 0.0], "max": [3 * MM, 2 * MM]}]}, {"regions": [{"min": [5 * MM, 0.0], "max": [8 * MM, 2 * MM]}]}]}
    parts = dict(bead, beams=[{"model": "gaussian", "radius": 1 * MM, "raster": several}])
    parts.pop("hatch")
    yield "parts", {"case": parts, "only": ["beams.raster.parts", "beams.raster.part_dwell"], "hints": dict(hints, **{"regions.min": [[0.0, 1 * MM]]})}
    path = dict(bead, beams=[{"model": "gaussian", "radius": 1 * MM, "path": {"file": "path.csv"}}], duration=0.1)
    path.pop("hatch")
    path["birth"] = {"by": "list", "list": [{"set": "wall", "time": 0.02}]}
    yield "path", {"case": path, "only": ["beams.path", "birth"], "hints": dict(hints, **{"list.set": ["plate"]})}
    start = {"mesh": {"boxes": [block(8, 4, 2, [4, 2, 2])]}, "materials": [dict(PLAIN)],
             "duration": 0.2, "initial": [{"file": "heat/snap_000001.vtkhdf"}], "output": out,
             "boundary": [{"set": "xmax", "flux": 1e5}, {"set": "xmin", "from": [{"file": "heat/snap_000001.vtkhdf", "temperature": "T"}]}]}
    yield "fields", {"case": start, "only": ["initial", "boundary", "ambient", "time_step", "safety", "step_limit", "conduction",
                                             "surface", "latent"], "hints": dict(hints, **{"initial.field": ["T_peak"]})}


def meshes():
    def heat(mesh, **more):
        return dict({"mesh": mesh, "materials": [dict(PLAIN)], "duration": 1e-3,
                     "initial": [{"set": "xmin", "temperature": 400.0}], "output": {"count": 1}}, **more)
    box = {"boxes": [block(4, 3, 2, [3, 2, 2])], "sets": [{"name": "s", "box": {"max": [1 * MM, 9 * MM, 9 * MM]}}],
           "jitter": {"amount": 0.2, "keep": [{"sphere": {"center": [0.0, 0.0, 0.0], "radius": 1 * MM}}]},
           "remove": [{"cylinder": {"from": [4 * MM, 0.0, 2 * MM], "to": [4 * MM, 3 * MM, 2 * MM], "radius": 1 * MM}}]}
    yield "boxes", {"case": heat(box, initial=[{"set": "s", "temperature": 400.0}]), "only": ["mesh"],
                    "hints": {"mesh.field": ["a"], "boxes.name": ["other"], "sphere.radius": [3 * MM], "cylinder.inner": [0.9 * MM]}}
    yield "accept", {"case": heat({"boxes": [block(4, 3, 2, [3, 2, 2])]}, accept=[{"figure": "T_max", "min": 350.0, "max": 450.0}]), "only": ["accept"],
                     "hints": {"accept.figure": ["T_min"], "accept.min": [420.0], "accept.max": [360.0]}}
    for name, mesh in {
        "annulus": {"annulus": {"inner": 5 * MM, "outer": 8 * MM, "cells": [2, 8, 2], "height": 2 * MM}},
        "cylinder": {"cylinder": {"radius": 4 * MM, "height": 2 * MM, "cells": [2, 1, 2]}},
        "tube": {"tube": {"inner": 5 * MM, "outer": 8 * MM, "cells": [2, 8, 2], "height": 2 * MM, "angle": 1.0}},
        "stl": {"stl": "part.stl", "voxel": 1 * MM, "build_plate": {"thickness": 1 * MM}},
    }.items():
        yield "mesh " + name, {"case": heat(mesh, initial=[{"set": "zmin" if name == "stl" else "bottom", "temperature": 400.0}]), "only": ["mesh"],
                               "hints": {"stl": ["other.stl"], "mesh.field": ["a"], "mesh.translate": [[0, 0, 2 * MM]], "mesh.unit": [2e-3]}}


def stress():
    two = {"boxes": [block(8, 4, 2, [4, 2, 2]), block(8, 4, 2, [4, 2, 2], "wall", (0, 0, 2))]}
    steel = dict(STEEL, young=200e9, poisson=0.3, hardening=2e9, mechanical={"expansion": 1.5e-5}, **{"yield": 4e8})
    probes = [{"name": "top", "point": [4 * MM, 2 * MM, 3.5 * MM], "quantity": "sxx"}]
    hints = {"supports.set": ["ymin", "zmin"], "phases.file": ["path.csv"], "phases.set": ["plate"], "loads.set": ["xmin"], "supports.since": ["cool"], "supports.until": ["cool"],
             "probes.since": ["cool"], "probes.point": [[0.001, 0.001, 0.0025]], "equal": ["x"], "distortion": ["zmin"], "inherent.set": ["plate"], "phases.decay": [100.0],
             "phases.name": ["other"], "consolidated": ["wall"], "materials.mechanical.thermal_strain": [[[300, 0], [1600, 0.02]]]}
    case = {"mesh": two, "materials": [steel], "temperature": 353.0, "supports": [{"set": "zmin", "fix": "all"}],
            "phases": [{"name": "build", "kind": "build", "set": "wall", "height": 1 * MM, "duration": 60.0},
                       {"name": "cool", "duration": 600.0, "steps": 2, "temperature": [[0, 353.0], [600, 293.15]]},
                       {"name": "cut", "kind": "cut", "set": "wall", "steps": 2}],
            "probes": probes, "output": {"count": 2}}
    yield "build", {"case": case, "hints": hints}
    inherent = dict(case, inherent=[{"strain": [-0.003, -0.002, 0.001]}], compensation=1.0)
    inherent["phases"] = case["phases"][:2]
    yield "inherent", {"case": inherent, "only": ["inherent", "inherent_scale", "compensation", "compensation_runs", "compensation_tolerance",
                                                  "phases"], "hints": hints}
    load = {"mesh": {"boxes": [block(8, 4, 2, [4, 2, 1])]}, "materials": [dict(steel, kinematic=1e9)],
            "supports": [{"set": "xmin", "fix": "all"}, {"set": "xmax", "components": "x", "displacement": [1e-4, 0.0, 0.0]}],
            "loads": [{"set": "ymax", "pressure": 1e7}, {"set": "zmax", "total": [0.0, 0.0, -10.0]}],
            "phases": [{"name": "pull", "steps": 2}, {"name": "more", "temperature": 350.0}], "probes": [{"name": "f", "set": "xmax", "quantity": "fx"}], "output": {"count": 2}}
    yield "load", {"case": load, "hints": dict(hints, **{"supports.since": ["more"], "supports.until": ["more"], "probes.since": ["more"],
                                                         "phases.temperature": [400.0]})}
    yield "solver", {"case": dict(load, solver={}), "only": ["solver"], "hints": dict(hints, **{"solver.iterations": [1], "solver.linear_limit": [1]})}
    torn = dict(case, phases=case["phases"][:2], tearing=[{"set": "wall", "strength": 1e8}], parts=[{"name": "plate", "set": "plate"}])
    yield "torn", {"case": torn, "only": ["tearing", "parts"], "hints": dict(hints, **{"tearing.set": ["plate"], "tearing.strength": [3e8], "parts.set": ["wall"], "parts.datum_set": ["zmin"], "parts.name": ["other"],
                                                                                     "parts.tolerance": [1e-7]})}
    creep = dict(load, materials=[dict(steel, mechanical={"expansion_mean": 1.5e-5, "creep": {"factor": 1e-40, "power": 4.0, "energy": 100.0},
                                                          "recovery_start": 800.0, "recovery_end": 1200.0})],
                 phases=[{"name": "hot", "steps": 3, "duration": 10.0, "temperature": 900.0}])
    yield "creep", {"case": creep, "only": ["materials.mechanical", "floors"], "hints": hints}
    phase = dict(load, materials=[dict(steel, mechanical={"expansion": 1.1e-5, "anneal": 1500.0, "transformation": {
                     "martensite_start": 400.0, "austenite_start": 700.0, "austenite_end": 1000.0, "strain": 5e-3, "trip": 5e-11, "yield": 2e8, "hardening": 1e9, "expansion": 1.8e-5}})],
                 phases=[{"name": "heat", "steps": 2, "temperature": 850.0}, {"name": "cool", "steps": 2, "temperature": [[0, 850.0], [1, 320.0]]}])
    yield "phase", {"case": phase, "only": ["materials.mechanical.transformation"], "hints": dict(hints, **{"transformation.strain_temperature": [400.0]})}
    walls = dict(load, materials=[dict(steel, homogenised={"wall": 1e-4, "spacing": 1e-3, "perforation": 0.1})])
    yield "walls", {"case": walls, "only": ["materials.homogenised"], "hints": dict(hints, **{"homogenised.share": [0.3]})}
    heat = {"mesh": two, "materials": [steel], "temperature": 300.0, "supports": [{"set": "zmin", "fix": "all"}],
            "phases": [{"name": "heat", "kind": "heat", "file": "heat"}], "floors": {"hardening": 0.01}, "output": {"count": 2}}
    yield "heat", {"case": heat, "only": ["phases", "floors", "temperature"], "hints": hints}
    torn = {"mesh": two, "materials": [dict(steel, law="elastic")], "supports": [{"set": "zmin", "fix": "all"}],
            "loads": [{"set": "zmax", "total": [2000.0, 0.0, 4800.0]}], "tearing": [{"set": ["wall"], "strength": 2.09e8}],
            "parts": [{"name": "p", "set": "plate", "datum": "machine", "tolerance": 1e-9}], "phases": [{"name": "pull", "steps": 2}], "output": {"count": 2}}
    yield "tearing", {"case": torn, "only": ["tearing", "parts"],
                      "hints": dict(hints, **{"tearing.set": ["plate"], "parts.set": ["wall"], "parts.datum_set": ["plate"], "tearing.strength": [1.7e8], "parts.tolerance": [1.0], "parts.name": ["q"]})}


def dynamics():
    box = {"boxes": [block(8, 2, 2, [4, 1, 1])]}
    out = {"count": 2}
    hints = {"supports.set": ["ymin"], "tools.axis": [[0.1, 0, -1.0]], "loads.set": ["ymax"], "initial.set": ["xmin"], "bodies.set": ["xmin"], "probes.set": ["ymax"],
             "probes.point": [[0, 0, 0]], "sections.set": ["plate"], "sections.up": [[0, 1, 0]], "ties.set": ["xmin"], "ties.to": ["xmin"],
             "johnson_cook.failure": [[0.001, 0, 0, 0, 0]], "sections.local_x": [[0, 1, 0]], "analysis.step_update_every": [3], "sections.iy": [2e-12]}
    yield "solid", {"case": {
        "mesh": box, "materials": [PLASTIC], "supports": [{"set": "xmin", "fix": "all"}],
        "loads": [{"set": "xmax", "total": [0.0, 0.0, -3000.0], "history": [[0, 0], [1e-5, 1]]}], "initial": [{"velocity": [0.0, 1.0, 0.0]}],
        "gravity": {}, "analysis": [{"duration": 2e-5}], "probes": [{"name": "w", "set": "xmax"}], "output": out}, "hints": hints}
    yield "static", {"case": {
        "mesh": box, "materials": [SOLID], "supports": [{"set": "xmin", "fix": "all"}, {"set": "xmax", "components": "z", "displacement": [0, 0, -1e-5], "history": [[0, 0], [1, 1]]}],
        "loads": [{"set": "zmax", "pressure": 1e5}], "analysis": [{"kind": "static"}],
        "probes": [{"name": "f", "set": "xmin", "quantity": "fz"}], "output": out}, "hints": dict(hints, **{"loads.history": [0.5]})}
    yield "relaxation", {"case": {
        "mesh": box, "materials": [SOLID], "supports": [{"set": "xmin", "fix": "all"}, {"set": "xmax", "components": "z", "displacement": [0, 0, -1e-5], "history": [[0, 0], [1, 1]]}],
        "loads": [{"set": "zmax", "pressure": 1e5}], "analysis": [{"kind": "static", "method": "relaxation", "ramp": 50, "steps": 3000}],
        "probes": [{"name": "f", "set": "xmin", "quantity": "fz"}], "output": out}, "only": ["analysis"], "hints": hints}
    jc = dict(SOLID, specific_heat=500.0, johnson_cook={"b": 3e8, "n": 0.3, "c": 0.02, "m": 1.0}, **{"yield": 3e8})
    yield "johnson_cook", {"case": {
        "mesh": box, "materials": [jc], "supports": [{"set": "xmin", "fix": "all"}], "initial": [{"set": "xmax", "velocity": [200.0, 0.0, 0.0]}],
        "sections": [{"integration": "single"}], "analysis": [{"duration": 1e-5}], "output": out},
        "only": ["materials", "sections", "initial"], "hints": hints}
    plate = {"shell": True, "boxes": [{"name": "plate", "size": [8 * MM, 4 * MM], "cells": [4, 2]}]}
    yield "shell", {"case": {
        "mesh": plate, "materials": [PLASTIC], "sections": [{"thickness": 0.5 * MM}], "supports": [{"set": "xmin", "fix": "all"}],
        "loads": [{"set": "plate", "pressure": 1e7}], "initial": [{"velocity": [0.0, 0.0, 20.0]}], "analysis": [{"duration": 2e-5}],
        "contact": {}, "output": out}, "only": ["sections", "loads", "contact", "inertia_scale", "materials"], "hints": hints}
    line = {"beam_line": {"x": [0.0, 20 * MM], "cells": 4}}
    for name, section in {"circle": {"radius": 1 * MM}, "tube": {"profile": "tube", "radius": 1 * MM, "wall": 0.2 * MM},
                          "i": {"profile": "i", "width": 2 * MM, "height": 3 * MM, "flange": 0.3 * MM, "web": 0.3 * MM},
                          "area": {"area": 3e-6, "iy": 1e-12, "iz": 1e-12, "torsion": 1e-12}, "bar": {"line": "bar", "area": 3e-6}}.items():
        yield "beam " + name, {"case": {
            "mesh": line, "materials": [SOLID], "sections": [section], "supports": [{"set": "start", "fix": "all"}],
            "initial": [{"velocity": [1.0, 1.0, 2.0], "spin": [100.0, 0.0, 0.0]}], "analysis": [{"duration": 2e-5}], "output": out},
            "only": ["sections"], "hints": hints}
    two = {"boxes": [block(4, 2, 2, [2, 1, 1], "a"), block(4, 2, 2, [3, 2, 1], "b", (0, 0, 2.05))],
           "sets": [{"name": "low", "box": {"min": [0, 0, 2.04 * MM], "max": [1, 1, 2.06 * MM]}},
                    {"name": "up", "box": {"min": [0, 0, 1.99 * MM], "max": [1, 1, 2.01 * MM]}}]}
    yield "contact", {"case": {
        "mesh": two, "materials": [SOLID], "supports": [{"set": "zmin", "fix": "all"}],
        "initial": [{"set": "b", "velocity": [5.0, 0.0, -10.0], "spin": [100.0, 0.0, 0.0]}], "contact": {"thickness": 0.05 * MM},
        "tools": [{"point": [0.0, 0.0, 4.1 * MM], "axis": [0.0, 0.0, -1.0], "velocity": [0.0, 0.0, -10.0]}],
        "analysis": [{"duration": 8e-6}], "output": out}, "only": ["contact", "tools", "initial"],
        "hints": dict(hints, **{"tools.history": [[[0, 0], [1, 1]]]})}
    yield "residual", {"case": {
        "mesh": {"boxes": [block(8, 4, 2, [4, 2, 1])]}, "materials": [SOLID], "residual": {"file": "pulled/snap_000001.vtkhdf"}, "analysis": [{"duration": 1e-5}], "output": out},
        "only": ["residual"], "hints": hints}
    yield "bodies", {"case": {
        "mesh": two, "materials": [SOLID], "supports": [{"set": "zmin", "fix": "xy", "velocity": [0.0, 0.0, 1.0], "components": "z"}],
        "bodies": [{"set": "zmax", "velocity": [0.0, 0.0, -5.0], "spin": [0.0, 0.0, 3.0]}],
        "ties": [{"set": "low", "to": "up", "distance": 0.2 * MM}], "contact": {"on": False},
        "analysis": [{"duration": 1e-5}], "output": out}, "only": ["bodies", "ties", "supports", "contact"], "hints": hints}


def structure():
    bar = {"boxes": [block(8, 2, 2, [3, 1, 1])],
           "sets": [{"name": "corner", "of": "nodes", "box": {"min": [7.9 * MM, 1.9 * MM, 1.9 * MM], "max": [1, 1, 1]}},
                    {"name": "other", "of": "nodes", "box": {"min": [7.9 * MM, -1, 1.9 * MM], "max": [1, 0.1 * MM, 1]}},
                    {"name": "low", "of": "nodes", "box": {"min": [7.9 * MM, -1, -1], "max": [1, 0.1 * MM, 0.1 * MM]}},
                    {"name": "one", "of": "elements", "box": {"min": [-1, -1, -1], "max": [3 * MM, 1, 1]}}]}
    out = {"count": 2}
    fixed = [{"set": "xmin", "fix": "all"}]
    hints = {"supports.set": ["ymin"], "loads.set": ["ymax"], "first": [2], "last": [1], "given": [[1]], "initial.set": ["ymin"], "springs.nodes": [["other"]],
             "springs.components": [["z"]], "masses.set": ["other"], "sections.set": ["plate"], "axes.set": ["ymax"], "tables.set": ["xmin"],
             "tables.analysis": [2], "couplings.set": ["ymax"], "couplings.node": ["other"], "couplings.components": ["x y"], "equations.nodes": [["corner", "low"]],
             "equations.components": [["z", "y"]], "equations.factors": [[1.0, -0.5]], "joints.nodes": [["corner", "low"]], "joints.node": ["low"],
             "couplings.rotation_node": ["low"], "temperatures.set": ["ymin"], "initial_temperatures.set": ["ymin"], "normals.element": [2], "normals.node": [2],
             "hyperelastic.material": ["none"], "damping.material": ["none"], "without": [[1]], "contacts.set": ["zmax"], "contacts.to": ["zmax"],
             "adjust_nodes": ["low"], "contacts.penetration": [1e-5, 1e-7], "ties.set": ["zmax"], "ties.to": ["zmax"], "analysis.steps": [1], "analysis.first_step": [0.2], "analysis.largest_step": [0.1],
             "analysis.duration": [0.5], "lowest": [1e5], "highest": [1e5], "history": [[[0, 0], [1, 0.7]], 0.5], "where": ["reached"],
             "initial_stresses.set": ["one"], "material_axes.set": ["plate"], "thicknesses.set": ["ymin"], "heat_loads.set": ["ymax"], "prescribed_temperatures.set": ["ymin"],
             "couplings.b": [[0.0, 1.0, 0.0]], "couplings.a": [[0.0, 0.0, 1.0]], "ogden": [[1e6, 2.0]], "polynomial": [[2e6]], "compressibility": [[1e-8]],
             "wall": [[0.2 * MM]], "curve": [[[-1, -1e5], [1, 1e5]]]}
    hot = dict(SOLID, mechanical={"expansion": 1.2e-5})
    static = {"mesh": bar, "materials": [hot], "supports": fixed + [{"set": "xmax", "components": "z", "displacement": [0.0, 0.0, -1e-5]}],
              "loads": [{"set": "zmax", "pressure": 1e6}, {"set": "other", "force": [0.0, 10.0, 0.0]}, {"set": "plate", "acceleration": [0.0, 0.0, -1e5]},
                        {"set": "plate", "rate": 3000.0}],
              "springs": [{"nodes": ["corner"], "components": ["y"], "stiffness": 1e6}], "masses": [{"set": "corner", "mass": 1e-3}],
              "sections": [{"integration": "full"}], "axes": [{"set": "xmax", "a": [1.0, 0.1, 0.0], "b": [0.0, 1.0, 0.0]}],
              "initial_temperatures": [{"set": "all", "temperature": 300.0}], "temperatures": [{"set": "zmax", "temperature": 330.0}],
              "initial_stresses": [{"set": "plate", "stress": [1e6, 0, 0, 0, 0, 0]}], "analysis": [{"duration": 1.0}, {"duration": 1.0}],
              "tables": [{"set": "xmax"}], "output": out}
    yield "static", {"case": static, "hints": hints}
    held = {"mesh": bar, "materials": [SOLID], "supports": fixed, "output": out}
    pull = [{"set": "corner", "force": [0.0, 5.0, -10.0]}]
    yield "couplings", {"case": dict(held, loads=pull, couplings=[{"node": "corner", "set": "ymin", "kind": "kinematic"}], supports=[], analysis=[{}],
                                     springs=[{"nodes": ["other"], "components": [c], "stiffness": 1e6} for c in "xyz"]),
                        "only": ["couplings"], "hints": hints}
    yield "axes", {"case": dict(held, loads=pull, couplings=[{"node": "corner", "set": "other", "kind": "kinematic", "components": "x y", "axes": "rectangular", "a": [1.0, 0.1, 0.0],
                                                              "b": [0.0, 1.0, 0.0]}], analysis=[{}]),
                   "only": ["couplings"], "hints": dict(hints, **{"couplings.set": ["low"], "couplings.components": ["x"], "couplings.b": [[0.0, 0.0, 1.0]]})}
    plastic = {k: v for k, v in PLASTIC.items() if k != "hardening"}
    plastic["mechanical"] = {"hardening": 1e9}
    yield "plastic", {"case": dict(held, materials=[plastic], loads=[{"set": "xmax", "pressure": 3.5e8}], analysis=[{"first_step": 0.2}]),
                      "only": ["materials", "sections"], "hints": dict(hints, **{"materials.hardening_curve": [[[0, 3e8], [0.1, 4e8]]]})}
    creep = {"factor": 1e-30, "power": 3.0, "energy": 1e4, "time_power": -0.3}
    yield "creep", {"case": dict(held, materials=[dict(plastic, mechanical={"creep": creep, "hardening": 1e9})],
                                 loads=[{"set": "xmax", "pressure": 1e8, "history": [[0, 0], [1, 1], [101, 2]]}],
                                 initial_temperatures=[{"set": "all", "temperature": 900.0}], analysis=[{"creep": True, "duration": 100.0, "first_step": 10.0}]),
                    "only": ["materials.mechanical.creep", "analysis"],
                    "hints": dict(hints, **{"analysis.creep_change": [1e-9], "analysis.duration": [60.0], "analysis.first_step": [4.0], "analysis.largest_step": [5.0]})}
    wood = {"name": "wood", "stiffness": [2e10, 3e9, 8e9, 2e9, 1e9, 5e9, 2e9, 1e9, 3e9]}
    yield "wood", {"case": dict(held, materials=[wood], loads=pull, material_axes=[{"set": "plate", "a": [1.0, 0.3, 0.0], "b": [0.0, 1.0, 0.0]}], analysis=[{}]),
                   "only": ["material_axes"], "hints": dict(hints, **{"material_axes.set": ["one"], "material_axes.b": [[0.0, 1.0, 1.0]]})}
    yield "equations", {"case": dict(held, loads=pull, equations=[{"nodes": ["corner", "other"], "components": ["z", "z"], "factors": [1.0, -1.0]}], analysis=[{}, {}]),
                        "only": ["equations"], "hints": hints}
    yield "joints", {"case": dict(held, loads=pull, joints=[{"nodes": ["corner", "other"]}], analysis=[{"large": True, "first_step": 0.25}]),
                     "only": ["joints", "analysis"], "hints": hints}
    two = {"boxes": [block(4, 2, 2, [2, 1, 1], "a"), block(4, 2, 2, [3, 2, 1], "b", (0, 0, 2.05))],
           "sets": [{"name": "low", "of": "faces", "box": {"min": [0, 0, 2.04 * MM], "max": [1, 1, 2.06 * MM]}},
                    {"name": "up", "of": "faces", "box": {"min": [0, 0, 1.99 * MM], "max": [1, 1, 2.01 * MM]}}]}
    press = {"mesh": two, "materials": [SOLID], "supports": [{"set": "zmin", "fix": "all"}, {"set": "zmax", "components": "xyz", "displacement": [1.0 * MM, 0.0, -0.052 * MM]}],
             "analysis": [{"first_step": 0.2, "largest_step": 0.2}], "output": out}
    yield "contact", {"case": dict(press, contacts=[{"set": "low", "to": "up", "friction": 0.3}]), "only": ["contacts", "supports"], "hints": hints}
    tool = {"name": "die", "shape": "cylinder", "point": [4 * MM, 1 * MM, 9 * MM], "axis": [0.0, 1.0, 0.0], "radius": 7 * MM, "displacement": [0.0, 0.0, -0.05 * MM]}
    yield "tools", {"case": dict(held, tools=[tool], contacts=[{"set": "zmax", "to": "die"}], supports=[{"set": "zmin", "fix": "all"}], analysis=[{"first_step": 0.5}]), "only": ["tools"],
                    "hints": dict(hints, **{"tools.axis": [[0.1, 1.0, 0.0]], "tools.point": [[4 * MM, 1 * MM, 8.98 * MM]], "tools.radius": [7.01 * MM],
                                            "tools.displacement": [[0.0, 0.0, -0.04 * MM]], "tools.name": ["other"], "tools.hollow": [True]})}
    yield "ties", {"case": dict(press, ties=[{"set": "low", "to": "up", "distance": 0.1 * MM}]), "only": ["ties"], "hints": hints}
    yield "dynamic", {"case": dict(held, loads=pull, initial=[{"set": "xmax", "velocity": [0.0, 0.0, 1.0]}], damping=[{"material": "steel", "mass": 100.0}],
                                   analysis=[{"kind": "dynamic", "duration": 1e-4, "first_step": 2e-5}]),
                      "only": ["initial", "damping", "analysis"], "hints": dict(hints, **{"analysis.duration": [5e-5], "analysis.first_step": [1e-5], "analysis.largest_step": [1e-5],
                                                                                         "damping.stiffness": [1e-7]})}
    yield "arc", {"case": dict(held, loads=pull, analysis=[{"method": "arc_length", "large": True, "first_step": 0.05, "largest_step": 0.05, "until": {"set": "corner", "component": "z", "displacement": -2e-6}}]),
                  "only": ["analysis"], "hints": dict(hints, **{"until.set": ["other"], "until.component": ["w"], "until.factor": [0.1]})}
    yield "truss", {"case": {"mesh": {"beam_line": {"x": [0.0, 20 * MM], "cells": 3}}, "materials": [SOLID], "trusses": [{"area": 1e-6}],
                             "supports": [{"set": "all", "fix": "yz"}, {"set": "start", "fix": "x"}], "loads": [{"set": "end", "force": [1.0, 0.0, 0.0]}], "analysis": [{}], "output": out},
                    "only": ["trusses"], "hints": hints}
    yield "frequency", {"case": dict(held, masses=[{"set": "corner", "mass": 1e-3}], analysis=[{"kind": "frequency", "modes": 2}]), "only": ["masses", "analysis"], "hints": hints}
    yield "buckling", {"case": dict(held, loads=[{"set": "xmax", "pressure": 1e6}], analysis=[{"kind": "buckling", "modes": 2}]), "only": ["loads", "analysis"], "hints": hints}
    rubber = dict(held, loads=[{"set": "xmax", "pressure": -1e5}], hyperelastic=[{"material": "steel", "polynomial": [1e6], "compressibility": [1e-7]}],
                  analysis=[{"large": True, "first_step": 0.5}])
    yield "rubber", {"case": rubber, "only": ["hyperelastic", "analysis"], "hints": hints}
    heat = {"mesh": bar, "materials": [PLAIN], "prescribed_temperatures": [{"set": "xmin", "temperature": 400.0}], "initial_temperatures": [{"set": "all", "temperature": 300.0}],
            "heat_loads": [{"set": "corner", "power": 5.0}, {"set": "xmax", "film": 500.0, "sink": 300.0}, {"set": "zmax", "emissivity": 0.5, "sink": 500.0}],
            "tables": [{"set": "xmax", "quantity": "temperature"}], "analysis": [{"kind": "heat", "duration": 10.0, "first_step": 2.0}], "output": out}
    yield "heat", {"case": heat, "only": ["prescribed_temperatures", "heat_loads", "absolute_zero", "stefan_boltzmann", "initial_temperatures", "analysis", "tables"],
                   "hints": dict(hints, **{"analysis.duration": [5.0], "analysis.first_step": [1.0], "analysis.largest_step": [1.0], "tables.set": ["plate"]})}
    plate = {"boxes": [{"name": "plate", "size": [8 * MM, 4 * MM], "cells": [3, 2]}], "shell": True}
    yield "shell", {"case": {"mesh": plate, "materials": [SOLID], "shells": [{"thickness": 0.5 * MM, "nodal": True}], "thicknesses": [{"set": "xmax", "thickness": [0.4 * MM, 0.4 * MM]}],
                             "normals": [{"element": 1, "node": 1, "normal": [0.0, 0.0, 1.0]}],
                             "supports": fixed, "loads": [{"set": "xmax", "force": [0.0, 0.0, 1.0]}], "analysis": [{}], "output": out},
                    "only": ["shells", "thicknesses", "normals", "loads"], "hints": hints}
    line = {"beam_line": {"x": [0.0, 20 * MM], "cells": 3}}
    yield "beam", {"case": {"mesh": line, "materials": [SOLID], "beams": [{"size": [2 * MM, 1 * MM], "nodal": True}], "thicknesses": [{"set": "end", "thickness": [1 * MM, 1 * MM]}],
                            "supports": [{"set": "start", "fix": "all"}], "loads": [{"set": "end", "force": [0.0, 1.0, 2.0]}], "analysis": [{}], "output": out},
                   "only": ["beams", "thicknesses"], "hints": dict(hints, **{"thicknesses.set": ["start"], "beams.direction": [[0.0, 1.0, 0.0], [0.0, 1.0, 1.0]]})}


def fracture():
    sheet = {"element": "tri3", "triangle_pattern": "crossed", "boxes": [{"size": [8 * MM, 4 * MM], "cells": [6, 4]}]}
    pmma = {"name": "PMMA", "density": 1190.0, "young": 3.24e9, "poisson": 0.35, "fracture_energy": 352.0, "cohesive_strength": 32.4e6}
    hints = {"supports.set": ["xmin"], "loads.set": ["xmin"], "initial.set": ["ymax"], "probes.set": ["xmin"], "initial.about": [[1e-3, 1e-3]],
             "probes.point": [[0, 0]], "between": [["PMMA", "other"]], "supports.components": ["x"], "cracks.closed": [True], "displacement": [[1e-5, 0]], "velocity": [[2.0, 0]], "acceleration": [[1e6, 0]], "shape_shear": [3.0],
             "interfaces.fracture_energy_shear": [50.0], "time_step": [1e-8], "insertion_threshold": [0.9, 0.3, 0.1], "check_every": [1, 50, 0]}
    out = {"count": 2}
    yield "strip", {"case": {
        "mesh": sheet, "materials": [pmma], "initial": [{"strain": [0.0, 0.015, 0.0]}], "supports": [{"set": "ymin", "fix": "y"},
                                                                                                  {"set": "ymax", "velocity": [0.0, 2.0], "components": "y"}],
        "loads": [{"set": "xmax", "pressure": 1e6, "history": [[0, 0], [1e-6, 1]]}], "cracks": [{"from": [0.0, 2 * MM], "to": [2.67 * MM, 2 * MM]}],
        "probes": [{"name": "hold", "set": "ymin", "quantity": "fy"}], "duration": 3e-6, "cohesive": {}, "output": out}, "hints": hints}
    yield "scatter", {"case": {
        "mesh": sheet, "materials": [pmma], "initial": [{"velocity": [1.0, 0.0], "expansion": 2000.0, "spin": [0.0, 0.0, 100.0], "strain": [0.005, 0.015, 0.0]}],
        "interfaces": [{"from": [0.0, 2 * MM], "to": [8 * MM, 2 * MM], "fracture_energy": 100.0, "cohesive_strength": 1e7}],
        "tips": [{"point": [4 * MM, 2 * MM]}],
        "cohesive": {"law": "linear", "weibull": 10.0, "friction": 0.3}, "surface_contact": True, "duration": 3e-6, "output": out},
        "only": ["initial", "cohesive", "interfaces", "tips", "tip_window", "safety", "thickness", "plane", "rotation"], "hints": hints}


    yield "insertion", {"case": {"mesh": sheet, "materials": [pmma], "insertion": {"batches": 4}, "output": out}, "only": ["insertion"], "timed": True, "hints": hints}
    blocks = {"element": "tet4", "boxes": [block(8, 4, 2, [4, 2, 1])]}
    yield "residual", {"case": {"mesh": blocks, "materials": [pmma], "residual": {"file": "pulled/snap_000001.vtkhdf"}, "duration": 2e-6, "output": out},
                       "only": ["residual"], "hints": hints}


def topopt():
    end = {"box": {"min": [8.0, 0.0, 0.0], "max": [8.0, 4.0, 0.0]}}
    base = {"grid": {"elements": [8, 4, 4]}, "volume": 0.3, "supports": [{"box": {"max": [0.0, 4.0, 4.0]}}],
            "loads": [dict(end, force=[0.0, 0.0, -1.0])], "iterations": 5, "output": {"count": 1}}
    hints = {"set": ["there"], "symmetry": [["y-"]], "weights": [[2.0]], "overhang.direction": ["z-"], "draw_direction.direction": ["x+"], "extrude": ["x"], "pattern.mirror": [["y"], ["x"]], "draw_direction.parting": [1.0, 3.0],
             "optimiser.method": ["mma", "gcmma"], "formats": [["obj"]], "exclude": [["there"]], "initial_design.field": ["other"], "pattern.repeat": [[2, 1, 1]],
             "constraints.direction": [[0, 0, 1]], "ports.direction": [[0, 0, 1]], "change": [0.9], "objective_change": [0.9],
             "supports.displacement": [[0, 0, 0.1]], "grid.translate": [[0.001, 0, 0]], "solver.limit": [1]}
    sets = [{"name": "there", "box": {"min": [4.0, 0.0, 0.0], "max": [6.0, 4.0, 4.0]}}]
    yield "grid", {"case": dict(base, sets=sets, passive=[{"box": {"min": [6.0, 0.0, 0.0]}, "as": "solid"}]), "hints": hints}
    yield "mma", {"case": dict(base, sets=sets, optimiser={"method": "mma"}, filter={"kind": "density"}, projection={"beta": 2.0, "every": 2},
                               penalty_ramp={"hold": 1, "factor": 1.5}, constraints=[dict(end, displacement=100.0, direction=[0.0, 0.0, -1.0])], surface={"analyse": True}),
                  "only": ["constraints", "projection", "filter", "optimiser", "penalty", "penalty_ramp", "surface", "volume", "minimise"], "hints": hints}
    yield "cycle", {"case": dict(base, materials=[dict(SOLID, young=1.0)], filter={"kind": "density"}, optimiser={"method": "mma"}, constraints=[{"stress": 3.0, "cycle": {"ratio": 0.2, "ultimate": 9.0}}]),
                    "only": ["constraints"], "hints": dict(hints, ratio=[0.5], ultimate=[5.0])}
    oc = {"method": "oc", "gray_exponent": 1.5, "gray_ramp": {"hold": 1, "factor": 1.1}}
    yield "oc", {"case": dict(base, optimiser=oc), "only": ["optimiser"], "hints": hints}
    made = dict(base, filter={"kind": "density"}, optimiser={"method": "mma"})
    yield "overhang", {"case": dict(made, overhang={}), "only": ["overhang"], "hints": hints}
    yield "draw", {"case": dict(made, draw_direction={"parting": 2.0, "angle": 5.0}), "only": ["draw_direction"], "hints": hints}
    yield "milling", {"case": dict(made, milling={"directions": ["z+", "x+"]}), "only": ["milling"], "hints": dict(hints, **{"milling.directions": [["z-"]]})}
    yield "finish", {"case": {"grid": {"elements": [4, 2, 2]}, "materials": [dict(SOLID, density=1.0, young=1.0, fatigue={"coefficient": 1.0, "exponent": -0.3, "ultimate": 1.0})], "volume": 1.0, "iterations": 1, "filter": {"kind": "none"},
                              "supports": [{"set": "xmin"}], "loads": [{"set": "xmax", "force": [0.0, 0.0, -0.001]}], "finish": {"meshes": 1, "spectrum": [{"cycles": 10.0, "ratio": 0.2}]}, "output": {"count": 1}},
                     "only": ["finish", "materials.fatigue"], "hints": dict(hints, **{"finish.size": [1.2]})}
    # so large that the coarse grid is no system of a few unknowns, which is solved at once
    fine = {"elements": [16, 8, 8], "size": [8.0, 4.0, 4.0]}
    yield "sequence", {"case": dict(base, grid=fine, sequence={"grids": 1, "iterations": 3}, pattern={"mirror": ["y"]}, solver={}),
                       "only": ["sequence", "solver", "pattern"], "hints": hints}
    heat = {"grid": {"elements": [6, 6, 0]}, "problem": "heat", "volume": 0.3, "source": 1.0, "supports": [{"box": {"max": [0.0, 2.0]}}],
            "iterations": 5, "output": {"count": 1}}
    yield "heat", {"case": heat, "hints": hints}
    yield "mechanism", {"case": {
        "grid": {"elements": [8, 4, 0]}, "problem": "mechanism", "volume": 0.3, "supports": [{"box": {"max": [0.0, 1.0]}}],
        "loads": [{"box": {"min": [0.0, 4.0], "max": [0.0, 4.0]}, "force": [1.0, 0.0, 0.0]}],
        "ports": [{"box": {"min": [8.0, 4.0]}, "direction": [-1.0, 0.0, 0.0]}],
        "springs": [{"box": {"min": [8.0, 4.0]}, "stiffness": [0.1, 0.0, 0.0]}, {"box": {"min": [0.0, 4.0], "max": [0.0, 4.0]}, "stiffness": [0.1, 0.0, 0.0]}],
        "iterations": 5, "output": {"count": 1}},
        "only": ["ports", "springs", "loads", "supports", "optimiser", "solver", "weights", "combine", "minimise", "symmetry", "stress"], "hints": hints}
    stressed = dict(base, materials=[dict(SOLID, young=1.0, mechanical={"expansion": 1e-3})], temperature_change=5.0, loads=[dict(end, force=[0.0, 0.0, -1.0]), {"gravity": [0.0, 0.0, -1e-5], "load_case": 2}],
                    minimise="stress", stress={}, filter={"kind": "density"}, masses=[dict(end, mass=1.0)], weights=[1.0, 2.0])
    yield "stress", {"case": stressed, "only": ["stress", "masses", "loads", "weights", "combine", "mass_threshold", "materials", "temperature_change"], "hints": hints}
    yield "frequency", {"case": {
        "grid": {"elements": [6, 3, 3]}, "problem": "frequency", "volume": 0.4, "materials": [dict(SOLID, density=1.0, young=1.0)],
        "supports": [{"box": {"max": [0.0, 3.0, 3.0]}}], "masses": [{"box": {"min": [6.0, 0.0, 0.0]}, "mass": 1.0}], "frequency": {}, "filter": {"kind": "density"},
        "iterations": 3, "output": {"count": 1}}, "only": ["frequency", "masses", "supports", "mass_threshold", "solver", "materials"], "hints": hints}
    pressed = dict(base, grid={"elements": [6, 3, 3], "size": [8.0, 4.0, 4.0]}, iterations=2, minimise="buckling", buckling={}, filter={"kind": "density"}, loads=[dict(end, force=[-1.0, 0.0, 0.2]), dict(end, force=[-1.0, 0.0, -0.3], load_case=2)],
                   constraints=[{"buckling": 1e-3, "load_case": 1}], weights=[1.0, 2.0])
    yield "buckling", {"case": pressed, "only": ["buckling", "constraints", "weights", "mass_threshold"], "hints": hints}
    printed = dict(base, minimise="distortion", filter={"kind": "density"}, passive=[{"box": {"min": [5.0, 0.0, 2.0]}}, {"box": {"min": [5.0, 0.0, 0.0], "max": [6.0, 4.0, 4.0]}}], constraints=[{"box": {"min": [8.0, 0.0, 1.0], "max": [8.0, 4.0, 3.0]}, "distortion": 1.0}],
                   printing={"box": {"min": [6.0, 0.0, 1.0], "max": [8.0, 4.0, 3.0]}, "strain": [-0.01, -0.02, -0.01]})
    yield "printing", {"case": printed, "only": ["printing", "constraints"], "hints": dict(hints, **{"printing.direction": ["z-"], "layers": [2], "angle": [70.0, 25.0]})}
    propped = dict(base, minimise="support_volume", filter={"kind": "density"}, sets=sets, constraints=[{"support_volume": 1.0}, {"removal_force": 1.0}, {"overheating": 2.0}],
                   printing={"box": {"max": [6.0, 4.0, 4.0]}, "support_strength": 1.0, "slab": 3.0})
    yield "supports", {"case": propped, "only": ["printing", "constraints", "minimise"],
                       "hints": dict(hints, **{"printing.direction": ["z-"], "angle": [60.0], "layers": [2], "slab": [1.0], "support_strength": [2.0]})}
    mesh = {"mesh": {"boxes": [{"name": "part", "size": [8.0, 4.0, 4.0], "cells": [6, 3, 3]}]}, "materials": [dict(SOLID, young=1.0)], "volume": 0.3,
            "supports": [{"set": "xmin"}], "loads": [{"set": "xmax", "force": [0.0, 0.0, -1.0]}], "iterations": 4, "output": {"count": 1}}
    yield "mesh", {"case": mesh, "hints": dict(hints, set=["ymin"], exclude=[["part"]])}
    yield "mesh mma", {"case": dict(mesh, filter={"kind": "helmholtz", "radius": 1.5}, optimiser={"method": "mma"}, initial_design={"file": "design/snap_000001.vtkhdf"},
                                    constraints=[{"set": "part", "stress": 10.0}], surface={}),
                       "only": ["filter", "constraints", "stress", "initial_design", "surface", "overhang"], "hints": dict(hints, set=["ymin"])}


def places():
    """Entries of designs by cylinders, spheres and planes."""
    def at(kind, x, z=2.0, r=1.6):
        return {"cylinder": {"cylinder": {"from": [x, 0.5, z], "to": [x, 3.5, z], "radius": r}},
                "sphere": {"sphere": {"center": [x, 2.0, z], "radius": r}},
                "plane": {"plane": {"point": [x, 2.0, z], "normal": [1.0, 0.0, 0.0], "within": 0.3}}}[kind]
    hints = {"set": ["there"], "cylinder.radius": [2.3, 0.7], "sphere.radius": [2.4, 1.1], "inner": [1.2, 0.6], "plane.within": [2.1, 1.2], "plane.normal": [[0.0, 0.0, 1.0], [1.0, 0.0, 1.0]]}
    far = {name: [[x, y, z] for x in (0.0, 3.0, 5.0, 7.0) for y, z in ys] for name, ys in {
        "cylinder.from": ((2.5, 2.0), (0.5, 1.0)), "cylinder.to": ((1.5, 2.0), (3.5, 1.0)), "sphere.center": ((2.0, 1.0), (1.0, 2.0)), "plane.point": ((2.0, 2.0),)}.items()}
    for kind in ("cylinder", "sphere", "plane"):
        base = {"grid": {"elements": [8, 4, 4]}, "volume": 0.8, "iterations": 3, "output": {"count": 1}, "filter": {"kind": "density"},
                "optimiser": {"method": "mma"}, "supports": [at(kind, 0.0, r=2.1)]}
        own = {"sets": [dict(at(kind, 2.5 if kind == "plane" else 2.0, 2.0, 2.0), name="there")], "materials": [dict(SOLID, young=1.0, density=1.0)],
               "loads": [dict(at(kind, 8.0), force=[0.0, 0.0, -1.0]), {"gravity": [0.0, 0.0, -1e-3]}], "masses": [dict(at(kind, 6.0), mass=1.0)],
               "passive": [dict(at(kind, 5.5 if kind == "plane" else 5.0, 3.0, 2.0), **{"as": "solid"}), {"set": "there", "as": "solid"}],
               "constraints": [dict(at(kind, 8.0), displacement=1e3, direction=[0.0, 0.0, -1.0])]}
        keys = [e + "." + kind for e in ("supports", "loads", "masses", "passive", "constraints", "sets")]
        yield "place " + kind, {"case": dict(base, **own), "only": keys, "hints": dict(hints, **far)}
        springs = [dict(at(kind, x), stiffness=[0.1, 0.0, 0.0]) for x in (8.0, 0.0)]
        mechanism = {"problem": "mechanism", "loads": [dict(at(kind, 4.0), force=[1.0, 0.0, 0.0])], "springs": springs,
                     "ports": [dict(at(kind, 8.0), direction=[-1.0, 0.0, 0.0])]}
        yield "moves " + kind, {"case": dict(base, **mechanism), "only": ["springs." + kind, "ports." + kind], "hints": dict(hints, **far)}


def powder():
    case = {"plate_temperature": 300.0, "materials": [STEEL], "beam": {"radius": 40e-6},
            "grid": {"cell": 20e-6, "window": [0.48e-3, 0.48e-3, 0.16e-3], "margin": 0.2e-3, "plate": 0.16e-3},
            "hatch": {"parts": [{"min": [0.0, 0.0, 0.0], "max": [0.2e-3, 0.1e-3, 80e-6]}], "layer_height": 40e-6, "spacing": 0.1e-3, "power": 100.0,
                      "speed": 2.0, "recoating": 0.5e-3},
            "probes": [{"name": "p", "point": [0.1e-3, 50e-6, 0.0]}], "output": {"count": 1}}
    hints = {"beam.depth": [40e-6], "beam.order": [6.0], "hatch.width": [0.1e-3], "hatch.settle": [1e-4], "hatch.base": [-4e-5], "probes.point": [[0, 0, 0]], "hatch.border": [1e-5],
             "hatch.overlap": [1e-5], "skywriting": [5e-5], "grid.margin": [0.3e-3], "hatch.parts.unit": [2e-3], "hatch.parts.translate": [[1e-4, 0, 0]],
             "hatch.parts.threshold": [3.0], "hatch.parts.field": ["a"], "movie.min": [[0, 0]], "movie.max": [[1e-4, 1e-4]], "duration": [5e-4],
             "layer_height": [20e-6], "convection": [1e5], "hatch.layers": [1], "hatch.parts.min": [[2e-5, 0, 0]], "hatch.jump_speed": [1.0],
             "map.min": [[0, 0, -2e-5]]}
    yield "powder", {"case": case, "hints": hints}
    boils = dict(STEEL, boiling=3100.0, evaporation_heat=6.3e6, molar_mass=0.056)
    yield "powder keyhole", {"case": dict(case, materials=[boils], evaporation=True, beam={"radius": 40e-6, "keyhole": {"absorptivity": 0.3}},
                                          hatch=dict(case["hatch"], power=200.0)),
                             "only": ["evaporation", "beam.keyhole", "materials.boiling", "materials.evaporation_heat", "materials.molar_mass"],
                             "hints": dict(hints, **{"boiling": [2900.0], "evaporation_heat": [7e6], "molar_mass": [0.05], "transition": [1.0]})}
    yield "powder map", {"case": dict(case, map={"min": [0.0, 0.0, 0.0], "max": [0.1e-3, 0.1e-3, 20e-6]}), "only": ["map"], "hints": hints}
    events = {"min": [0.0, 0.0, 0.0], "max": [0.1e-3, 0.1e-3, 80e-6], "layers": [1, 2]}
    yield "powder events", {"case": dict(case, events=events, hatch=dict(case["hatch"], recoating=10e-3)), "only": ["events"],
                            "hints": dict(hints, **{"events.layers": [[1, 1]], "events.min": [[4e-5, 0, 0]], "events.max": [[4e-5, 1e-4, 8e-5]], "events.high": [1700.0], "events.low": [1500.0]})}
    skins = {"parts": [{"min": [0.0, 0.0, 0.0], "max": [0.2e-3, 0.2e-3, 80e-6]}], "up_skin": {"power": 80.0}, "down_skin": {"speed": 1.5}, "contour": {"offset": 20e-6}}
    yield "powder skins", {"case": dict(case, hatch=dict(case["hatch"], **skins)), "only": ["hatch.up_skin", "hatch.down_skin", "hatch.contour"],
                           "hints": dict(hints, **{"contour.spacing": [20e-6, 40e-6], "contour.count": [2], "contour.offset": [30e-6]})}
    path = {k: v for k, v in case.items() if k != "hatch"}
    yield "powder path", {"case": dict(path, paths=[{"file": "line.csv", "unit": 1e-3}], layer_height=40e-6), "only": ["paths"], "hints": hints}
    yield "powder movie", {"case": dict(case, output={"count": 10}, movie={"layer": 1, "frames": 3}), "only": ["movie", "output"], "hints": hints}


def shape():
    yield "shape", {"case": {"file": "design/snap_000001.vtkhdf", "voxel": 1.0, "plate": {"thickness": 1.0},
                             "raster": {"power": 100.0, "speed": 1.0}, "sets": [
        {"name": "s", "box": {"max": [1.0, 9.0, 9.0]}}, {"name": "c", "cylinder": {"from": [8.0, 0.0, 0.0], "to": [8.0, 4.0, 0.0], "radius": 1.5}},
        {"name": "b", "sphere": {"center": [8.0, 2.0, 2.0], "radius": 2.1}}, {"name": "p", "plane": {"point": [8.0, 2.0, 2.0], "normal": [1.0, 0.0, 0.0], "within": 0.6}}]},
                    "hints": {"cylinder.from": [[5.0, 0.0, 0.0]], "cylinder.to": [[8.0, 1.5, 0.0]], "cylinder.radius": [3.2], "inner": [1.1], "sphere.center": [[5.0, 2.0, 2.0]],
                              "sphere.radius": [3.2], "plane.point": [[0.0, 2.0, 2.0]], "plane.normal": [[0.0, 0.0, 1.0]], "plane.within": [2.1], "plate.margin": [1.0], "field": ["strain_energy"], "of": ["elements"], "file": ["heat/snap_000001.vtkhdf"], "raster.spacing": [0.5], "level": [0.9]}}


def grains():
    """A field from the bottom up, and a pool that goes along x, by events."""
    um = 1e-6
    field = {"grid": {"cell": um, "size": [14 * um, 12 * um, 10 * um]}, "field": {"gradient": 2e6, "speed": 0.5},
             "substrate": {"grain_size": 4 * um}, "nucleation": {"density": 1e15, "mean": 30.0, "deviation": 5.0},
             "growth": {"law": "custom", "linear": 1e-3, "quadratic": 1e-4, "cubic": 1e-6, "limit": 100.0}, "output": {"count": 2}}
    hints = {"grid.size": [[12 * um, 12 * um, 10 * um]], "cell": [2 * um], "cooling_rate": [2e6], "duration": [2e-5], "time_step": [1e-8], "top": [1.5 * um],
             "undercooling": [30.0], "output.fields": [["grain"], ["ipf"]], "law": ["in625", "in718"], "seeds.point": [[8 * um, 3 * um, 2 * um]], "euler": [[0.5, 0.2, 0.1]]}
    yield "grains field", {"case": field, "hints": hints}
    melt = {k: v for k, v in field.items() if k not in ("substrate", "nucleation", "growth")}
    melt.update({"field": {"undercooling": 20.0}, "seeds": [{"point": [3 * um, 3 * um, 3 * um], "euler": [0.1, 0.2, 0.3]}], "duration": 1e-4})
    yield "grains seeds", {"case": melt, "hints": hints, "only": ["field", "seeds", "duration", "periodic"]}
    pool = {"grid": {"cell": um}, "events": [{"file": "pool.csv"}], "substrate": {"grain_size": 3 * um}, "output": {"count": 2}}
    yield "grains events", {"case": pool, "hints": dict(hints, **{"grid.min": [[4 * um, 0.0, 0.0]], "grid.max": [[6 * um, 9 * um, 9 * um]], "shift": [[0.0, 0.0, 2.4 * um]],
                                                                 "events.file": ["pool2.csv"], "start_time": [1e-5]}),
                           "only": ["grid", "events", "substrate", "safety"]}


def pool(path, rate):
    """Cells of a groove that melt one after the other along x: columns as `powder` writes them."""
    with open(path, "w") as f:
        f.write("x,y,z,tm,ts,cr\n")
        for i in range(10):
            for j in range(6):
                for k in range(4):
                    deep = 1 - ((j - 2.5) / 3.0) ** 2 - ((3 - k) / 4.0) ** 2
                    if deep > 0:
                        begin = i * 1e-6 + 1e-5 * (1 - deep ** 0.5)
                        f.write("%g,%g,%g,%.9g,%.9g,%g\n" % (i * 1e-6, j * 1e-6, k * 1e-6, begin, begin + 3e-5 * deep ** 0.5, rate))


def cube(path, size):
    """The surface of a cube as STL, in millimetres."""
    corners = [[size * (i >> d & 1) for d in range(3)] for i in range(8)]
    with open(path, "w") as f:
        f.write("solid c\n")
        for a, b, c, d in ((0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)):
            for t in ((a, b, c), (a, c, d)):
                f.write("facet normal 0 0 0\nouter loop\n")
                for v in t:
                    f.write("vertex %g %g %g\n" % tuple(corners[v]))
                f.write("endloop\nendfacet\n")
        f.write("endsolid c\n")


def cases(program):
    """All cases by name; files that some of them read are made first."""
    out = {}
    for room, make in (("thermal", thermal), ("thermal", meshes), ("stress", stress), ("dynamics", dynamics), ("structure", structure), ("fracture", fracture), ("topopt", topopt), ("topopt", places), ("powder", powder),
                       ("shape", shape), ("grains", grains)):
        for name, entry in make():
            name = name if name.startswith(room) else room + " " + name
            out[name] = dict(entry, room=room)
    with open(os.path.join(program.folder, "path.csv"), "w") as f:
        f.write("time,x,y,z,power\n0,0,0.002,0.003,200\n0.05,0.008,0.002,0.003,200\n")
    with open(os.path.join(program.folder, "line.csv"), "w") as f:
        f.write("time,x,y,z,power\n0,0,0.05,0.04,80\n1e-4,0.1,0.05,0.04,80\n2e-4,0.2,0.05,0.04,0\n")
    cube(os.path.join(program.folder, "part.stl"), 4.0)
    pool(os.path.join(program.folder, "pool.csv"), 1e6)
    pool(os.path.join(program.folder, "pool2.csv"), 3e6)
    cube(os.path.join(program.folder, "other.stl"), 3.0)
    heat = dict(out["thermal layers"]["case"], physics="thermal", output={"count": 12, "fields": ["T", "T_peak", "melts", "birth"]})
    program.files(heat, "heat")
    program.files(dict(out["stress load"]["case"], physics="stress"), "pulled")
    design = dict(out["topopt grid"]["case"], physics="topopt")
    program.files(design, "design")
    return out
