# What the tutorials show works as they say. In each page: a block of YAML or Python that begins with `# NAME` is that
# file, and Python is run; blocks of shell are run; a block of text after that must be in the output, line by line
# (… stands for anything). First-run has commands of an installation and is left to cli/shipped.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin"
ln -s "$INGOT" "$work/bin/ingot"
export PATH=$work/bin:$PATH INGOT_MATERIALS=$SOURCE/materials OMP_NUM_THREADS=2
export PYTHONPATH=$BUILD/python PYTHONDONTWRITEBYTECODE=1
python=yes
[ -e "$BUILD/python/ingot/_ingot.abi3.so" ] && /usr/bin/python3 -c 'import numpy' 2>/dev/null || python=
failed=0 ran=0
wrong() { failed=$((failed + 1)); echo "--- $*"; tail -n 20 said; }

for page in "$SOURCE"/docs/tutorials/*.md; do
  name=$(basename "$page" .md)
  [ "$name" = first-run ] && continue
  [ "$name" = python ] && [ -z "$python" ] && { echo "$name: the Python package was not built"; continue; }
  mkdir "$work/$name"
  cd "$work/$name" || exit 1
  : >said
  awk -v RS='\n' '/^```[a-z]/ { kind = substr($0, 4); n++; file = sprintf("block-%03d.%s", n, kind); next }
    /^```/ { if (file) close(file); file = ""; next } file { print > file }' "$page"
  for block in block-*; do
    first=$(sed -n '1s/^# \([a-z_-]*\.[a-z]*\)$/\1/p' $block)
    case $block in
    *.yaml | *.python)
      [ -n "$first" ] || continue
      cp $block "$first"
      [ "${block##*.}" = python ] || continue
      ran=$((ran + 1))
      /usr/bin/python3 -X dev -W error "$first" >said 2>&1 || wrong "$name: $first fails"
      ;;
    *.sh)
      ran=$((ran + 1))
      bash -e $block >said 2>&1 || wrong "$name: $(head -1 $block) … fails"
      ;;
    *.text)
      while IFS= read -r line; do
        pattern=$(sed 's/[][\.*^$+?(){}|]/\\&/g; s/…/.*/g' <<<"$line")
        grep -qE -- "$pattern" said || wrong "$name: the output lacks '$line'"
      done <$block
      ;;
    esac
  done
done
echo "$ran blocks ran, $failed mistakes"
[ "$ran" -ge 8 ] && [ "$failed" = 0 ]
