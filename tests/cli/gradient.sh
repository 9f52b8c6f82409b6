# ingot gradient: the shipped case against its own differences, a table, a misfit, mistakes.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
fail() { echo "gradient test: $*"; cat log 2>/dev/null; exit 1; }
case=$SOURCE/cases/thermal/gradient.yaml
gradient() { "$INGOT" gradient "$@" -t 1 >log 2>&1; }

gradient "$case" -f middle -w 'boundary[0].convection' -w 'materials[0].conductivity[1][1]' -w 'beams[0].raster.power' \
  -w 'beams[0].powers' --differences -o table.csv || fail "the shipped case"
awk -F, 'NR == 1 { exit !/^key,number,value,derivative,difference/ }' table.csv || fail "headings of the table"
awk -F, '/powers/ { sum += $3 * $4; next } NR > 1 { n++; if (($4 - $5) ^ 2 > 1e-12 * $4 ^ 2) bad++ } /raster.power/ { whole = $3 * $4 }
  END { exit !(n == 3 && !bad && (sum - whole) ^ 2 < 1e-16 * whole ^ 2) }' table.csv || fail "derivatives: $(cat table.csv)"

# a misfit is zero at its own readings, and so are its derivatives
"$INGOT" run "$case" -b cpu -t 1 --set output.history_every=1 -o out -q >log 2>&1 || fail "the run"
printf 'time,middle,end\n' >data.csv
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) { if ($i ~ /^time/) t = i; if ($i ~ /^middle/) m = i; if ($i ~ /^end/) e = i } next }
  NR % 20 == 0 { print $t "," $m "," $e }' out/history.csv >>data.csv
[ "$(wc -l <data.csv)" -gt 3 ] || fail "no readings"
gradient "$case" -f 'misfit(data.csv)' -w ambient -o zero.csv || fail "misfit"
awk -F, 'NR == 2 { exit !($4 ^ 2 < 1e-12) }' zero.csv || fail "a misfit that is none: $(cat zero.csv)"
gradient "$case" -f 'misfit(data.csv)' -w 'boundary[0].convection' --set 'boundary[0].convection=80' -o off.csv || fail "misfit"
awk -F, 'NR == 2 { exit !($4 < -1e-4) }' off.csv || fail "more convection would come nearer: $(cat off.csv)"

# nothing of a file is passed over
bad() { printf "$1" >bad.csv; gradient "$case" -f 'misfit(bad.csv)' -w ambient; [ $? = 2 ] && grep -q "$2" log || fail "a file: $1"; }
bad 'time,middle\n1,390,7\n' 'bad.csv:2: more cells'
bad 'time,middle\n1,390\n2\n' 'bad.csv:3: fewer cells'
bad 'time,middle\n1,390abc\n' 'bad.csv:2: expected numbers'
bad 'time [ms],middle\n1,390\n' 'bad.csv:1: expected times in s'
bad 'time,middle\n9,390\n' 'bad.csv:2: its time is outside'
gradient "$case" -f 'middle@1 kg' -w ambient; [ $? = 2 ] && grep -q 'expected a time' log || fail "a time in kg"

gradient "$case" -f middle -w duration; [ $? = 2 ] && grep -q "no gradient by 'duration'" log || fail "duration"
gradient "$case" -f nobody -w ambient; [ $? = 2 ] && grep -q "no figure 'nobody'" log || fail "an unknown figure"
gradient "$case" -f middle; [ $? = 2 ] && grep -q -- '--wrt KEY' log || fail "no key"
gradient "$SOURCE/cases/stress/cantilever.yaml" -f x -w y && fail "another room"
grep -q 'stress has no gradients yet' log || fail "another room: no word"

# optimise: the powers of a path for a given end; the case that it writes gives the figure that it says
optimise() { "$INGOT" optimise "$@" -t 1 >log 2>&1; }
optimise "$case" -f 'variance(middle, 420 K)' -w 'beams[0].powers' -w 'boundary[0].convection' --bounds 'beams[0].powers=20 W:300 W' \
  --bounds 'boundary[0].convection=10:500' --set 'beams[0].segment=5 mm' --iterations 4 -o best.yaml || fail "optimise"
first=$(awk '/^iteration 0/ { print $3 }' log) least=$(sed -n 's/^variance(middle, 420 K)[ ]*\([^ ]*\) K^2.*/\1/p' log)
awk -v a="$first" -v b="$least" 'BEGIN { exit !(b > 0 && b < 0.9 * a) }' || fail "it does not fall: $first $least"
gradient best.yaml -f 'variance(middle, 420 K)' -w ambient || fail "the optimised case"
awk -v b="$least" '/^variance/ { exit !(($4 - b) ^ 2 < 1e-10 * b ^ 2) }' log || fail "another figure than $least"
optimise "$case" -f middle -w 'beams[0].powers'; [ $? = 2 ] && grep -q 'lower bound above 0' log || fail "powers without bounds"
optimise "$case" -f middle -w ambient --bounds '1 m:2 m'; [ $? = 2 ] && grep -q "expected a unit like 'K'" log || fail "bounds in metres"
optimise "$case" -f middle -w ambient --bounds '1 K'; [ $? = 2 ] && grep -q 'expected LOW:HIGH' log || fail "one bound"
"$INGOT" check "$case" --set 'beams[0].powers=[1 W, 2 W]' >log 2>&1; [ $? = 2 ] && grep -q '`powers` has 2 numbers: the path has' log || fail "a wrong number of powers"
echo "gradient test: good"
