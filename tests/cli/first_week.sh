#!/bin/bash
# The ten tasks of docs/how-to/first-week.md, as a user would type them. --times prints the time of each. The first,
# installing, is what install_test.sh and the packages show.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin"
ln -s "$INGOT" "$work/bin/ingot"
export PATH=$work/bin:$PATH
cd "$work"
bad=0
# the commands of the page are those of the scripts
commands=$(awk '/^```sh/ { c = 1; next } /^```/ { c = 0 } c' "$SOURCE/docs/how-to/first-week.md" | sed 's/ *#.*//')
[ "$(wc -l <<<"$commands")" -ge 15 ] || { echo "FAIL: the page shows $(wc -l <<<"$commands") commands"; bad=1; }
while IFS= read -r command; do
  case $command in
  export* | paraview* | STL=*) continue ;; # of the reader's shell and screen
  'make install'*) command='make install PREFIX=' ;;
  esac
  grep -qF -- "$command" "$SOURCE"/examples/first-week/* || { echo "FAIL: no script runs '$command'"; bad=1; }
done <<<"$commands"
for task in "$SOURCE"/examples/first-week/*.sh; do
  name=$(basename "$task" .sh)
  sh -n "$task" || bad=1
  [ "$name" = 01-install ] && continue
  start=$(date +%s%N)
  if ! sh "$task" >log 2>&1 </dev/null; then
    echo "FAIL: $name"
    tail -n 5 log
    bad=1
  fi
  [ "$name" = 09-cluster ] || ! grep -q warning log || { echo "FAIL: $name warns: $(grep warning log)"; bad=1; }
  [ "${1:-}" != --times ] || echo "$name $((($(date +%s%N) - start) / 1000000)) ms"
done
package=${BUILD:-}/python
if compgen -G "$package/ingot/_ingot*.so" >/dev/null && /usr/bin/python3 -c 'import numpy' 2>/dev/null; then
  ingot new print -q -o print-wall.yaml </dev/null
  start=$(date +%s%N)
  PYTHONPATH=$package /usr/bin/python3 "$SOURCE/examples/first-week/06-python.py" >log 2>&1 || { echo "FAIL: 06-python"; tail -n 5 log; bad=1; }
  [ "${1:-}" != --times ] || echo "06-python $((($(date +%s%N) - start) / 1000000)) ms"
fi
exit $bad
