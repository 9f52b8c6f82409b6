# scripts/fracture-path on a coarse strip: its crack leaves the notch's line where there is tension along the strip and
# keeps near it where there is none, at the same energy. The other scripts that draw the papers' figures say how they are called.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "--- $*"; exit 1; }
"$SOURCE/scripts/fracture-path" "$INGOT" "$work/path" -t 1 -s 'mesh.boxes.cells=[32, 8]' -s 'time_step=8 ns' \
  -s 'materials[0].cohesive_strength=160 MPa' >"$work/table" || fail fracture-path
# mm off the line: the fourth column of a row
off() { awk -F' *[|] *' -v name="$1" '$2 == name { print $5 }' "$work/table"; }
held=$(off 'held, 0.6, strain 0.01266') free=$(off 'free, 0.6')
awk -v a="$held" -v b="$free" 'BEGIN { exit !(b > 0 && a > 3 * b) }' ||
  { cat "$work/table"; fail "off the line by $held mm with tension along the strip, $free mm without"; }
python3 -c 'import sys, xml.dom.minidom as x; x.parse(sys.argv[1])' "$work/path/fracture-path.svg" || fail fracture-path.svg
for script in fracture-path fracture-figures dynamics-figures thermal-figures topopt-figures; do
  "$SOURCE/scripts/$script" >"$work/usage" 2>&1 && fail "$script takes no arguments"
  grep -q 'INGOT FOLDER' "$work/usage" || fail "$script does not say how it is called"
done
exit 0
