"""CalculiX as a judge of statics and of steady heat: the same mesh, material, supports and loads in a deck of its own."""
import os
import shutil
import subprocess

from case import Refused
from mesh import TYPES, rows

CALCULIX = shutil.which("ccx") or shutil.which("ccx_2.20")
# faces of C3D8 as *DLOAD numbers them are those of *SURFACE: P1 … P6


def factor(entry, time):
    """The value of an entry's history at a time that is one of its rows, or the last."""
    found = entry.get("history")
    if found is None:
        return 1.0
    return dict((t, v) for t, v in found).get(time, found[-1][1])


def step(model, mesh, time):
    """One step: what the supports and loads are at its end, reached in proportion to time."""
    case = model.case
    # the same increments: where stresses turn as they grow, the return mapping depends on them
    steps = case["phases"][time - 1].get("steps", 1)
    out = ["*STEP, INC=10000\n*STATIC, DIRECT\n%.12g, 1.\n" % (1 / steps), "*BOUNDARY, OP=NEW\n"]
    for e in case["supports"]:
        which = "xyz" if e.get("fix") == "all" else e.get("fix", e.get("components", "xyz"))
        for d, axis in enumerate("xyz"):
            if axis in which:
                value = factor(e, time) * e.get("displacement", [0, 0, 0])[d]
                out.append("N%s, %d, %d, %.12e\n" % (e["set"].upper(), d + 1, d + 1, value))
    for e in case.get("loads", []):
        if "total" in e:
            out.append("*CLOAD, OP=NEW\n")
            out += ["%d, %d, %.12e\n" % (n + 1, d + 1, factor(e, time) * v * share)
                    for n, share in mesh.shares(e["set"]).items() for d, v in enumerate(e["total"]) if v]
        if "pressure" in e:
            out.append("*DLOAD, OP=NEW\n")
            out += ["%d, P%d, %.12e\n" % (c + 1, s + 1, factor(e, time) * e["pressure"]) for c, s in mesh.faces[e["set"]]]
    out.append("*NODE PRINT, NSET=NALL\nU\n*NODE PRINT, NSET=NZMIN, TOTALS=ONLY\nRF\n*END STEP\n")
    return "".join(out)


def drawn(mesh, element=None):
    """Nodes, elements and sets: NALL, EALL, P and the name of a part, N and the name of a side."""
    out = ["*NODE, NSET=NALL\n"]
    out += ["%d, %.12e, %.12e, %.12e\n" % (n + 1, *p) for n, p in enumerate(mesh.points)]
    out.append("*ELEMENT, TYPE=%s, ELSET=EALL\n" % (element or TYPES[len(mesh.cells[0])]))
    out += ["%d, %s\n" % (c + 1, ", ".join(str(n + 1) for n in cell)) for c, cell in enumerate(mesh.cells)]
    for name, cells in mesh.parts.items():
        out.append("*ELSET, ELSET=P%s\n%s" % (name.upper(), rows([c + 1 for c in cells])))
    for name, nodes in mesh.nodes.items():
        out.append("*NSET, NSET=N%s\n%s" % (name.upper(), rows([n + 1 for n in nodes])))
    return out


def deck(model, mesh, element="C3D8"):
    """The deck of a model of the room stress: a step for each of its load phases, of one second each."""
    case = model.case
    out = drawn(mesh, element)
    claimed = {c for m in case["materials"] if "set" in m for c in mesh.parts[m["set"]]}
    for i, m in enumerate(case["materials"]):
        cells = mesh.parts[m["set"]] if "set" in m else [c for c in range(len(mesh.cells)) if c not in claimed]
        out.append("*ELSET, ELSET=M%d\n%s" % (i, rows([c + 1 for c in cells])))
        out.append("*MATERIAL, NAME=MAT%d\n*ELASTIC\n%.12e, %.12e\n" % (i, m["young"], m["poisson"]))
        if "yield" in m:
            kinematic = m.get("kinematic", 0.0)
            slope = m.get("hardening", 0.0) + kinematic
            out.append("*PLASTIC%s\n%.12e, 0.\n%.12e, 1.\n" % (", HARDENING=KINEMATIC" if kinematic else "", m["yield"], m["yield"] + slope))
        out.append("*SOLID SECTION, ELSET=M%d, MATERIAL=MAT%d\n" % (i, i))
    for t in range(1, len(case["phases"]) + 1):
        out.append(step(model, mesh, t))
    return "".join(out)


def solve(program, name, text):
    """Runs a deck; its folder, or None where CalculiX does not converge."""
    folder = os.path.join(program.folder, name)
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "deck.inp"), "w") as f:
        f.write(text)
    try:
        p = subprocess.run([CALCULIX, "-i", "deck"], cwd=folder, capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL,
                           env=dict(os.environ, OMP_NUM_THREADS="1", CCX_NPROC_RESULTS="1"))
    except subprocess.TimeoutExpired:
        return None
    if p.returncode or "*ERROR" in p.stdout:
        if "syntax" in p.stdout or "*ERROR reading" in p.stdout:
            raise Refused(1, "CalculiX does not read the deck")
        return None
    return folder


