# The cases that scripts/gpu-check runs under sanitizers, one per family of kernels, run to their end on the CPU.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
BACKEND=cpu JOBS=2 LOGS=$work/logs LIMIT=280 bash "$SOURCE/scripts/gpu-check" all sanitizers
