# Decks of our own (tests/decks/own) beside CalculiX, where it is installed; without it they only have to run. What is not
# understood is refused with its line.
set -u
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT
cp "$SOURCE"/tests/decks/own/*.inp "$here"
export OMP_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE=1

# a keyword, a parameter and a set that are not known: the line, exit 2, nothing written
refuses() { # file, line, words
  "$INGOT" run "$here/$1" --out "$here/out" >"$here/log" 2>&1
  code=$?
  [ $code = 2 ] || { echo "$1: exit $code"; cat "$here/log"; exit 1; }
  grep -q "$1:$2:.*$3" "$here/log" || { echo "$1: expected line $2 and '$3'"; cat "$here/log"; exit 1; }
  [ ! -e "$here/out" ] || { echo "$1: wrote results"; exit 1; }
}
mkdir "$here/bad"
bad() { sed "$2" "$here/bend-c3d8.inp" >"$here/bad/$1"; }
printf '*STEP\n*STATIC\n*CLOAD\n%s, 3, 5.\n*END STEP\n' "$(sed -n '/NSET=TIP/{n;s/,.*//p;}' "$here/bend-c3d8.inp")" >"$here/bad/second"
bad keyword.inp 's/^[*]STATIC/*ELECTROMAGNETICS/'
bad parameter.inp 's/^[*]STATIC/*STATIC, WHATEVER=1/'
bad set.inp 's/^TIP, 3/TOP, 3/'
bad scaling.inp 's/^[*]STATIC/*FREQUENCY\n4, , , 1e-8/'
bad energy.inp 's/^[*]ELASTIC/*HYPERELASTIC, ARRUDA-BOYCE/'
bad buckle.inp 's/^[*]STATIC/*BUCKLE\n2/; s/^[*]CLOAD/*CLOAD, AMPLITUDE=A/'
bad shared.inp '$r '"$here/bad/second"
line() { grep -n "$2" "$here/bad/$1" | head -1 | cut -d: -f1; }
refuses bad/keyword.inp "$(line keyword.inp ELECTROMAGNETICS)" "ELECTROMAGNETICS is not understood"
refuses bad/parameter.inp "$(line parameter.inp WHATEVER)" "WHATEVER is not understood"
refuses bad/set.inp "$(line set.inp 'TOP, 3')" "no set of nodes is named 'TOP'"
refuses bad/scaling.inp "$(line scaling.inp FREQUENCY)" "selective mass scaling"
refuses bad/energy.inp "$(line energy.inp HYPERELASTIC)" "ARRUDA-BOYCE is not understood"
refuses bad/buckle.inp "$(line buckle.inp 'TIP, 3')" "AMPLITUDE= in a [*]BUCKLE step"
sed 's/^[*]STEP/*AMPLITUDE, NAME=A\n0., 0., 0.5, 1., 1., 0.\n*STEP/; s/^[*]CLOAD/*CLOAD, AMPLITUDE=A/' "$SOURCE/tests/decks/riks.inp" >"$here/bad/riks.inp"
refuses bad/riks.inp "$(line riks.inp '^2, 3, -10')" "AMPLITUDE= in a [*]STATIC, RIKS step"
sed 's/^[*]STEP/*STEP, AMPLITUDE=STEP/' "$SOURCE/tests/decks/riks.inp" >"$here/bad/sudden.inp"
refuses bad/sudden.inp "$(line sudden.inp '^2, 3, -10')" "AMPLITUDE= in a [*]STATIC, RIKS step"
refuses bad/shared.inp "$(grep -n ', 3, 5[.]' "$here/bad/shared.inp" | cut -d: -f1)" "share a node or a face"
bad weight.inp '/DENSITY/,+1d; s/^[*]CLOAD/*DLOAD\nEALL, GRAV, 9.81, 0., 0., -1.\n*CLOAD/'
refuses bad/weight.inp "$(line weight.inp GRAV)" "give the material 'STEEL' a .density."
sed 's/, 0.7$/, -0.7/' "$here/centrif-amplitude.inp" >"$here/bad/square.inp"
refuses bad/square.inp "$(line square.inp 'EALL, CENTRIF')" "is that of its square"
sed 's/INC=8/INC=2.5/' "$here/centrif-amplitude.inp" >"$here/bad/inc.inp"
refuses bad/inc.inp "$(line inc.inp 'INC=2.5')" "expected a whole number from 1"
# an element that another stands for: refused, with --lenient computed as that one and warned about
bad reduced.inp 's/TYPE=C3D8/TYPE=C3D8R/'
bad modes.inp 's/TYPE=C3D8/TYPE=C3D8I/'
refuses bad/reduced.inp "$(line reduced.inp TYPE=C3D8R)" "C3D8R are not computed; --lenient takes C3D8I"
"$INGOT" run "$here/bad/reduced.inp" --lenient --quiet --out "$here/reduced" 2>"$here/log" || exit 1
"$INGOT" run "$here/bad/modes.inp" --quiet --out "$here/modes" || exit 1
cmp "$here/reduced/tables.csv" "$here/modes/tables.csv" || exit 1
grep -q "C3D8R is computed as C3D8I" "$here/reduced/summary.json" || { echo "C3D8R: no warning"; exit 1; }
# INC= bounds the steps: the run fails and keeps what was reached
sed 's/INC=8/INC=5/' "$here/centrif-amplitude.inp" >"$here/bad/few.inp"
"$INGOT" run "$here/bad/few.inp" --out "$here/few" >"$here/log" 2>&1
[ $? = 1 ] && grep -q "after 5 steps" "$here/log" || { echo "INC has no effect"; cat "$here/log"; exit 1; }
rm -r "$here/bad"

