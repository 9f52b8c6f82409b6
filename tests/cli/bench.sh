# Every benchmark of every room runs: at its smallest size, one row at least of each that is not for
# a GPU alone.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$INGOT" bench --smoke --backend cpu --threads 2 --json "$work/rows.json" >"$work/out" 2>&1 ||
  { tail -3 "$work/out"; exit 1; }
for name in $("$INGOT" bench --list | cut -d' ' -f1); do
  case $name in thermal/kernels | dynamics/kernels | topopt/blocks) continue ;; esac # of a GPU
  grep -q "\"room\": \"${name%/*}\", \"bench\": \"${name#*/}\"" "$work/rows.json" ||
    { echo "$name has no row"; failed=1; }
done
[ -z "${failed:-}" ]
