# Every part with a mesh is optimised for a few iterations: the objective falls, the surface is
# written. Parts that need Gmsh are left out where there is none.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
ran=0 failed=0
for file in $(grep -l '^mesh:' "$SOURCE"/cases/topopt/*.yaml); do
  name=$(basename "$file" .yaml)
  small=() # our own generators can make fewer cells, Gmsh's geometry says how many itself
  grep -q 'stl:' "$file" && small=(--set 'mesh.voxel=4 mm')
  grep -q 'tube:' "$file" && small=(--set 'mesh.tube.cells=[10, 24, 4]')
  if ! timeout 250 "$INGOT" run "$file" --backend cpu --quiet --out "$name" --set iterations=3 \
    --set output.every=0 --set solver.tolerance=1e-3 "${small[@]}" >log 2>&1; then
    if grep -qi gmsh log && grep -q '\.geo' "$file"; then
      echo "--- $name: left out, no Gmsh"
      continue
    fi
    failed=$((failed + 1))
    echo "--- $name"
    cat log
    continue
  fi
  ran=$((ran + 1))
  # iteration,objective,...: once the volume is met, it falls
  if ! awk -F, 'NR == 3 { first = $2 } { last = $2 } END { exit !(last > 0 && last < 0.9 * first) }' \
    "$name/history.csv" || ! [ -s "$name/part.stl" ]; then
    failed=$((failed + 1))
    echo "--- $name: the objective did not fall, or there is no part.stl"
    cat "$name/history.csv"
  fi
done
# a solid bar of 40 x 10 x 10 mm from a surface of triangles, as cubes and as tetrahedra, has the
# compliance of a box: F^2 L / (E A) = 2 mJ
awk 'BEGIN { print "solid bar"; split("40 10 10", size)
  for (d = 1; d <= 3; d++) for (s = 0; s < 2; s++) for (half = 0; half < 2; half++) {
    print "facet normal 0 0 0\nouter loop"
    for (i = 0; i < 3; i++) {
      k = half ? (i == 0 ? 0 : i + 1) : i; if (!s) k = (4 - k) % 4
      u = k == 1 || k == 2; v = k >= 2; e = d % 3 + 1; f = e % 3 + 1
      x[d] = s * size[d]; x[e] = u * size[e]; x[f] = v * size[f]
      print "vertex", x[1], x[2], x[3] }
    print "endloop\nendfacet" }
  print "endsolid bar" }' >bar.stl
for element in hex8 tet10; do
  cat >bar.yaml <<END
physics: topopt
mesh: {stl: bar.stl, voxel: 5 mm, element: $element}
materials: [{name: steel, young: 200 GPa, poisson: 0.3}]
volume: 1
filter: {kind: none}
symmetry: [x-, y-, z-]
loads: [{set: xmax, force: [1 kN, 0 N, 0 N], spread: faces}]
solver: {tolerance: 1e-10}
iterations: 1
END
  "$INGOT" run bar.yaml --backend cpu --quiet --out "bar-$element" --set output.every=0 >log 2>&1 || cat log
  awk -F, 'NR == 2 { c = $2 } END { exit !(c > 0.002 * (1 - 1e-8) && c < 0.002 * (1 + 1e-8)) }' "bar-$element/history.csv" || {
    failed=$((failed + 1))
    echo "--- the bar from STL ($element) has not the compliance of the box"
    cat "bar-$element/history.csv"
  }
done
echo "$ran parts, $failed failed"
[ "$ran" -gt 0 ] && [ "$failed" = 0 ]
