# What a program leaves behind in memory, by the leak detector of AddressSanitizer. It looks once, at the
# end of a program, and takes seconds for that whatever the program did; so a few programs do much each:
# every room runs in one chain, with pictures and meshes, then the other commands. Skipped in a build
# without the sanitizer.
set -u
ldd "$INGOT" | grep -q libasan || nm "$INGOT" 2>/dev/null | grep -q __asan_init || { echo "not built with AddressSanitizer"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export INGOT_MATERIALS=$SOURCE/materials UBSAN_OPTIONS=print_stacktrace=1
# what other people's libraries forget
printf 'leak:libgmsh\nleak:libgomp\n' >known
export ASAN_OPTIONS=detect_leaks=1 LSAN_OPTIONS=suppressions=$work/known:print_suppressions=0
cp "$SOURCE/tests/cli/chain.yaml" small.yaml
sed 's/volume: 0.5/volum: 0.5/' small.yaml >bad.yaml
failed=0 done=0
try() { # exit code expected, command…
  local code=$1 got=0
  shift
  "$INGOT" "$@" >"log.$done" 2>&1 || got=$?
  [ $got = $code ] && return
  echo "--- exit $got, expected $code: ingot $*"
  tail -n 60 "log.$done"
  return 1
}
# two at a time; the first ones make what the others read
batch() {
  local pid pids=()
  while read -r line; do
    # shellcheck disable=SC2086
    try $line &
    pids+=($!)
    done=$((done + 1))
    if [ ${#pids[@]} = 2 ]; then for pid in "${pids[@]}"; do wait "$pid" || failed=$((failed + 1)); done; pids=(); fi
  done
  for pid in "${pids[@]}"; do wait "$pid" || failed=$((failed + 1)); done
}
batch <<END
0 run small.yaml --quiet
2 run bad.yaml
0 verify patch thermal/powder powder/order volume mesh-patch separation spin collision pull --threads 1
0 mesh new $SOURCE/cases/topopt/wheel-rim.yaml wheel.vtkhdf
0 check small.yaml
0 mesh convert wheel.vtkhdf wheel.inp
0 view small-out/load/snap_000003.vtkhdf --field plastic_strain -o load.png
0 mesh info wheel.inp
0 run small.yaml --stage crack --quiet
0 help --reference
END
echo "$done programs under the leak detector, $failed of them failed"
[ "$done" -ge 10 ] && [ "$failed" = 0 ]
