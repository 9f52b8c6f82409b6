# What the pages name exists: links and their anchors, files of the repository, commands with their
# options, targets of make, and the keys of the case snippets.
set -u
cd "$SOURCE"
pages=(README.md CONTRIBUTING.md CHANGELOG.md docs/*.md docs/*/*.md)
failed=0 checked=0
wrong() {
  failed=$((failed + 1))
  echo "--- $*"
}

# the anchors of a page, as GitHub makes them of its headings
anchors() {
  awk '/^```/ { code = !code } !code && /^#+ / { sub(/^#+ /, ""); print }' "$1" |
    sed 's/`//g; s/\[\([^]]*\)\]([^)]*)/\1/g' | tr '[:upper:]' '[:lower:]' | sed 's/[^[:alnum:] _-]//g; s/ /-/g'
}

# the keys of the reference: first column of its tables, and those its sentences give
keys=$(grep -oE '^\| `[[:alnum:]_.]+|[a-z_]+:' -h docs/reference/case-reference.md docs/reference/keys-*.md | sed 's/^| `//; s/:$//' | tr . '\n' | sort -u)

for page in "${pages[@]}"; do
  while IFS= read -r target; do
    checked=$((checked + 1))
    case $target in
    http://* | https://* | mailto:*) continue ;;
    esac
    path=${target%%#*}
    [ -n "$path" ] && path=$(dirname "$page")/$path || path=$page
    if [ ! -e "$path" ]; then
      wrong "$page: the link $target leads nowhere"
    elif [ "$target" != "${target#*#}" ] && ! anchors "$path" | grep -qxF -- "${target#*#}"; then
      wrong "$page: $target: there is no such heading"
    fi
  done < <(awk '/^```/ { code = !code } !code' "$page" | grep -o '](\([^)]*\))' | sed 's/^](//; s/)$//')

  # files named in code: what begins with a folder of the repository
  while IFS= read -r name; do
    checked=$((checked + 1))
    case $name in
    cli/*) [ "$page" = docs/defects.md ] && continue ;; # tests, below
    *NAME* | *ROOM* | *…* | */flow* | *my-steel* | *'$'*) continue ;;
    esac
    name=${name%[.,:;]}
    compgen -G "$name" >/dev/null || wrong "$page: there is no $name"
  done < <(grep -oE '(^|[^[:alnum:]_/.|-])(cases|docs|src|tests|scripts|materials|bench|cli|include|cmake)/[[:alnum:]_./*…$-]+' "$page" |
    sed -E 's/^[^[:alnum:]]//' | sort -u)

  # commands and their options
  while IFS= read -r line; do
    checked=$((checked + 1))
    words=($line)
    command=${words[1]}
    [ "$command" = mesh ] && command="mesh ${words[2]}"
    case $command in COMMAND* | --help | --version) continue ;; esac
    if ! help=$("$INGOT" help $command 2>&1); then
      wrong "$page: 'ingot $command': $help"
      continue
    fi
    for word in "${words[@]}"; do
      case $word in
      --*)
        word=${word%%=*}
        grep -qE -- "(^|[ ,])$word( |$)" <<<"$help" || wrong "$page: 'ingot $command' has no option $word"
        ;;
      esac
    done
  done < <(grep -oE '(^|[ `(/])ingot (run|check|upgrade|sweep|sample|sensitivity|dataset|assimilate|view|report|calibrate|verify|bench|mesh|devices|help|completion|version)[^`|#;&)]*' "$page" |
    sed -E 's/^[^i]*//; s/ingot mesh(\.| is| has).*//' | grep -E '^ingot (mesh (new|convert|info)|[a-z]+( |$))' | sort -u)

  own= # keys of files that are no cases
  [ $page = docs/how-to/calibrate.md ] && own=$'\ncases\nkeys\nkey\nfigures\nfigure\nprior\nmean\ndeviation\nuncertainty\nscale\nnoise'
  [ $page = docs/how-to/assimilate.md ] && own=$'\nensemble\ndata\nuncertainty\nfactors\nload\ndeviation'
  [ $page = docs/how-to/sweep.md ] && own=$'\nvary\nruns\nfigures'
  [ $page = docs/explanation/stress.md ] && own=$'\nstages\nprint'
  [ $page = docs/tutorials/a-chain.md ] && own=$'\nstages\nprint' # print: a stage
  # keys of cases, in blocks of YAML and in words such as `assembly: gather`
  [ $page = CHANGELOG.md ] || while IFS= read -r key; do
    checked=$((checked + 1))
    grep -qxF -- "$key" <<<"$keys$own" || wrong "$page: a case has no key $key"
  done < <({
    awk '/^```yaml/ { yaml = 1; next } /^```/ { yaml = 0 } yaml' "$page" | sed 's/ #.*//'
    grep -oE '`[a-z_]+: [^`]*`' "$page" | tr -d '`'
  } | grep -oE '(^|[{,] *|- +|^ +)[a-z_]+:' | sed -E 's/^[^a-z]*//; s/:$//' | sort -u)

  while IFS= read -r target; do
    checked=$((checked + 1))
    grep -qE "^([a-z -]*[ ])?$target([ a-z-]*)?:" Makefile || wrong "$page: there is no 'make $target'"
  done < <(grep -oE '(^|`)make [a-z-]+' "$page" | sed 's/.*make //' | sort -u)
