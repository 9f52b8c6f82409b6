# Every key of small cases, changed by itself, has an effect, is refused or is output alone
# (tests/differential/keys.py).
set -u
export PYTHONDONTWRITEBYTECODE=1 OMP_NUM_THREADS=1
/usr/bin/python3 "$SOURCE/tests/differential/keys.py" --ingot "$INGOT"
