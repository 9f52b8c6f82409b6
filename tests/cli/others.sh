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

# every type of element that is written: pulled by 1 mm per metre, without lateral contraction F = E A 1e-3
pulled() { # name, case of its mesh, section, sets that are held and pulled, direction, force expected, directions held
  printf 'mesh: {%s}\n' "$2" >"$1.yaml"
  "$INGOT" mesh new "$1.yaml" "$1.inp" -q || fail "$1 is not written"
  printf '*INCLUDE, INPUT=%s.inp\n*MATERIAL, NAME=STEEL\n*ELASTIC\n210E9, 0.\n%b\n*BOUNDARY\n%s, 1, %s\n*STEP\n*STATIC\n*BOUNDARY\n%s, %s, %s, 1E-3\n*NODE PRINT, NSET=%s, TOTALS=ONLY\nRF\n*END STEP\n' \
    "$1" "$3" "${4% *}" "${7:-6}" "${4#* }" "$5" "$5" "${4% *}" >"pull-$1.inp"
  OMP_NUM_THREADS=1 ccx "pull-$1" >log 2>&1 || fail "CalculiX, $1: $(grep -m 3 -i error log)"
  grep -A 2 'total force' "pull-$1.dat" | awk -v at="$5" -v f="$6" 'NF == 3 { v = -$at } END { exit !(v > 0.995 * f && v < 1.005 * f) }' ||
    fail "CalculiX, $1: $(cat "pull-$1.dat")"
}
if command -v ccx >/dev/null; then
  for element in hex8 hex20 tet4 tet10 wedge6 wedge15; do
    pulled $element "element: $element, boxes: {size: [1, 1, 1], cells: [2, 2, 2]}" '*SOLID SECTION, ELSET=all, MATERIAL=STEEL' 'xmin xmax' 1 2.1e8
  done
  for element in tri3 tri6 quad4; do
    pulled plane-$element "element: $element, boxes: {size: [1, 1], cells: [2, 2]}" '*SOLID SECTION, ELSET=all, MATERIAL=STEEL\n0.01' 'xmin xmax' 1 2.1e6 2
    # a quarter of a tube, chords of 4 elements
    pulled shell-$element "element: $element, cylinder_shell: {radius: 1, height: 1, angle: 90 deg, cells: [4, 4]}" \
      '*SHELL SECTION, ELSET=all, MATERIAL=STEEL\n0.01' 'bottom top' 3 3.29e6
  done
  pulled line 'beam_line: {x: [0, 1], z: [0, 0], cells: 4}' \
    '*BEAM SECTION, ELSET=all, MATERIAL=STEEL, SECTION=RECT\n0.01, 0.01\n0, 1, 0' 'start end' 1 2.1e4
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
