# Runs tests/cli/golden/*.test: what the program says, word for word, and its exit codes.
#   $ ingot …      a command, run in an empty folder with `cases` in it
#   text           expected on standard output; * matches anything, a line … any number of lines
#   ! text         the same on standard error
#   ? N            exit code, 0 if not said
set -u
export LC_ALL=C # `ls` sorts the same everywhere
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin"
ln -s "$INGOT" "$work/bin/ingot"
PATH=$work/bin:$PATH
unset INGOT_TEST_BACKEND
checked=0 failed=0

pattern() { # expected lines -> one bash pattern in which only * is special
  local p=$1
  p=${p//\\/\\\\}; p=${p//\[/\\[}; p=${p//\]/\\]}; p=${p//\?/\\?}; p=${p//'('/\\(}; p=${p//')'/\\)}; p=${p//|/\\|}
  p=$'\n'$p$'\n'
  while [[ $p == *$'\n…\n'* ]]; do p=${p/$'\n…\n'/'*'$'\n'}; done
  matched=$p
}

judge() {
  [ -n "$command" ] || return
  checked=$((checked + 1))
  local stdout stderr code matched
  (cd "$folder" && eval "$command") >"$work/stdout" 2>"$work/stderr" </dev/null
  code=$?
  stdout=$'\n'$(cat "$work/stdout")$'\n' stderr=$'\n'$(cat "$work/stderr")$'\n'
  local good=yes
  pattern "$out"; [[ $stdout == $matched ]] || good="standard output"
  pattern "$err"; [[ $stderr == $matched ]] || good="standard error"
  [ "$code" = "$exit" ] || good="exit code"
  if [ "$good" != yes ]; then
    failed=$((failed + 1))
    printf -- '--- %s: $ %s: %s differs\n' "$(basename "$file")" "$command" "$good"
    printf 'expected (exit %s):\n%s\n%s\ngot (exit %s):%s%s' "$exit" "$out" "${err:+! $err}" "$code" "$stdout" "$stderr"
  fi
  command=
}

for file in "$SOURCE"/tests/cli/golden/*.test; do
  folder=$(mktemp -d "$work/XXXX")
  [ -d "$SOURCE/cases" ] && ln -s "$SOURCE/cases" "$folder/cases"
  command= out= err= exit=0
  while IFS= read -r line || [ -n "$line" ]; do
    case $line in
    '#'*) ;;
    '$ '*) judge; command=${line#'$ '} out= err= exit=0 ;;
    '! '*) err+=${err:+$'\n'}${line#'! '} ;;
    '? '*) exit=${line#'? '} ;;
    *) out+=${out:+$'\n'}$line ;;
    esac
  done <"$file"
  judge
done
echo "$checked commands, $failed wrong"
[ "$checked" -gt 0 ] && [ "$failed" = 0 ]
