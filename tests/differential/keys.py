#!/usr/bin/env python3
"""Every key of a case has an effect, is refused, or only concerns output.

The tables of keys come from the program (`ingot help --schema`). Each small case of key_cases.py is run once;
then each key of the sections it has is changed by itself, or added with a value other than its default. The
key passes where any figure, row or file of the result differs, where the program refuses the case with a
place or warns, or where the key is listed in key_cases.py as output only. A key given at its default gives
the same bits as the key left out.
"""
import argparse
import copy
import hashlib
import json
import os
import re
import shutil
import sys
import tempfile
import time

from case import Refused, Worker
import key_cases

ABSENT = object()
# What a key without a value or a default is tried at, by its unit; a case's `hints` come first.
GUESS = {"m": [1e-3, 2e-4], "s": [1e-3, 1e-6], "K": [400.0, 1500.0], "Pa": [1e8], "W": [50.0], "m/s": [0.5], "N": [1.0],
         "rad": [0.3], "1/s": [100.0], "B": [4e9], "W/m^2": [1e5], "W/(m^2 K)": [100.0], "W/m^3": [1e8], "J/kg": [1e5], "J/m^2": [100.0],
         "m^2": [1e-6], "m^4": [1e-13], "kg": [1e-3], "N m": [1e-3], "N/m^3": [1e14], "m/s^2": [100.0],
         "rad/s": [100.0], "1/K": [1e-5], "": [0.5, 0.05, 2.0]}
NUMBER = re.compile(r"^\s*([-+]?[0-9.]+(?:[eE][-+]?[0-9]+)?)\s*(.*)$")


class Key:
    """One key of a section that a case has: where it is, what the tables say of it, its value."""

    def __init__(self, path, table, value):
        self.path, self.table, self.value = path, table, value
        unit = re.search(r"\[([^\[\]]+)\](; usual.*)?$", table.get("description", ""))
        self.unit = unit.group(1) if unit else ""
        self.name = ".".join(str(p) for p in path if not isinstance(p, int))

    def default(self):
        text = self.table.get("default")
        if text is None:
            return ABSENT
        try:
            return json.loads(text)
        except ValueError:
            return "" if text == "''" else text


def reference(definitions, table):
    """The section that a key holds, or None."""
    for kind in ("allOf", "anyOf"):
        if kind in table:
            return definitions[table[kind][0]["$ref"].rsplit("/", 1)[1]]
    return None


def keys(definitions, section, value, path=()):
    """Every key of the sections that are in `value`."""
    for name, table in section["properties"].items():
        own = value.get(name, ABSENT)
        sub = reference(definitions, table)
        if sub is None:
            yield Key(path + (name,), table, own)
        elif isinstance(own, list):
            for i, entry in enumerate(own):
                yield from keys(definitions, sub, entry, path + (name, i))
        elif isinstance(own, dict):
            yield from keys(definitions, sub, own, path + (name,))


def scaled(value, by):
    if isinstance(value, bool):
        return value
    if isinstance(value, (int, float)):
        return value * by
    if isinstance(value, str):
        found = NUMBER.match(value)
        return ("%.17g %s" % (float(found.group(1)) * by, found.group(2))).strip() if found else value
    return [scaled(v, by) for v in value]


def zero(value):
    if isinstance(value, list):
        return all(zero(v) for v in value)
    return isinstance(value, (int, float)) and value == 0


def others(key, hints):
    """Other values of a key, the likeliest first."""
    table, value = key.table, key.value
    best = [p for p in hints if key.name == p or key.name.endswith("." + p)]
    if best:
        same = value if value is not ABSENT else key.default()
        return [v for v in hints[max(best, key=len)] if v != same]
    usual = value if value is not ABSENT else key.default()
    kind = table.get("type")
    if "enum" in table:
        return [c for c in table["enum"] if c != usual]
    if kind == "boolean":
        return [not (usual is True)]
    if kind == "integer":
        n = 0 if usual is ABSENT else usual
        return [n + 1, max(n - 1, 0), 2 * n + 3]
    if kind == "array" or (isinstance(kind, list) and kind[0] == "number"):
        if usual is not ABSENT and not zero(usual):
            if isinstance(usual, list) and usual and isinstance(usual[0], list):  # rows: other values at the same x
                return [[[x, scaled(y, f)] for x, y in usual] for f in (1.1, 0.8)]
            if isinstance(usual, list) and table.get("items", {}).get("type") == "integer":
                return [[n + 1 for n in usual], [max(n - 1, 0) for n in usual]]
            near = [scaled(usual, f) for f in (1.1, 0.8, 2.0)]
            turned = [usual[1:] + usual[:1]] if isinstance(usual, list) else []
            return near + turned
        guesses = GUESS.get(key.unit, [1.0])
        if kind == "array":
            n = table.get("maxItems", 3)
            return [[g * (i == j) for i in range(n)] for g in guesses for j in (0, n - 1)] + [[guesses[0]] * n]
        return guesses
    return []


