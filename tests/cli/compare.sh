#!/bin/bash
# ingot compare: figures, history and fields of two results, tolerances, exit codes, JSON.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
bad=0
fail() { echo "FAIL: $*"; bad=1; }
small=$SOURCE/tests/cli/small
go() { "$INGOT" run "$small/$1.yaml" -q -t 1 --out "$2" "${@:3}" 2>said || fail "$1: $(cat said)"; }
compare() { # exit code expected, arguments
  "$INGOT" compare "${@:2}" >table 2>said
  local code=$?
  [ $code = "$1" ] || fail "compare ${*:2}: exit $code: $(cat said table)"
}
has() { grep -qE -- "$1" table || fail "no '$1' in: $(cat table)"; }
lacks() { grep -qE -- "$1" table && fail "'$1' in: $(cat table)"; }

for room in thermal stress dynamics fracture topopt; do
  go $room $room
  go $room $room-again
  compare 0 $room $room-again --snapshots all
  has '^0 of [0-9]+ figures, columns and fields differ$'
done
go thermal hot --set 'boundary.temperature=303 K'
compare 1 thermal hot
has '^figure +T_min \[K\] +300 +303 +3 '
has '^history +T_min \[K\]'
has '^snapshot +T \[K\] +300 +303 +3 +0.00[0-9]+ +0  at \(0, 0, 0\) m'
compare 1 thermal hot -T 0.02
lacks 'T_min'
has '^figure +held'
compare 0 thermal hot -T 0.02 -T 'held=0.1' -T 'E_held=0.1' -T 'energy_gap=0,1e-9' -T 'E_gap=0,1e-9'
compare 0 thermal hot -T 0.02,1e-9 --tolerance '*held=0.1'
compare 1 thermal hot -T 0.02,1e-9 --tolerance '*held=0.1' -T 'T_m?n=0.001'
has '^figure +T_min'
lacks 'T_max'
compare 1 thermal hot --snapshots none
lacks '^snapshot'
compare 1 thermal hot -q
[ -s table ] && fail 'quiet is not'
compare 1 thermal/summary.json hot/summary.json
lacks '^(history|snapshot)'
compare 1 thermal/snap_000003.vtkhdf hot/snap_000003.vtkhdf
has '^1 of '
compare 0 thermal/snap_000003.vtkhdf thermal-again/snap_000003.vtkhdf
compare 1 thermal stress
has '^figure +physics +thermal +stress'
has 'missing'

# nodes in another order
go thermal curve --set mesh.order=curve
compare 1 thermal curve -T 1e-9,1e-9
has '^snapshot +coordinates'
has 'match position'
compare 0 thermal curve -T 1e-9,1e-9 --match position --snapshots all
compare 1 thermal hot -T 1e-9,1e-9 --match position
has '^snapshot +T \[K\] +300 +303'
go thermal fine --set 'mesh.boxes[0].cells=[16, 8, 4]' --set 'mesh.boxes[1].cells=[16, 8, 4]' --set output.count=1
compare 1 thermal fine
has '^snapshot +points +225 +'
compare 1 thermal fine --match position -T 1
has '^snapshot +points without partner +0 +[1-9]'

# a chain: every stage
"$INGOT" run "$small/chain.yaml" -q -t 1 --out one 2>said || fail "$(cat said)"
"$INGOT" run "$small/chain.yaml" -q -t 1 --out two --set materials.yield=410e6 2>said || fail "$(cat said)"
compare 1 one two
has '^figure +warp/u_max \[m\]'
lacks 'print/'
compare 0 one two -T 'warp/*=10,1'

# rows for programs
compare 1 thermal hot --json -
python3 - <<'END' || fail 'JSON'
import json
d = json.load(open('table'))
rows = {(r['part'], r['name']): r for r in d['rows']}
t = rows['figure', 'T_min']
assert d['compared'] == len(d['rows']) and d['different'] == sum(not r['same'] for r in d['rows'])
assert (t['a'], t['b'], t['difference'], t['scale'], t['unit'], t['same']) == (300, 303, 3, 303, 'K', False), t
assert rows['figure', 'status']['same'] and rows['snapshot', 'T']['place'] == [0, 0, 0]
END
compare 1 thermal hot --json rows.json
has '^figure'
python3 -c 'import json; json.load(open("rows.json"))' || fail 'rows.json'

refused() { # words, arguments
  compare 2 "${@:2}"
  grep -qF -- "$1" said || fail "${*:2}: $(cat said)"
  [ -s table ] && fail "${*:2}: $(cat table)"
}
mkdir empty
refused "cannot read 'nowhere'" thermal nowhere
refused "'empty' holds no summary.json" thermal empty
refused 'cannot be compared' thermal hot/summary.json
refused "tolerance 'T=x': expected NAME=RELATIVE" thermal hot -T T=x
refused "--tolerance '-1': expected" thermal hot --tolerance=-1
refused "--distance 'far'" thermal hot --distance far
printf 'a\n' >other.vtkhdf
refused 'other.vtkhdf' other.vtkhdf thermal/snap_000000.vtkhdf
cp -r thermal damaged && printf '1,2\n' >>damaged/history.csv
refused "history.csv' is damaged" thermal damaged
# names of a file from elsewhere reach the terminal without control characters
cp -r thermal odd && printf '{"result": {"a\\u001b[31mb": 1}}\n' >odd/summary.json
compare 1 thermal odd
has 'a\?\[31mb'
exit $bad