done
# paragraphs of fewer than 100 words (code, tables and items of lists apart), at most thirty words explained
for page in README.md docs/*.md docs/*/*.md; do
  case $page in docs/reference/case-reference.md | docs/reference/keys-*) continue ;; esac
  checked=$((checked + 1))
  while IFS= read -r long; do
    wrong "$page: a paragraph of $long"
  done < <(awk '
    function done() { if (words >= 100) print words " words: " substr(first, 1, 50); words = 0 }
    /^```/ { code = !code; done(); next }
    code || /^[|#<]/ || /^[ \t]*$/ { done(); next }
    /^[ \t]*([-*]|[0-9]+\.) / { done() }
    { if (!words) first = $0; words += NF }
    END { done() }' $page)
done
explained=$(grep -c '^| ' docs/reference/glossary.md)
[ $explained -gt 12 ] && [ $explained -le 32 ] || wrong "docs/reference/glossary.md: $((explained - 2)) words, at most thirty"
# every public function has a sentence and an example in docs/reference/api.md; its C compiles as one program
api=docs/reference/api.md code=$(mktemp -d)
trap 'rm -rf "$code"' EXIT
awk '/^```c$/ { c = 1; next } /^```/ { c = 0 } c' $api >"$code/api.c"
functions=$(cat include/ingot/*.h | tr '\n' ' ' | grep -oE 'IG_API [^;]*' | grep -oE '\big_[a-z0-9_]+ *\(' | tr -d '( ' | sort -u)
[ "$(wc -w <<<"$functions")" -gt 80 ] || wrong "only $(wc -w <<<"$functions") public functions were found in include/ingot"
for f in $functions; do
  checked=$((checked + 1))
  grep -qE "^- \`$f\`: [A-Za-z].*\.$" $api || wrong "$api: no sentence about $f"
  grep -q "\b$f(" "$code/api.c" || wrong "$api: no example of $f"
done
for f in $(sed -n 's/^- `\(ig_[a-z0-9_]*\)`: .*/\1/p' $api); do
  grep -qx "$f" <<<"$functions" || wrong "$api: $f is no public function"
done
if cc=$(command -v cc || command -v gcc); then
  "$cc" -std=c11 -Wall -Wextra -Werror -Wno-unused-function -fsyntax-only -Iinclude "$code/api.c" 2>"$code/log" ||
    wrong "$api: its examples do not compile: $(grep -m1 error "$code/log")"
fi
# tests that docs/defects.md names: `unit/FILE: FUNCTION`, `python/FILE: FUNCTION`, `cli/FILE`, `verify ROOM/PROBLEM`
while IFS= read -r name; do
  checked=$((checked + 1))
  case $name in
  python/*) path=${name%: *} && grep -q "def ${name#*: }(" "tests/$path.py" ;;
  'verify '*) path=${name#verify } && grep -q "{\"${path#*/}\"," "verify/${path%/*}"/*.c ;;
  *': '*) path=${name%: *} && grep -q "static void ${name#*: }(" "tests/$path.c" ;;
  unit/*) [ -e "tests/$name.c" ] ;;
  *) [ -e "tests/$name.sh" ] ;;
  esac || wrong "docs/defects.md: there is no test $name"
done < <(grep '^| [A-Z][0-9]' docs/defects.md | grep -oE '`((unit|cli)/[a-z_0-9]+(: [a-z_0-9]+)?|python/[a-z_]+: [a-z_0-9]+|verify [a-z/-]+)`' | tr -d '`' | sort -u)
# folders and functions that the tour walks through
scripts/check-tour || wrong "docs/tour.md"
# works that comments and pages cite
scripts/check-references || wrong "docs/reference/references.md"
echo "$checked names in ${#pages[@]} pages, $failed wrong"
[ "$checked" -gt 300 ] && [ "$failed" = 0 ]
