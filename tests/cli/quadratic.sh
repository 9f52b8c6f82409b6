# Linear elements of a mesh file become quadratic ones (`quadratic: true`): a clamped bar bends as beam theory has it,
# where tetrahedra of four nodes are too stiff and statics says so. Sets are kept; what has no quadratic kind is refused.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
fail() { echo "$*"; cat log 2>/dev/null; exit 1; }
bar() { # what the mesh is
  cat <<END
physics: structure
mesh: {$1}
materials: {name: steel, young: 200 GPa, poisson: 0, density: 7800}
supports: {set: xmin, fix: xyz}
loads: {set: bar, acceleration: [0, 0, -100]}
analysis: {kind: static}
output: {count: 0}
END
}
moves() { sed -n 's/.*"displacement_max": \([0-9.e-]*\),*$/\1/p' "$1/summary.json" | head -1; }
# 100 x 10 x 10 mm under 100 m/s2: q L^4 / (8 E I), and by shear q L^2 / (2 G A 5/6)
theory=$(awk 'BEGIN { q = 7800 * 100 * 1e-4; E = 200e9; print q * 1e-4 / (8 * E * 1e-8 / 12) + q * 1e-2 / (2 * E / 2 * 1e-4 * 5 / 6) }')
for element in tet4 hex8 wedge6; do
  cat >shape.yaml <<END
physics: structure
mesh: {boxes: {size: [100 mm, 10 mm, 10 mm], cells: [10, 2, 2]}, element: $element}
END
  "$INGOT" mesh new shape.yaml $element.inp >log 2>&1 || fail "no $element.inp"
  bar "file: $element.inp, quadratic: true, sets: {name: bar, of: elements, box: {min: [0, 0, 0]}}" >case.yaml
  "$INGOT" run case.yaml --out q-$element --quiet >log 2>&1 || fail "$element does not run"
  [ -s log ] && fail "$element: a quadratic mesh is warned of"
  awk -v u="$(moves q-$element)" -v t="$theory" 'BEGIN { exit !(u > 0.98 * t && u < 1.01 * t) }' ||
    fail "$element: $(moves q-$element) m, theory $theory m"
done
bar "file: tet4.inp, sets: {name: bar, of: elements, box: {min: [0, 0, 0]}}" >linear.yaml
"$INGOT" run linear.yaml --out linear --quiet >log 2>&1 || fail "linear tetrahedra do not run"
said=$(sed -n 's/.*too stiff where a body bends.* by about \([0-9]*\) %.*quadratic: true.*/\1/p' log)
[ -n "$said" ] || fail "statics of tet4 that bend has no warning with the key that helps"
# what the warning says is what is missing, roughly: a third and more
awk -v u="$(moves linear)" -v t="$theory" -v said="$said" 'BEGIN { exit !(u < 0.67 * t && said > 25 && said < 100 * (1 - u / t) + 5) }' ||
  fail "linear: $(moves linear) m of $theory m, and the warning says $said %"
# a bar in tension is right with them, and no warning is wanted
sed 's/0, 0, -100/100, 0, 0/' linear.yaml >pull.yaml
"$INGOT" run pull.yaml --out pull --quiet >log 2>&1 || fail "the bar in tension does not run"
[ -s log ] && fail "tet4 without bending are warned of"

# a force on each node grows with the nodes, which is said; `total` does not, and pulls as a traction does
for load in 'set: xmax, pressure: -1 MPa' 'set: xmax, total: [100, 0, 0]' 'set: tip, total: [100, 0, 0]' 'set: tip, force: [100, 0, 0]'; do
  bar "file: hex8.inp, quadratic: true, sets: {name: tip, of: nodes, box: {min: [100 mm, 0, 0]}}" |
    sed "s/^loads: .*/loads: {$load}/" >case.yaml
  "$INGOT" run case.yaml --out pulled --quiet >log 2>&1 || fail "$load"
  case $load in
  *tip*force*) grep -q 'of the 21 nodes .* (2100, 0, 0) N in all' log || fail "the sum is not said" ;;
  *tip*) grep -q 'has the same share, middles of edges as corners' log || fail "equal shares are not said" ;;
  *) [ -s log ] && fail "$load: warned of"
     awk -v u="$(moves pulled)" 'BEGIN { exit !(u > 0.9999 * 5e-7 && u < 1.0001 * 5e-7) }' || fail "$load: $(moves pulled) m" ;;
  esac
done

