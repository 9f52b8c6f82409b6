#!/bin/bash
# The JSON Schema is JSON; with Python's yaml and jsonschema, every shipped case fits it and a
# misspelt key does not.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$INGOT" help --schema >"$work/schema.json"
python3 -m json.tool "$work/schema.json" >/dev/null
python3 -c 'import yaml, jsonschema' 2>/dev/null || { echo 'no yaml or jsonschema: JSON checked only'; exit 0; }
cd "$SOURCE"
python3 - "$work/schema.json" <<'END'
import glob, json, sys
import jsonschema, yaml

class Loader(yaml.SafeLoader):
    pass

check = jsonschema.Draft7Validator(json.load(open(sys.argv[1])))
bad = 0
for path in sorted(glob.glob('cases/**/*.yaml', recursive=True)):
    case = yaml.load(open(path), Loader)
    if not isinstance(case, dict) or ('physics' not in case and 'stages' not in case):
        continue
    for error in check.iter_errors(case):
        print(path, list(error.absolute_path), error.message[:200])
        bad += 1
case = yaml.safe_load(open('cases/thermal/first.yaml'))
case['duratoin'] = 1
if not list(check.iter_errors(case)):
    print('a misspelt key fits')
    bad += 1
sys.exit(bad > 0)
END
