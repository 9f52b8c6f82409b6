#!/usr/bin/python3
"""Which keys of the case reference, and which choices of them, come up in random models and their relations."""
import argparse
import collections
import importlib
import json
import os
import random
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import engine  # noqa: E402
import key_cases  # noqa: E402
from keys import reference  # noqa: E402

ROOMS = ("thermal", "stress", "dynamics", "topopt", "fracture", "powder", "grains", "structure")
# `data` of a generator is a file when it is written
ALIAS = {"data": "file"}
# not of a model: paths of files that others name, what a person reads, where it runs, and whole tools that have tests of their own
OUTSIDE = ("title", "accept", "physics", "threads", "backend")


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
    base = Anything()
    try:
        for check in room.relations(model, base, random.Random(seed), None, "c"):
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
    definitions = json.loads(subprocess.run([options.ingot, "help", "--schema"], capture_output=True, text=True, check=True).stdout)["definitions"]
    for name in options.rooms or ROOMS:
        room = importlib.import_module("rooms." + name)
        found, choices = collections.Counter(), collections.defaultdict(set)
        for seed in range(options.seeds):
            seen = {}
            for case in cases(room, seed):
                for key, value in given(case):
                    seen.setdefault(key, []).append(value)
            for key, values in seen.items():
                found[key] += 1
                choices[key].update(str(v) if not isinstance(v, bool) else str(v).lower() for v in values if not isinstance(v, (list, dict)))
        keys = {k: t for k, t in table_of(definitions, definitions[name]) if k.split(".")[0] not in OUTSIDE and key_cases.wanted(name, {}, k)}
        never = [k for k in keys if k not in found]
        print("%s: %d of %d keys come up in %d models; never: %s" % (name, len(keys) - len(never), len(keys), options.seeds, ", ".join(never)))
        unused = ["%s: %s" % (k, c) for k, t in keys.items() if k in found and "enum" in t for c in t["enum"] if str(c) not in choices[k]]
        print("  choices that never come up: %s" % ", ".join(unused))
        if options.counts:
            print("  " + ", ".join("%s %d" % k for k in found.most_common()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
