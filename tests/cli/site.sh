# The pages as a static site: mkdocs has nothing to warn of, every link and anchor leads somewhere.
set -u
command -v mkdocs >/dev/null || { echo "mkdocs is not installed"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$SOURCE" || exit 1
PYTHONDONTWRITEBYTECODE=1 mkdocs build --quiet --strict --site-dir "$work/site" || exit 1
/usr/bin/python3 tests/cli/site_links.py "$work/site"
