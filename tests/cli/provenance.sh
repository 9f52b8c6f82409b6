#!/bin/bash
# A summary names the program (version, commit) and every file that was read with its SHA-256: case,
# material, mesh and its includes, toolpath, surface, results of other runs; of a chain and of a run
# that was continued, too.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
bad=0
fail() { echo "FAIL: $*"; bad=1; }
inputs() { # folder, the files expected: each once, with the digest that sha256sum finds, and no other
  local folder=$1 file sum
  shift
  for file in "$@"; do
    sum=$(sha256sum "$file" | cut -d' ' -f1)
    [ "$(grep -A1 "\"file\": \"\(.*/\)\?$file\"" "$folder/summary.json" | grep -c "\"sha256\": \"$sum\"")" = 1 ] ||
      fail "$folder: $file $sum: $(grep -A1 '"file"' "$folder/summary.json")"
  done
  [ "$(grep -c '"sha256"' "$folder/summary.json")" = $# ] || fail "$folder: $(grep '"file"' "$folder/summary.json")"
}
cat >steel.yaml <<'END'
density: 7850
conductivity: 25
specific_heat: 600
solidus: 1600 K
liquidus: 1650 K
young: 200 GPa
poisson: 0.3
mechanical: {expansion: 1.5e-5}
END
printf '*NODE\n1,0,0,0\n2,2,0,0\n3,2,2,0\n4,0,2,0\n5,0,0,2\n6,2,0,2\n7,2,2,2\n8,0,2,2\n*INCLUDE,INPUT=cells.inc\n' >part.inp
printf '*ELEMENT,TYPE=C3D8,ELSET=ALL\n1,1,2,3,4,5,6,7,8\n' >cells.inc
printf 'time [s],x [m],y [m],z [m],power [W]\n0,0,0,0.002,100\n0.01,0.002,0.002,0.002,100\n' >path.csv
cat >heat.yaml <<'END'
physics: thermal
mesh: {file: part.inp, unit: 1 mm}
materials: {name: a, file: steel.yaml}
duration: 10 ms
beams: {model: gaussian, radius: 1 mm, depth: 1 mm, absorptivity: 0.4, path: {file: path.csv}}
output: {count: 2}
END
"$INGOT" run heat.yaml -q -t 1 --out heat 2>said || fail "heat: $(cat said)"
inputs heat heat.yaml steel.yaml part.inp cells.inc path.csv
grep -q '"version": "[0-9]*\.[0-9]*\.[0-9]*"' heat/summary.json || fail "no version"
commit=$(sed -n 's/.*"commit": "\(.*\)".*/\1/p' heat/summary.json)
[[ $commit =~ ^(unknown|[0-9a-f]{40}(-modified)?)$ ]] || fail "commit $commit"
"$INGOT" version | grep -q "commit $commit" || fail "$("$INGOT" version)"
# the libraries are loaded once: how threads wait is said before OpenMP's library asks (cli/spin.c)
starts=$(env -u GOMP_SPINCOUNT -u OMP_WAIT_POLICY -u OMP_PROC_BIND -u OMP_PLACES -u OMP_NUM_THREADS -u GOMP_CPU_AFFINITY _=shell \
  LD_DEBUG=statistics "$INGOT" version 2>&1 | grep -c "total startup time")
[ "$starts" -le 1 ] || fail "the program starts $starts times"

# voxels of a surface; a folder with results of another run counts by its summary
cp "$SOURCE/tests/files/box.stl" .
printf 'physics: thermal\nmesh: {stl: box.stl, voxel: 1 mm}\nmaterials: {name: a, file: steel.yaml}\nduration: 10 ms\nboundary: {set: zmax, flux: 1e6}\noutput: {count: 2}\n' >voxels.yaml
"$INGOT" run voxels.yaml -q -t 1 --out voxels 2>said || fail "voxels: $(cat said)"
inputs voxels voxels.yaml steel.yaml box.stl
printf 'physics: stress\nmesh: {stl: box.stl, voxel: 1 mm}\nmaterials: {name: a, file: steel.yaml}\ntemperature: 300 K\nsupports: {set: zmin, fix: all}\nphases: {name: heat, kind: heat, file: voxels}\noutput: {count: 1}\n' >stress.yaml
if "$INGOT" run stress.yaml -q -t 1 --out stress 2>said; then
  inputs stress stress.yaml steel.yaml box.stl voxels/summary.json
else
  fail "stress: $(cat said)"
fi

# a chain: its own file, and in each stage what that has read
cat >chain.yaml <<'END'
materials: {name: a, file: steel.yaml}
stages:
  one: {physics: thermal, mesh: {file: part.inp, unit: 1 mm}, duration: 10 ms, boundary: {set: zmax, flux: 1e6}, output: {count: 1}}
END
"$INGOT" run chain.yaml -q -t 1 --out chain 2>said || fail "chain: $(cat said)"
inputs chain chain.yaml
inputs chain/one chain.yaml steel.yaml part.inp cells.inc
grep -q '"commit"' chain/summary.json || fail "no commit in the chain's summary"

# a continued run keeps the warnings of its first part, each once
sed 's/duration: 10 ms/duration: 5 ms/; s/output: .*/output: {count: 1, checkpoint_every: 0}/' heat.yaml >part.yaml
"$INGOT" run part.yaml -q -t 1 --out again --set initial_temperature=20 2>said || fail "part: $(cat said)"
before=$(grep -c "'initial_temperature' is 20 K" again/summary.json)
"$INGOT" run part.yaml -q -t 1 --out again --set initial_temperature=20 --set 'duration=10 ms' --restart again/checkpoint.h5 2>said || fail "again: $(cat said)"
[ "$before" = 1 ] && [ "$(grep -c "'initial_temperature' is 20 K" again/summary.json)" = 1 ] || fail "warnings: $(grep -A3 warned again/summary.json)"
# a Gmsh script, what it includes, and what that merges
mkdir -p geo
printf 'SetFactory("Built-in");\nInclude "geo/points.geo";\n' >top.geo
printf 'Point(1) = {0, 0, 0, 1};\nPoint(2) = {1, 0, 0, 1};\nPoint(3) = {0, 1, 0, 1};\nLine(1) = {1, 2};\nLine(2) = {2, 3};\nLine(3) = {3, 1};\nLine Loop(1) = {1, 2, 3};\nPlane Surface(1) = {1};\nExtrude {0, 0, 1} { Surface{1}; }\n' >geo/points.geo
printf 'physics: thermal\nmesh: {file: top.geo, unit: 1 mm}\nmaterials: {name: m, density: 7850, conductivity: 25, specific_heat: 600}\nduration: 1 us\noutput: {count: 1}\n' >script.yaml
if "$INGOT" run script.yaml -q -t 1 --out script >said 2>&1; then
  inputs script script.yaml top.geo geo/points.geo
else
  grep -q 'Gmsh is not compiled in' said || fail "$(cat said)"
fi
exit $bad
