# The page of troubleshooting quotes messages as the program says them, and the check finds one that it does not say.
set -u
command -v python3 >/dev/null || { echo "no Python"; exit 77; }
page=$(mktemp)
trap 'rm -f "$page"' EXIT
"$SOURCE/scripts/check-messages" || exit 1
sed 's/`two boxes overlap from`/`two spheres overlap from`/' "$SOURCE/docs/how-to/troubleshooting.md" >"$page"
"$SOURCE/scripts/check-messages" "$page" >/dev/null && { echo "a message that nothing says is not found"; exit 1; }
exit 0