def side(entry):
    """The side that an entry means, whether the case names that of a mesh made by the program or of a file."""
    return entry["set"].rsplit("_", 1)[0]


def printed(folder):
    """Values of all nodes, the last that were printed."""
    found = {}
    with open(os.path.join(folder, "deck.dat")) as f:
        for line in f:
            v = line.split()
            if v and v[0].isdigit():
                found[int(v[0]) - 1] = [float(t) for t in v[1:]]
    return found


def nearest(mesh, point):
    return min(range(len(mesh.points)), key=lambda n: sum((a - b) ** 2 for a, b in zip(mesh.points[n], point)))


def elastic(program, name, model):
    """Displacements of one linear static step, by node; None where there are none."""
    if not CALCULIX:
        return None
    case, mesh = model.case, model.mesh()
    out = drawn(mesh)
    m = case["materials"][0]
    out.append("*MATERIAL, NAME=M\n*ELASTIC\n%.12e, %.12e\n" % (m["young"], m["poisson"]))
    if "density" in m:
        out.append("*DENSITY\n%.12e\n" % m["density"])
    out.append("*SOLID SECTION, ELSET=EALL, MATERIAL=M\n*STEP\n*STATIC\n*BOUNDARY\n")
    for e in case["supports"]:
        fix = e.get("fix", "all")
        out += ["N%s, %d, %d\n" % (side(e).upper(), d + 1, d + 1) for d, axis in enumerate("xyz") if fix == "all" or axis in fix]
    for e in case.get("loads", []):
        if "total" in e:
            out.append("*CLOAD\n")
            out += ["%d, %d, %.12e\n" % (n + 1, d + 1, v * share)
                    for n, share in mesh.shares(e["set"]).items() for d, v in enumerate(e["total"]) if v]
        elif "force" in e:  # topopt: the nodes share it
            nodes = mesh.nodes[side(e)]
            out.append("*CLOAD\n")
            out += ["N%s, %d, %.12e\n" % (side(e).upper(), d + 1, v / len(nodes)) for d, v in enumerate(e["force"]) if v]
        if "pressure" in e:
            out.append("*DLOAD\n")
            out += ["%d, P%d, %.12e\n" % (c + 1, s + 1, e["pressure"]) for c, s in mesh.faces[side(e)]]
    if "gravity" in case:
        a = case["gravity"]["acceleration"]
        size = sum(v * v for v in a) ** 0.5
        out.append("*DLOAD\nEALL, GRAV, %.12e, %.12e, %.12e, %.12e\n" % (size, *(v / size for v in a)))
    out.append("*NODE PRINT, NSET=NALL\nU\n*END STEP\n")
    folder = solve(program, name, "".join(out))
    return printed(folder) if folder else None


def motions(program, name, model):
    """Displacements at the probes."""
    u = elastic(program, name, model)
    return u and {p["name"]: u[nearest(model.mesh(), p["point"])]["xyz".index(p["quantity"][1])]
                  for p in model.case["probes"] if p["quantity"] in ("ux", "uy", "uz")}


def compliance(program, name, model):
    """Work of the loads in the displacements that they cause."""
    u = elastic(program, name, model)
    if u is None:
        return None
    mesh, work = model.mesh(), 0.0
    for e in model.case["loads"]:
        nodes = mesh.nodes[side(e)]
        work += sum(f * u[n][d] / len(nodes) for n in nodes for d, f in enumerate(e["force"]))
    return {"objective": work}


def steady(program, name, model):
    """Temperatures at the probes when nothing changes any more."""
    if not CALCULIX:
        return None
    case, mesh = model.case, model.mesh()
    out = drawn(mesh)
    out.append("*MATERIAL, NAME=M\n*CONDUCTIVITY\n%.12e\n*SOLID SECTION, ELSET=EALL, MATERIAL=M\n" % case["materials"][0]["conductivity"])
    out.append("*INITIAL CONDITIONS, TYPE=TEMPERATURE\nNALL, %.12e\n*STEP\n*HEAT TRANSFER, STEADY STATE\n" % case["initial_temperature"])
    for e in case["boundary"]:
        if "temperature" in e:
            out.append("*BOUNDARY\nN%s, 11, 11, %.12e\n" % (side(e).upper(), e["temperature"]))
        if "flux" in e:
            out.append("*DFLUX\n")
            out += ["%d, S%d, %.12e\n" % (c + 1, s + 1, e["flux"]) for c, s in mesh.faces[side(e)]]
    if "body_source" in case:
        out.append("*DFLUX\nEALL, BF, %.12e\n" % case["body_source"])
    out.append("*NODE PRINT, NSET=NALL\nNT\n*END STEP\n")
    folder = solve(program, name, "".join(out))
    if not folder:
        return None
    t = printed(folder)
    found = {p["name"]: t[nearest(mesh, p["point"])][0] for p in case["probes"]}
    found.update(T_max=max(v[0] for v in t.values()), T_min=min(v[0] for v in t.values()))
    return found