# an imported case gives the same tables as the deck
"$INGOT" import "$here/bend-c3d8.inp" -o "$here/case.yaml" || exit 1
"$INGOT" run "$here/case.yaml" --quiet --out "$here/a" || exit 1
"$INGOT" run "$here/bend-c3d8.inp" --quiet --out "$here/b" || exit 1
cmp "$here/a/tables.csv" "$here/b/tables.csv" || exit 1

# instances of parts, and a set of one of them, give what the flat deck gives
"$INGOT" run "$here/assembly.inp" --quiet --out "$here/flat" || exit 1
"$INGOT" run "$SOURCE/tests/decks/parts.inp" --quiet --out "$here/parts" || exit 1
for out in flat parts; do
  grep ',displacement,' "$here/$out/tables.csv" | cut -d, -f4,5,8- >"$here/$out.txt"
done
[ -s "$here/flat.txt" ] && cmp "$here/flat.txt" "$here/parts.txt" || exit 1

# arc length: the limit load and the least one after it, 2 h^3 E A / (27^0.5 l^3) of 10, then beyond the displacement asked
"$INGOT" run "$SOURCE/tests/decks/riks.inp" --quiet --out "$here/riks" || exit 1
"$INGOT" import "$SOURCE/tests/decks/riks.inp" -o "$here/riks.yaml" || exit 1
grep -q "method: arc_length, until: {set: 'node 2', component: z, displacement: -0.45" "$here/riks.yaml" ||
  { echo "RIKS: another end"; cat "$here/riks.yaml"; exit 1; }
limit() { sed -n "s/.*\"limit_$1\": *\([-0-9.e]*\).*/\1/p" "$here/riks/summary.json"; }
awk -v a="$(limit 1)" -v b="$(limit 2)" 'BEGIN { exit !(a > 0.2897 && a < 0.2904 && b < -0.2897 && b > -0.2904) }' ||
  { echo "RIKS: limits $(limit 1) $(limit 2), expected 0.29033 and -0.29033"; exit 1; }
awk -F, '$4 == "displacement" && $6 == 2 { w = $10 } END { exit !(w < -0.45 && w > -0.5) }' "$here/riks/tables.csv" ||
  { echo "RIKS: ends elsewhere"; exit 1; }
by=$(sed -n 's/.*"until_passed_by": *\([-0-9.e]*\).*/\1/p' "$here/riks/summary.json")
awk -F, -v by="$by" '$4 == "displacement" && $6 == 2 { w = $10 } END { d = by + w + 0.45; exit !(by > 0 && d * d < 1e-16) }' "$here/riks/tables.csv" ||
  { echo "RIKS: passes its end by '$by'"; exit 1; }
mkdir "$here/limit"
sed 's/^2, 3, -10/1, 3, -10/' "$SOURCE/tests/decks/riks.inp" >"$here/limit/borne.inp"
"$INGOT" run "$here/limit/borne.inp" --quiet --out "$here/limit/out" 2>&1 | grep -q 'the loads move nothing: all of them act on supports' ||
  { echo "RIKS: a load on a support"; exit 1; }
# without it there is no equilibrium beyond the limit load: the tables of the steps up to it are there
sed 's/, RIKS//' "$SOURCE/tests/decks/riks.inp" >"$here/limit/load.inp"
"$INGOT" run "$here/limit/load.inp" --quiet --out "$here/limit/out" 2>"$here/said" && { echo "beyond a limit load"; exit 1; }
awk -F, '$4 == "displacement" && $6 == 2 { n++ } END { exit !(n > 3) }' "$here/limit/out/tables.csv" ||
  { echo "no tables after a failure"; cat "$here/said"; exit 1; }

if ! command -v ccx >/dev/null; then
  for deck in "$here"/*.inp; do
    "$INGOT" run "$deck" --quiet --out "$here/run" --threads 1 || exit 1
  done
  exit 0
fi
cd "$here" || exit 1
for deck in *.inp; do
  ccx "${deck%.inp}" >"${deck%.inp}.log" 2>&1 || { echo "ccx fails on $deck"; exit 1; }
done
/usr/bin/python3 "$SOURCE/tests/decks/run.py" "$here" --ingot "$INGOT" --strict
