# Malformed meshes and cases give one clear line, exit code 2, and write nothing. unit/case and
# unit/mesh_files try all of them, under the sanitizers too; here it is what a user meets, so that
# every mesh and every fourth case will do. Gmsh's own files say little where there is no Gmsh.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
checked=0 failed=0 n=0
try() { # file, words expected in the message ("" for any), command…
  local file=$1 words=$2 code lines
  shift 2
  timeout 60 "$@" >stdout 2>stderr
  code=$?
  grep -q 'Gmsh is not compiled in' stderr && return
  lines=$(wc -l <stderr)
  checked=$((checked + 1))
  if [ $code != 2 ] || [ "$lines" != 1 ] || [ -s stdout ] || ! grep -q '^ingot: error: ' stderr ||
    ! grep -qF -- "$(basename "$file")" stderr || ! grep -qF -- "$words" stderr; then
    failed=$((failed + 1))
    printf -- '--- %s: exit %s\n' "$file" "$code"
    head -c 2000 stderr
  fi
}
for file in "$SOURCE"/tests/bad/meshes/*; do
  case $file in *.expect) continue ;; esac
  try "$file" "$(cat "$file.expect")" "$INGOT" mesh info "$file"
done
for file in "$SOURCE"/tests/bad/cases/*.yaml; do
  n=$((n + 1))
  [ $((n % 4)) = 0 ] && try "$file" "" "$INGOT" run "$file" --out out
done
[ -e out ] && { echo "a bad case left a folder behind"; failed=$((failed + 1)); }
echo "$checked malformed files, $failed not refused as they should be"
[ "$checked" -ge 140 ] && [ "$failed" = 0 ]
