# System calls and allocations that fail, in every room: a named error, exit 1, nothing half written,
# and a run that goes on afterwards to the very files of one that met no trouble.
#   TRIALS=400 faults.sh   (make campaign) tries that many of each kind; a test run a few
set -u
trials=${TRIALS:-3}
cc=$(command -v cc || command -v gcc) || { echo "no C compiler"; exit 77; }
nm "$INGOT" 2>/dev/null | grep -q __asan_init && { echo "not under AddressSanitizer, which has its own malloc"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
"$cc" -shared -fPIC -O1 -o fail.so "$SOURCE/tests/cli/fail_calls.c" -ldl || { echo "fail_calls.c does not compile"; exit 1; }
cp "$SOURCE"/tests/cli/small/*.yaml .
. "$SOURCE/tests/cli/lib/same.bash"
# shellcheck disable=SC2046 # options are words
run() { timeout 60 "$INGOT" run "${1%,*}.yaml" -q -b cpu -t 1 -o "$2" $(room_options "$1") "${@:3}"; }
tried=0 failed=0 met=0
bad() { failed=$((failed + 1)); echo "--- $*"; head -c 400 log; }
RANDOM=${SEED:-4711}
for room in $trials_of_rooms; do
  run $room whole-$room 2>log || { bad "$room: the whole run fails"; continue; }
  resume=--resume
  [ "$room" = chain ] && resume= # a chain goes on by itself
  some=$trials
  case $room in *,*) some=$(((trials + 3) / 4)) ;; esac # they differ in memory and state only
  for call in write rename open malloc; do # runs of a moment call no fsync: unit/output has it
    for trial in $(seq "$some"); do
      most=$((trial % 2 ? 12 : 60)) # early ones are the rare ones
      [ $call = malloc ] && most=$((8 * most))
      at=$((1 + RANDOM % most))
      rm -rf cut
      # from when the case is read on: what CUDA's library allocates at the start is not ours to bear
      LD_PRELOAD=$PWD/fail.so FAIL_CALL=$call FAIL_AT=$at FAIL_FROM=.yaml run "$room" cut 2>log
      code=$?
      tried=$((tried + 1))
      what="$room: $call number $at"
      if [ $code = 0 ]; then # it came to its end before that call
        differs=$(same whole-$room cut) || bad "$what: exit 0, but $differs differs"
        continue
      fi
      met=$((met + 1))
      [ $code = 1 ] || bad "$what: exit $code"
      grep -q '^ingot: error: ' log || bad "$what: no error is named"
      [ -z "$(find cut -name '*.part' 2>/dev/null)" ] || bad "$what: a half-written file stays"
      run $room cut $resume 2>log || { bad "$what: it does not go on"; continue; }
      differs=$(same whole-$room cut) || bad "$what: after going on $differs differs"
    done
  done
done
echo "$tried failures tried, $met of them before the end of the run, $failed not met as they should be"
[ $failed = 0 ] && [ $((4 * met)) -gt $tried ]
