#!/bin/sh
# Results for ParaView: the index of all snapshots is what is opened there. Numbers without it: probes and extremes.
set -eu
[ -d beam ] || sh "$(dirname "$0")/02-first-case.sh"
ls beam/*.series
ingot result extremes beam
ingot result probe beam --at 60mm,10mm,5mm --field displacement
