"""CalculiX as a judge of statics: the same mesh, material, supports and loads in a deck of its own."""
import os
import shutil
import subprocess

from case import Refused

CALCULIX = shutil.which("ccx") or shutil.which("ccx_2.20")
# faces of C3D8 as *DLOAD numbers them are those of *SURFACE: P1 … P6


def rows(values):
    return "".join(", ".join(map(str, values[i:i + 12])) + "\n" for i in range(0, len(values), 12))


def factor(entry, time):
    """The value of an entry's history at a time that is one of its rows, or the last."""
    found = entry.get("history")
    if found is None:
        return 1.0
    return dict((t, v) for t, v in found).get(time, found[-1][1])


def step(model, mesh, time):
    """One step: what the supports and loads are at its end, reached in proportion to time."""
    case = model.case
    out = ["*STEP, INC=10000\n*STATIC\n%g, 1., 1e-6, 0.1\n" % (0.05 if model.judge["plastic"] else 1.0), "*BOUNDARY, OP=NEW\n"]
    for e in case["supports"]:
        which = "xyz" if e.get("fix") == "all" else e.get("fix", e.get("along", "xyz"))
        for d, axis in enumerate("xyz"):
            if axis in which:
                value = factor(e, time) * e.get("displacement", [0, 0, 0])[d]
                out.append("N%s, %d, %d, %.12e\n" % (e["set"].upper(), d + 1, d + 1, value))
    for e in case.get("loads", []):
        if "total" in e:
            nodes = mesh.nodes[e["set"]]
            out.append("*CLOAD, OP=NEW\n")
            out += ["N%s, %d, %.12e\n" % (e["set"].upper(), d + 1, factor(e, time) * v / len(nodes)) for d, v in enumerate(e["total"]) if v]
        if "pressure" in e:
            out.append("*DLOAD, OP=NEW\n")
            out += ["%d, P%d, %.12e\n" % (c + 1, s + 1, factor(e, time) * e["pressure"]) for c, s in mesh.faces[e["set"]]]
    out.append("*NODE PRINT, NSET=NALL\nU\n*NODE PRINT, NSET=NZMIN, TOTALS=ONLY\nRF\n*END STEP\n")
    return "".join(out)


def deck(model, mesh, element="C3D8"):
    """The deck of a model of the room stress: a step for each of its load phases, of one second each."""
    case = model.case
    out = ["*NODE, NSET=NALL\n"]
    out += ["%d, %.12e, %.12e, %.12e\n" % (n + 1, *p) for n, p in enumerate(mesh.points)]
    out.append("*ELEMENT, TYPE=%s, ELSET=EALL\n" % element)
    out += ["%d, %s\n" % (c + 1, ", ".join(str(n + 1) for n in cell)) for c, cell in enumerate(mesh.cells)]
    for name, cells in mesh.parts.items():
        out.append("*ELSET, ELSET=P%s\n%s" % (name.upper(), rows([c + 1 for c in cells])))
    for name, nodes in mesh.nodes.items():
        out.append("*NSET, NSET=N%s\n%s" % (name.upper(), rows([n + 1 for n in nodes])))
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


def analyse(program, name, model, element="C3D8"):
    """Displacements at the probes and the reaction of the base; None where CalculiX is missing or does not converge."""
    if not CALCULIX:
        return None
    mesh = model.mesh()
    folder = os.path.join(program.folder, name)
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "deck.inp"), "w") as f:
        f.write(deck(model, mesh, element))
    try:
        p = subprocess.run([CALCULIX, "-i", "deck"], cwd=folder, capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL,
                           env=dict(os.environ, OMP_NUM_THREADS="1", CCX_NPROC_RESULTS="1"))
    except subprocess.TimeoutExpired:
        return None
    if p.returncode or "*ERROR" in p.stdout:
        if "syntax" in p.stdout or "reading" in p.stdout and "*ERROR reading" in p.stdout:
            raise Refused(1, "CalculiX does not read the deck")
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
