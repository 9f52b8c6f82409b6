# A powder bed from a path file is that of the hatch it was written from, bit for bit; several lasers, each with a
# path; what is refused is said.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
fail() { echo "$1"; exit 1; }
cp "$SOURCE/tests/cli/small/powder.yaml" hatch.yaml
{
  echo "movie: {layer: 2, frames: 3}"
  echo "map: {min: [0, 0, 0], max: [0.4 mm, 0.2 mm, 80 um], format: vti}"
} >>hatch.yaml
"$INGOT" path convert hatch.yaml one.csv >said 2>&1 || fail "the path is not written: $(cat said)"
grep -v hatch hatch.yaml >files.yaml
"$INGOT" run files.yaml -q >said 2>&1 && fail "a bed without lines runs"
grep -q "needs one of hatch and paths" said || fail "no lines: $(cat said)"
echo "paths: {file: one.csv}" >>files.yaml
"$INGOT" run files.yaml -q >said 2>&1 && fail "layers of no height run"
grep -q "need \`layer_height\`" said || fail "no height: $(cat said)"
echo "layer_height: 40 um" >>files.yaml
"$INGOT" run hatch.yaml -q -o hatch -t 1 || exit 1
"$INGOT" run files.yaml -q -o files -t 1 || exit 1
[ "$(find hatch -name 'snap_*.vtkhdf' | wc -l)" = 3 ] || fail "the film has other than 3 frames"
"$INGOT" result extremes hatch >said 2>&1 || fail "frames are not read: $(cat said)"
# 20 x 10 x 4 cells of 17 bytes, five sizes of 8, a head and an end
size=$(wc -c <hatch/solidification.vti) head=$(grep -a -b -o 'encoding="raw">_' hatch/solidification.vti | cut -d: -f1)
[ "$size" = $((head + 16 + 800 * 17 + 40 + 27)) ] || fail "an image of $size bytes, its head of $head"
# the bed is cut around the parts there and around the lines here: both are 0.3 mm about it
figures() { sed -n '/"result"/,/}/p' "$1/summary.json" | grep -E 'source|born|T_max|fine_steps|melt_depth'; }
figures hatch >a
figures files >b
[ -s a ] && cmp a b || fail "the same lines from a file give something else"
# a bed cut short, and lines too far apart to melt the part, are said
"$INGOT" check hatch.yaml -s duration=1ms >/dev/null 2>said
grep -qE "ends the case at 0.001 s, before its path: 1 of 2 layers are not spread" said || fail "cut short: $(cat said)"
"$INGOT" run hatch.yaml -q -o apart -t 1 -s 'hatch.spacing=0.2 mm' >said 2>&1
grep -qE 'lack of fusion: in [12] of 2 layers less than 95 %' apart/summary.json || fail "lack of fusion: $(cat said)"
sed 's/speed: 1 m/lasers: 2, speed: 1 m/' hatch.yaml >two.yaml
"$INGOT" run two.yaml -q -o two -t 1 || exit 1
"$INGOT" path convert two.yaml first.csv --beam 1 >/dev/null && "$INGOT" path convert two.yaml second.csv --beam 2 >/dev/null || fail "paths of two lasers"
sed 's/one.csv}/first.csv}, {file: second.csv}]/; s/paths: /paths: [/' files.yaml >both.yaml
"$INGOT" run both.yaml -q -o both -t 1 || exit 1
figures two >a
figures both >b
cmp a b || fail "two lasers from files give something else"
echo "paths from files and from a hatch agree"