# several kinds in one mesh share the nodes of their edges; sets of nodes: a face, an edge, a whole element, two alone
cat >mixed.inp <<'END'
*NODE
1, 0, 0, 0
2, 1, 0, 0
3, 1, 1, 0
4, 0, 1, 0
5, 0, 0, 1
6, 1, 0, 1
7, 1, 1, 1
8, 0, 1, 1
9, 2, 0, 0
10, 2, 0, 1
*ELEMENT, TYPE=C3D8, ELSET=cube
1, 1, 2, 3, 4, 5, 6, 7, 8
*ELEMENT, TYPE=C3D6, ELSET=wedge
2, 2, 9, 3, 6, 10, 7
*NSET, NSET=face
1, 4, 5, 8
*NSET, NSET=edge
9, 10
*NSET, NSET=cube
1, 2, 3, 4, 5, 6, 7, 8
*NSET, NSET=apart
1, 7
*SURFACE, NAME=left
cube, S6
END
printf 'physics: structure\nmesh: {file: mixed.inp, quadratic: true}\n' >mixed.yaml
"$INGOT" mesh info mixed.yaml >log 2>&1 || fail "a mesh of two kinds is refused"
# 10 corners; edges: 12 of the cube, 9 of the wedge, 4 of them shared
for line in 'nodes  *27' 'hex20  *1' 'wedge15  *1' 'set face  *8 nodes' 'set edge  *3 nodes' 'set cube  *20 nodes' \
  'set apart  *2 nodes' 'set left  *1 faces'; do
  grep -Eq "^ *$line" log || fail "expected: $line"
done
# two edges between opposite faces, inside the part: their middles are not in a set of surface nodes
cat >tets.inp <<'END'
*NODE
1, 0, 0, 1
2, 0, 0, -1
3, 1, 0, 0
4, 0, 1, 0
5, -1, 0, 0
6, 0, -1, 0
*ELEMENT, TYPE=C3D4, ELSET=all4
1, 2, 3, 4, 1
2, 2, 4, 5, 1
3, 2, 5, 6, 1
4, 2, 6, 3, 1
*NSET, NSET=tips
1, 2
*NSET, NSET=rim
3, 4, 5, 6
*NSET, NSET=first
1, 2, 3, 4
END
printf 'physics: structure\nmesh: {file: tets.inp, quadratic: true}\n' >tets.yaml
"$INGOT" mesh info tets.yaml >log 2>&1 || fail "four tetrahedra are refused"
# the edge from tip to tip is inside: in `first` it belongs to a whole element
for line in 'set tips  *2 nodes' 'set rim  *8 nodes' 'set first  *10 nodes'; do
  grep -Eq "^ *$line" log || fail "expected: $line"
done

refused() { # message, mesh
  printf 'physics: structure\nmesh: {%s}\n' "$2" >refused.yaml
  "$INGOT" mesh info refused.yaml >log 2>&1 && fail "$2 is not refused"
  grep -qF -e "$1" log || fail "$2: expected '$1'"
}
refused_by() { # message, mesh, room
  printf 'physics: %s\nmesh: {%s}\nmaterials: {name: s, density: 1, specific_heat: 1, conductivity: 1}\nduration: 1 s\n' "$3" "$2" >refused.yaml
  "$INGOT" check refused.yaml >log 2>&1 && fail "$2 is not refused"
  grep -qF -e "$1" log || fail "$2: expected '$1'"
}
refused "quadratic applies to a mesh from a file, not to boxes: give \`element: hex20\`" "boxes: {size: [1, 1, 1], cells: [1, 1, 1]}, quadratic: true"
refused "both quadratic and corners" "file: mixed.inp, quadratic: true, corners: true"
refused_by "this one has hex20; leave \`quadratic\` out" "file: hex8.inp, quadratic: true" thermal
# triangles on a quadrilateral
sed 's/^2, 2, 9, 3, 6, 10, 7/2, 2, 9, 3, 6, 10, 7\n*ELEMENT, TYPE=C3D4\n3, 9, 12, 3, 10/; s/^10, 2, 0, 1/10, 2, 0, 1\n12, 2.5, 0.8, 0.2/' mixed.inp >apart.inp
refused "(wedge6) meets triangles" "file: apart.inp, quadratic: true"
cat >pyramid.inp <<'END'
*NODE
1, 0, 0, 0
2, 1, 0, 0
3, 1, 1, 0
4, 0, 1, 0
5, 0.5, 0.5, 1
*ELEMENT, TYPE=C3D5
1, 1, 2, 3, 4, 5
END
refused "pyramids have no quadratic kind" "file: pyramid.inp, quadratic: true"
sed 's/element: wedge6/element: tet10/' shape.yaml >again.yaml
"$INGOT" mesh new again.yaml again.inp >/dev/null
refused "has no linear solids or faces, but tet10; leave it out" "file: again.inp, quadratic: true"
echo "quadratic elements of linear meshes"