def changed(case, path, value):
    out = copy.deepcopy(case)
    at = out
    for p in path[:-1]:
        at = at[p]
    at[path[-1]] = value
    return out


def signature(out, moving=(), timed=False):
    """What a run gave: figures but those that are wall time, warnings, and the content of its files (timed: but tables, which hold wall time)."""
    with open(os.path.join(out, "summary.json")) as f:
        summary = json.load(f)
    for name in moving:
        summary.get("result", {}).pop(name, None)
    kept = {k: summary.get(k) for k in ("status", "elements", "nodes", "dofs", "steps", "snapshots", "result", "units")}
    found = {"summary": json.dumps(kept, sort_keys=True)}
    for root, _, files in os.walk(out):
        for name in sorted(files):
            if name in (".ingot", "checkpoint.h5", "summary.json", "case.yaml") or (timed and name.endswith(".csv")):
                continue
            with open(os.path.join(root, name), "rb") as f:
                found[os.path.relpath(os.path.join(root, name), out)] = hashlib.md5(f.read()).hexdigest()
    warned = [re.sub(r"^.*?:\d+:\d+: ", "", str(w)) for w in summary.get("warned", [])]
    return found, warned


class Walk:
    def __init__(self, program, show):
        self.program, self.show = program, show
        self.cache, self.moving, self.timed = {}, (), False
        schema = json.loads(program.call("help", "--schema").stdout)
        self.definitions = schema["definitions"]
        self.passed = self.failed = self.known = 0
        self.acts = {}  # room and key: the best that was seen

    def run(self, case):
        """("ok", signature, warnings), ("refused", text) or ("failed", text)."""
        text = json.dumps(case, sort_keys=False)
        if text not in self.cache:
            try:
                self.cache[text] = ("ok",) + signature(self.program.files(case, "k"), self.moving, self.timed)
            except Refused as r:
                located = re.search(r":\d+:\d+: ", r.text)
                # 2: refused, with a place; 1: the run began and ended with an error
                self.cache[text] = ("refused" if r.code == 2 and located else "ended" if r.code == 1 else "failed",
                                    r.text.split("k.yaml", 1)[-1])
        return self.cache[text]

    def verdict(self, base, case, key, values):
        """How the program takes other values of a key: acts, warned, refused or none."""
        refused = warned = None
        silent = []
        for value in values:
            got = self.run(changed(case, key.path, value))
            if got[0] == "failed":
                return "FAILED", got[1]
            if got[0] == "ended":
                return "acts", got[1]
            if got[0] == "refused":
                refused = refused or got[1]
                continue
            if got[1] != base[1]:
                return "acts", ""
            if got[2] != base[2]:
                warned = warned or "; ".join(w for w in got[2] if w not in base[2])
            else:
                silent.append(value)
        if warned:
            return "warned", warned
        if silent:
            return "no effect", "at %s" % ", ".join(json.dumps(v) for v in silent)
        return ("refused", refused) if refused else ("not tried", "no other value is known")

    def count(self, room, name, key, verdict, text):
        order = ("acts", "output", "warned", "refused", "known", "not tried", "no effect", "FAILED")
        at = (room, key)
        if at not in self.acts or order.index(verdict) < order.index(self.acts[at]):
            self.acts[at] = verdict
        if verdict == "known":
            self.known += 1
        elif verdict in ("no effect", "FAILED", "not tried"):
            self.failed += 1
        else:
            self.passed += 1
        if verdict in ("known", "no effect", "FAILED", "not tried") or self.show:
            print("%-10s %-18s %-40s %s" % (verdict, name, key, text), flush=True)

    def defaults(self, room, name, case, base, found):
        """Keys that are left out, given at their defaults: the same bits."""
        given = [(k, k.default()) for k in found if k.value is ABSENT and k.default() is not ABSENT and k.name != "backend"]
        whole = case
        for k, value in given:
            whole = changed(whole, k.path, value)
        got = self.run(whole)
        if got[0] == "ok" and got[1:] == base[1:]:
            self.passed += len(given)
            return
        for k, value in given:
            got = self.run(changed(case, k.path, value))
            if got[0] == "refused" or (got[0] == "ok" and got[1] == base[1]):  # a warning may come
                self.passed += 1
                if got[0] == "refused" and self.show:
                    print("%-10s %-18s %-40s %s" % ("refused", name, k.name, "at its default " + str(value) + got[1]))
            else:
                self.failed += 1
                print("%-10s %-18s %-40s differs at its default %s" % ("FAILED", name, k.name, value), flush=True)

    def case(self, room, name, entry):
        begin, runs = time.time(), self.program.runs
        case = dict(entry["case"], physics=room)
        self.moving, self.timed = key_cases.MOVING, entry.get("timed", False)
        base = self.run(case)
        if base[0] != "ok":
            self.failed += 1
            print("%-10s %-18s %s" % ("FAILED", name, base[1]), flush=True)
            return
        hints = dict(key_cases.HINTS, **entry.get("hints", {}))
        every = list(keys(self.definitions, self.definitions[room], case))
        found = [k for k in every if key_cases.wanted(room, entry, k.name)]
        for key in found:
            reason = key_cases.reason(key_cases.OUTPUT, room, key.name)
            if reason:
                self.count(room, name, key.name, "output", reason)
                continue
            verdict, text = self.verdict(base, case, key, others(key, hints))
            reason = key_cases.reason(key_cases.KNOWN, room, key.name, name)
            if reason and verdict in ("no effect", "not tried"):
                verdict, text = "known", reason
            self.count(room, name, key.name, verdict, text)
        self.defaults(room, name, case, base, found)
        print("%-9s %-18s %4d keys %5d runs %6.1f s" % (room, name, len(found), self.program.runs - runs, time.time() - begin), flush=True)

    def pairs(self, room, name, entry):
        """Switches: with each other value of a choice, the keys of its section that acted before act still, or are refused."""
        case = dict(entry["case"], physics=room)
        self.moving, self.timed = key_cases.MOVING, entry.get("timed", False)
        base = self.run(case)
        hints = dict(key_cases.HINTS, **entry.get("hints", {}))
        found = [k for k in keys(self.definitions, self.definitions[room], case) if key_cases.wanted(room, entry, k.name)
                 and not key_cases.reason(key_cases.OUTPUT, room, k.name)]
        acting = None
        for switch in found:
            if "enum" not in switch.table and switch.table.get("type") != "boolean":
                continue
            if acting is None:
                acting = [k for k in found if self.verdict(base, case, k, others(k, hints))[0] == "acts"]
            for value in others(switch, hints):
                other = changed(case, switch.path, value)
                got = self.run(other)
                if got[0] != "ok" or got[1] == base[1]:
                    continue
                for key in acting:
                    if key.path[:-1] != switch.path[:-1] or key.path == switch.path:
                        continue
                    verdict, text = self.verdict(got, other, key, others(key, hints))
                    if verdict != "no effect":
                        self.passed += 1
                        continue
                    at = (room, switch.name, json.dumps(value).strip('"'), key.name.rsplit(".", 1)[-1])
                    if at in key_cases.SWITCHED:
                        self.known += 1
                        continue
                    self.failed += 1
                    print("%-10s %-18s %s: %s switches off %s %s" % ("no effect", name, switch.name, value, key.name, text), flush=True)

    def unseen(self):
        """Keys that are in no section of any case."""
        out = []
        for room in sorted({r for r, _ in self.acts}):
            def names(section, path, depth=0):
                for name, table in section["properties"].items():
                    sub = reference(self.definitions, table)
                    if sub is None:
                        yield ".".join(path + (name,))
                    elif depth < 6:
                        yield from names(sub, path + (name,), depth + 1)
            shared = ("mesh.", "materials.", "output.", "accept.")
            out += [(room, n) for n in names(self.definitions[room], ()) if (room, n) not in self.acts and not n.startswith(shared)]
        return out


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cases", nargs="*", help="rooms or names of cases; left out: all")
    parser.add_argument("--ingot", default=os.path.join(os.path.dirname(__file__), "../../build/ingot"))
    parser.add_argument("--show", action="store_true", help="every key, not only findings")
    parser.add_argument("--pairs", action="store_true", help="choices that switch other keys of their section off, instead of keys one by one")
    parser.add_argument("--keys", help="only keys that begin so")
    given = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="keys", dir="/dev/shm" if os.path.isdir("/dev/shm") else None)
    try:
        worker = os.path.join(os.path.dirname(os.path.abspath(given.ingot)), "tests", "differential_worker")
        os.environ.setdefault("INGOT_MATERIALS", os.path.join(os.path.dirname(__file__), "../../materials"))
        program = Worker(given.ingot, worker, folder)
        walk = Walk(program, given.show)
        key_cases.only = given.keys
        for name, entry in key_cases.cases(program).items():
            room = entry["room"]
            if given.cases and room not in given.cases and name not in given.cases:
                continue
            (walk.pairs if given.pairs else walk.case)(room, name, entry)
        if not given.cases and not given.keys and not given.pairs:
            unseen = walk.unseen()
            refused = [k for k, v in walk.acts.items() if v == "refused"]
            print("%d keys in %d sections' tables seen to act, %d only refused, %d in no case" % (
                sum(v == "acts" for v in walk.acts.values()), len(walk.definitions), len(refused), len(unseen)))
            if given.show:
                print("only refused:", ", ".join("%s %s" % k for k in refused))
                print("in no case:", ", ".join("%s %s" % k for k in unseen))
        print("%d known: left as they are, with a reason" % walk.known)
        print("%d passed, %d failed" % (walk.passed, walk.failed))
        return walk.failed > 0
    finally:
        program.stop()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
