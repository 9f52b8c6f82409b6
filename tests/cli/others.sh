#!/bin/bash
# Other programs read what is written for them: CalculiX computes on an .inp, meshio reads every form.
# What is not installed is left out.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
fail() { echo "$*" >&2; exit 1; }
tried=0
cat >bar.yaml <<'END'
mesh:
  boxes: [{name: foot, size: [1, 1, 1], cells: [2, 2, 2]}, {name: head, origin: [0, 0, 1], size: [1, 1, 1], cells: [2, 2, 2]}]
END
"$INGOT" mesh new bar.yaml bar.inp -q

# a bar of 2 m, pulled by 1 mm: the stress is E x 0.5e-3 in both halves
if command -v ccx >/dev/null; then
  cat >job.inp <<'END'
*INCLUDE, INPUT=bar.inp
*MATERIAL, NAME=STEEL
*ELASTIC
210E9, 0.
*SOLID SECTION, ELSET=foot, MATERIAL=STEEL
*SOLID SECTION, ELSET=head, MATERIAL=STEEL
*BOUNDARY
zmin, 1, 3
*STEP
*STATIC
*BOUNDARY
zmax, 3, 3, 1E-3
*NODE PRINT, NSET=zmin, TOTALS=ONLY
RF
*EL PRINT, ELSET=all
S
*END STEP
END
  OMP_NUM_THREADS=1 ccx job >log 2>&1 || fail "CalculiX: $(tail -5 log)"
  awk '/stresses/ { on = 1; next } on && NF == 8 { n++; if ($5 < 104.9e6 || $5 > 105.1e6) bad++ }
    END { exit n < 128 || bad }' job.dat || fail "CalculiX computes another stress: $(head -20 job.dat)"
  tried=$((tried + 1))
fi

if /usr/bin/python3 -c 'import meshio' 2>/dev/null; then
  for form in inp vtu vtk msh; do "$INGOT" mesh new bar.yaml "bar.$form" -q; done
  /usr/bin/python3 - <<'END' || fail 'meshio reads another mesh'
import meshio, numpy
for form in 'inp', 'vtu', 'vtk', 'msh':
    m = meshio.read('bar.' + form, file_format='gmsh' if form == 'msh' else None)
    cells = [c.data for c in m.cells if c.type == 'hexahedron']
    used = {tuple(sorted(c)) for c in numpy.vstack(cells)}
    assert len(used) == 16 and len(m.points) == 45, (form, len(used), len(m.points))
    assert abs(m.points.max(0) - [1, 1, 2]).max() < 1e-12, form
END
  tried=$((tried + 1))
fi
[ $tried -gt 0 ] || exit 77
