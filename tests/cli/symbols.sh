# The shared library exports the functions of the public headers and nothing else.
set -u
library=$BUILD/libingot.so
[ -e "$library" ] && command -v nm >/dev/null || { echo "no shared library, or no nm: skipped"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
nm -D --defined-only "$library" | awk '{ print $NF }' | sed 's/@.*//' | sort -u >"$work/exported"
# a declaration may take several lines: its function is the last name before the first parenthesis that is no attribute
grep -hv '^ *#' "$SOURCE"/include/ingot/*.h | sed 's|/\*.*\*/||' | tr '\n' ' ' | grep -oE 'IG_API [^;{]*;' |
  sed -E 's/IG_PRINTF\([^)]*\)//; s/^([^(]*)\(.*/\1/; s/.*[ *](ig_[a-z0-9_]+) *$/\1/' | sort -u >"$work/declared"
[ "$(wc -l <"$work/declared")" -gt 50 ] || { echo "the headers were not understood"; exit 1; }
code=0
comm -23 "$work/exported" "$work/declared" >"$work/more"
comm -13 "$work/exported" "$work/declared" >"$work/less"
[ ! -s "$work/more" ] || { echo "exported, but in no public header:"; head -n 40 "$work/more"; code=1; }
[ ! -s "$work/less" ] || { echo "in a public header, but not exported:"; head -n 40 "$work/less"; code=1; }
readelf -d "$library" | grep -q 'SONAME.*libingot\.so\.[0-9]*\.[0-9]*\]' || { echo "the soname has no minor version"; code=1; }
echo "$(wc -l <"$work/exported") symbols"
exit $code