def analyse(program, name, model, element="C3D8"):
    """Displacements at the probes and the reaction of the base; None where CalculiX is missing or does not converge."""
    if not CALCULIX:
        return None
    mesh = model.mesh()
    folder = solve(program, name, deck(model, mesh, element))
    if not folder:
        return None
    u, force = {}, None
    block, time = "", 0.0
    with open(os.path.join(folder, "deck.dat")) as f:
        for line in f:
            if "displacements" in line:
                block = "u"
                u = {}
            elif "total force" in line:
                block = "f"
            elif line.strip():
                v = line.split()
                if block == "u" and len(v) == 4:
                    u[int(v[0]) - 1] = [float(t) for t in v[1:]]
                elif block == "f" and len(v) == 3:
                    force = [float(t) for t in v]
            time = float(line.split()[-1]) if "time" in line else time
    if abs(time - len(model.case["phases"])) > 1e-6 or force is None:
        return None
    out = {"fx": force[0], "fy": force[1], "fz": force[2]}
    for probe in model.case["probes"]:
        q = probe["quantity"]
        if q in ("ux", "uy", "uz"):
            node = min(range(len(mesh.points)), key=lambda n: sum((a - b) ** 2 for a, b in zip(mesh.points[n], probe["point"])))
            out[probe["name"]] = u[node]["xyz".index(q[1])]
    return out


def structure(program, name, model):
    """The largest displacement, or frequencies, of a model of the room structure; None: CalculiX has none."""
    if not CALCULIX:
        return None
    case, mesh, kind = model.case, model.mesh(), model.judge["kind"]
    m, analysis = case["materials"][0], case["analysis"][0]
    out = drawn(mesh, "C3D8I" if model.judge["integration"] == "incompatible" else None)
    out.append("*MATERIAL, NAME=M\n*ELASTIC\n%.12e, %.12e\n*DENSITY\n%.12e\n" % (m["young"], m["poisson"], m["density"]))
    if "yield" in m:
        out.append("*PLASTIC\n%.12e, 0.\n%.12e, 1.\n" % (m["yield"], m["yield"] + m["hardening"]))
    out.append("*SOLID SECTION, ELSET=EALL, MATERIAL=M\n*BOUNDARY\nNZMIN, 1, 3\n")
    if kind == "frequency":
        # of a pair of equal frequencies its Lanczos method may find one alone, unless it looks for more
        out.append("*STEP\n*FREQUENCY\n%d\n*END STEP\n" % (2 * analysis["modes"]))
    else:
        steps = analysis.get("first_step")
        out.append("*STEP, INC=1000%s\n*STATIC%s\n" % (", NLGEOM" if kind == "large" else "", ", DIRECT\n%.12g, 1." % steps if steps else ""))
        if kind == "large":  # as it comes CalculiX ends its iterations at a residual of half a percent
            out.append("*CONTROLS, PARAMETERS=FIELD\n1e-6, 1e-4\n")
        out += ["*BOUNDARY\nNZMAX, %d, %d, %.12e\n" % (d + 1, d + 1, v) for e in case["supports"][1:] for d, v in enumerate(e["displacement"])]
        for e in case["loads"]:
            if "force" in e:
                out += ["*CLOAD\nN%s, %d, %.12e\n" % (side(e).upper(), d + 1, v) for d, v in enumerate(e["force"])]
            elif "pressure" in e:
                out.append("*DLOAD\n")
                out += ["%d, P%d, %.12e\n" % (c + 1, s + 1, e["pressure"]) for c, s in mesh.faces[side(e)]]
            else:
                size = sum(v * v for v in e["acceleration"]) ** 0.5
                out.append("*DLOAD\nEALL, GRAV, %.12e, %.12e, %.12e, %.12e\n" % (size, *(v / size for v in e["acceleration"])))
        out.append("*NODE PRINT, NSET=NALL\nU\n*END STEP\n")
    folder = solve(program, name, "".join(out))
    if not folder:
        return None
    if kind == "frequency":
        with open(os.path.join(folder, "deck.dat")) as f:
            found = [line.split() for line in f]
        rows_ = [v for v in found if len(v) == 5 and v[0].isdigit()]
        found = [float(v[3]) for v in rows_]
        return {"mode_%d" % (i + 1): v for i, v in enumerate(found[:analysis["modes"]])} if found and min(found) > 0 else None
    return {"displacement_max": max(sum(x * x for x in v) ** 0.5 for v in printed(folder).values())}
