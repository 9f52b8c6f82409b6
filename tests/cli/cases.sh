# Every case that comes with Ingot is valid, without a warning (but of solid layers, which cases of `powder` on bare
# plates mean); those that need Gmsh are left out where there is none.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
checked=0 failed=0
while IFS= read -r file; do
  grep -qE '^(physics|stages):' "$file" || continue # calibrations
  checked=$((checked + 1))
  # the same case as cubic-medium.yaml on more cells: a mesh of 3.3 million nodes says nothing that one of a part does not
  cells=()
  [[ $file == */cubic-fine.yaml ]] && cells=(-s 'mesh.boxes[0].cells=[51, 51, 12]' -s 'mesh.boxes[1].cells=[27, 27, 27]')
  if ! timeout 250 "$INGOT" check "$file" --backend cpu "${cells[@]}" >log 2>&1; then
    if grep -q 'Gmsh is not compiled in' log; then
      echo "--- ${file#"$SOURCE"/}: left out, no Gmsh"
      continue
    fi
    failed=$((failed + 1))
    echo "--- ${file#"$SOURCE"/}"
    cat log
  elif grep 'warning:' log | grep -v 'no powder_conductivity'; then
    failed=$((failed + 1))
    echo "--- ${file#"$SOURCE"/} is warned of"
  fi
done < <(find "$SOURCE/cases" -name '*.yaml' | sort)
echo "$checked cases, $failed not valid"
[ "$checked" -gt 0 ] && [ "$failed" = 0 ]
