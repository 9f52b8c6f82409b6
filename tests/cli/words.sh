# Manual and completions know every command and every option that --help tells of.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
failed=0 options=0
"$INGOT" help --man | sed 's/\\-/-/g; s/\\fB//g; s/\\fR//g; s/\\f[A-Z]//g' >man
for shell in bash zsh fish; do "$INGOT" completion $shell >$shell; done
missing() { echo "'$1' of 'ingot $2' is not in: $3"; failed=$((failed + 1)); }
commands=$("$INGOT" help | sed -n 's/^  \(mesh [a-z]*\|[a-z][a-z]*\) .*/\1/p')
[ "$(wc -l <<<"$commands")" -ge 10 ] || { echo "which commands are there?"; exit 1; }
while read -r command; do
  for page in man bash zsh fish; do grep -qF -- "${command##* }" $page || missing "$command" "$command" $page; done
  for option in $("$INGOT" $command --help | grep -oE '^ +(-[a-z], )?--[a-z-]+' | grep -oE -- '--[a-z-]+'); do
    options=$((options + 1))
    for page in man bash zsh; do grep -qF -- "$option" $page || missing $option "$command" $page; done
    grep -qE -- "-l ${option#--}( |$)" fish || missing $option "$command" fish
  done
done <<<"$commands"
# words that the program lists, in the shells that are here
ingot() { "$INGOT" "$@"; }
source ./bash
while IFS='|' read -r typed wanted; do
  read -ra COMP_WORDS <<<"ingot $typed"
  COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
  _ingot
  [ "${COMPREPLY[*]}" = "$wanted" ] || { echo "bash completes '$typed' by '${COMPREPLY[*]}'"; failed=$((failed + 1)); }
done <<'END'
new sta|statics
materials Ti|Ti-6Al-4V
new --material S3|S355
help duratio|duration
verify thermal/pa|thermal/patch
completion f|fish
END
! command -v zsh >/dev/null || zsh -n zsh || { echo "zsh: its completion does not parse"; failed=$((failed + 1)); }
echo "$options options of $(wc -l <<<"$commands") commands, $failed not in manual or completion"
[ "$options" -ge 40 ] && [ "$failed" = 0 ]
