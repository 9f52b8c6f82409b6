#!/bin/sh
# A page for a colleague: one file, to turn the part and zoom plots, nothing is loaded from elsewhere.
set -eu
[ -d beam ] || sh "$(dirname "$0")/02-first-case.sh"
ingot report beam -o beam.html
! grep -qE '(src|href)="https?:' beam.html
ls -l beam.html
