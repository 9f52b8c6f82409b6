# Every case in cases/ runs to its end, coarsened or shortened where it must be, and gives the figures
# recorded in shipped.txt (CPU, one thread). BACKEND=cuda runs the same table there.
#   shipped.sh            compare
#   shipped.sh --record   write the figures of this build into the table; say in the commit why they changed
# ONLY=PATTERN: of the cases that match alone
# Set INGOT (the program) and SOURCE (the folder of the sources).
# The table ("todo FILE why": not in it yet): "case FILE", its "set KEY=VALUE" lines, "within RELATIVE",
# "on PROCESSOR" where Gmsh makes another mesh on another one (`uname -m`), "gmsh VERSION RELATIVE" for what is asked of
# the mesh of a version other than this, then "FIGURE VALUE" lines.
set -u
record=${1:-}
table=$SOURCE/tests/cli/shipped.txt
backend=${BACKEND:-cpu}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# "key value" of every figure in summary.json: those of a run, or of a chain's report
figures() {
  awk '/^  "(result|report)": \{/ { on = 1; next } on && /^  \}/ { on = 0 }
    on { line = $0; sub(/^ *"/, "", line); key = line; sub(/".*/, "", key); gsub(/ /, "_", key)
         value = line; sub(/^[^"]*": /, "", value); sub(/,$/, "", value)
         if (value !~ /^"/) print key, value }' "$1"
}
# compares what is expected (file 1) with what is there (file 2); null or nan is never a pass
compare() {
  awk -v within="$3" 'function abs(x) { return x < 0 ? -x : x }
    function number(x) { return x ~ /^-?[0-9.]+(e[-+]?[0-9]+)?$/ }
    NR == FNR { there[$1] = $2; next }
    { n++
      if (!($1 in there)) { print "    " $1 " is missing"; bad++; next }
      got = there[$1]
      if (!number(got) || !number($2)) { print "    " $1 " is " got ", expected " $2; bad++; next }
      scale = abs($2) > 0 ? abs($2) : 1
      if (!(abs(got - $2) <= within * scale)) { printf "    %s is %s, expected %s (off by %.2g)\n", $1, got, $2, abs(got - $2) / scale; bad++ } }
    END { if (!n) print "    no figures are recorded"; exit bad || !n }' "$2" "$1"
}

# every figure of every summary in a folder is one of those that `ingot help ROOM` lists, so that a chain
# or a limit that names it is not refused
listed() {
  local summary room key pattern patterns names known
  for summary in "$1"/summary.json "$1"/*/summary.json; do
    room=$(sed -n 's/^physics: //p' "${summary%/*}/case.yaml" 2>/dev/null)
    [ "$room" ] || continue
    [ "${summary%/*}" != "$1/finished" ] || continue # figures of the part, finished_*
    names=$(grep -o '\bname: [^,}]*' "${summary%/*}/case.yaml" | sed "s/^name: //; s/^[\"']//; s/[\"']$//; s/ /_/g" | sort -u | paste -sd '|')
    patterns=$("$INGOT" help "$room" | sed -n 's/^ *figures of its summary: //p' | sed 's/, / /g; s/ or / /')
    set -f # patterns are not names of files
    figures "$summary" | while read -r key _; do
      known=
      for pattern in $patterns; do
        while [[ $pattern == *'{'* ]]; do pattern="${pattern%%'{'*}@($names)${pattern#*'}'}"; done
        # shellcheck disable=SC2053
        [[ $key == $pattern ]] && known=yes
      done
      [ "$known" ] || echo "    figure $key of $summary is not in the list of $room"
    done
    set +f
  done
}

# the case in the form of the table, with these figures
block() {
  echo "case $file"
  [ -z "$on" ] || echo "on $on"
  printf '%s\n' "${sets[@]}" | grep -v '^-s$' | sed 's/^/set /; /^set $/d'
  [ -z "$gmsh" ] || echo "gmsh $gmsh"
  echo "within $within"
  cat "$1"
  echo
}

cases=0 failed=0 skipped=0
one() { # runs the case that `file`, `sets` and `within` describe
  local out code asked=$within
  [ -z "$gmsh" ] || [ -z "$gmsh_here" ] || [ "${gmsh% *}" = "$gmsh_here" ] || asked=${gmsh#* }
  if [ "$on" ] && [ "$on" != "$(uname -m)" ]; then
    [ "$record" ] && block expected >>recorded
    return
  fi
  cases=$((cases + 1))
  out=out-$cases
  start=$(date +%s%N)
  timeout "${LIMIT:-120}" "$INGOT" run "$SOURCE/cases/$file.yaml" -q -b "$backend" -t 1 -o "$out" "${sets[@]}" >log 2>&1
  code=$?
  seconds=$((($(date +%s%N) - start) / 1000000))
  if [ $code != 0 ] && grep -qE 'Gmsh is not compiled in|runs on the CPU only|not on backend cuda' log; then
    skipped=$((skipped + 1))
    echo "skipped $file: $(grep -oE 'Gmsh is not compiled in|runs on the CPU only|not on backend cuda' log | head -n 1)"
    [ "$record" ] && block expected >>recorded
    return
  fi
  if [ $code != 0 ] || ! grep -q '"status": "complete"' "$out/summary.json"; then
    failed=$((failed + 1))
    echo "FAILED  $file: exit $code"
    head -c 1000 log
    [ "$record" ] && block expected >>recorded
    return
  fi
  grep -v '^ingot: warning:' log | head -c 1000
  listed "$out" >strange
  if [ -s strange ]; then
    failed=$((failed + 1))
    echo "FAILED  $file"
    cat strange
  fi
  figures "$out/summary.json" >found
  if [ "$record" ]; then
    # times of this machine, residuals, solver iterations and rounding are no figures of the case; the
    # share of gray elements hangs on rounding, too
    grep -vE '^seconds|^time_per_|^static_error |^energy_gap |^linear_iterations |^energy_missing |^newton_iterations |^grayness | null$|^(beam_missed|born_above_ambient|path_deviation) -?[0-9.]+e-(09|1[0-9])$' found >kept
    block kept >>recorded
    echo "recorded $file (${seconds} ms)"
  elif compare expected found "$asked" >differ; then
    echo "ok      $file (${seconds} ms)"
  else
    failed=$((failed + 1))
    echo "FAILED  $file"
    cat differ
  fi
  rm -rf "$out"
}
chosen() { # runs it, or with ONLY, a pattern that it does not match, leaves it as it is in the table
  [ "$file" ] || return
  if [ -z "${ONLY:-}" ] || [[ $file =~ $ONLY ]]; then
    one
  elif [ "$record" ]; then
    block expected >>recorded
  fi
}
gmsh_here=$(PATH=$PATH:/sbin:/usr/sbin ldconfig -p 2>/dev/null | sed -nE 's/^\s*libgmsh\.so\.([0-9.]+) .*/\1/p' | head -n 1)
file= on= gmsh= sets=() within=1e-6
: >expected
while IFS= read -r line || [ "$line" ]; do
  case $line in
  'todo '*) echo "$line"; [ "$record" ] && echo "$line" >>recorded ;;
  '#'*) [ "$record" ] && echo "$line" >>recorded ;;
  'case '*) file=${line#case } on= gmsh= sets=() within=1e-6; : >expected ;;
  'set '*) sets+=(-s "${line#set }") ;;
  'on '*) on=${line#on } ;;
  'gmsh '*) gmsh=${line#gmsh } ;;
  'within '*) within=${line#within } ;;
  '') chosen; file= ;;
  *) echo "$line" >>expected ;;
  esac
done <"$table"
chosen
[ "$record" ] && cp recorded "$table"

# none is forgotten
if [ -z "${ONLY:-}" ]; then
  while IFS= read -r f; do
    grep -qE '^(physics|stages):' "$f" || continue # calibrations
    f=${f#"$SOURCE/cases/"}
    grep -qE "^(case|todo) ${f%.yaml}( |$)" "$table" || { echo "FAILED  ${f%.yaml} is not in shipped.txt"; failed=$((failed + 1)); }
  done < <(find "$SOURCE/cases" -name '*.yaml' | sort)
fi
echo "$cases cases, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
