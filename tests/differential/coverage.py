#!/usr/bin/python3
"""Which keys of the case reference, and which choices of them, come up in random models and their relations."""
import argparse
import collections
import os
import random
import shutil
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import engine  # noqa: E402
import key_cases  # noqa: E402
from case import Worker  # noqa: E402
from keys import reference  # noqa: E402
from rooms.options import Room, definitions, left_out  # noqa: E402

ROOMS = ("thermal", "stress", "dynamics", "topopt", "fracture", "powder", "grains", "structure")
# `data` of a generator is a file when it is written
ALIAS = {"data": "file"}


def table_of(definitions, section, path=(), depth=0):
    """Every key of a section by its full name, with its table."""
    for name, table in section["properties"].items():
        sub = reference(definitions, table)
        if sub is None:
            yield ".".join(path + (name,)), table
        elif depth < 6:
            yield from table_of(definitions, sub, path + (name,), depth + 1)


def given(value, path=()):
    """Every key of a case by its full name, with its value."""
    if isinstance(value, list) and value and all(isinstance(v, dict) for v in value):
        for v in value:
            yield from given(v, path)
    elif isinstance(value, dict):
        for k, v in value.items():
            yield from given(v, path + (ALIAS.get(k, k),))
    else:
        yield ".".join(path), value


class Anything(dict):
    """Figures of a model that was not run."""

    def __missing__(self, key):
        return 10.0


def cases(room, seed):
    """The case of a seed and those of its relations."""
    model = engine.seeded(room, seed)
    yield model.case
    base = Anything(model.judge.get("first", {}))
    try:
        for check in room.relations(model, base, random.Random(seed), room.program, "c"):
            if check.model is not None:
                other = (check.model() if callable(check.model) else check.model).case
                yield other
            for word in check.args:
                if "=" in word:
                    yield dict([word.split("=", 1)])
    except (TypeError, AttributeError):  # a relation that needs the program
        pass


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("rooms", nargs="*", default=[])
    p.add_argument("--ingot", default=os.path.join(HERE, "../../build/ingot"))
    p.add_argument("--seeds", type=int, default=400, help="models of each room")
    p.add_argument("--counts", action="store_true", help="how often each key comes up")
    options = p.parse_args()
    os.environ.setdefault("INGOT_MATERIALS", os.path.join(HERE, "..", "..", "materials"))
    folder = tempfile.mkdtemp(prefix="coverage")
    program = Worker(options.ingot, os.path.join(os.path.dirname(options.ingot), "tests", "differential_worker"), folder)
    try:
        for name in options.rooms or ROOMS:
            show(Room(name, program), options)
    finally:
        program.stop()
        shutil.rmtree(folder, ignore_errors=True)
    return 0


def show(room, options):
    """What came up of one room, and what did not."""
    tables, name = definitions(room.program), room.NAME
    found, choices = collections.Counter(), collections.defaultdict(set)
    for seed in range(options.seeds):
        seen = {}
        for case in cases(room, seed):
            for key, value in given(case):
                seen.setdefault(key, []).append(value)
        for key, values in seen.items():
            found[key] += 1
            choices[key].update(str(v) if not isinstance(v, bool) else str(v).lower() for v in values if not isinstance(v, (list, dict)))
    keys = {k: t for k, t in table_of(tables, tables[name]) if not left_out(k) and (not k.startswith(("mesh.", "materials.")) if name == "grains" else key_cases.wanted(name, {}, k))}
    never = [k for k in keys if k not in found]
    print("%s: %d of %d keys come up in %d models; never: %s" % (name, len(keys) - len(never), len(keys), options.seeds, ", ".join(never)))
    unused = ["%s: %s" % (k, c) for k, t in keys.items() if k in found and "enum" in t for c in t["enum"] if (str(c).lower() if isinstance(c, bool) else str(c)) not in choices[k]]
    print("  choices that never come up: %s" % ", ".join(unused))
    if options.counts:
        print("  " + ", ".join("%s %d" % k for k in found.most_common()))


if __name__ == "__main__":
    sys.exit(main())
