"""Runs models under relations, judges them, shrinks what fails, and counts."""
import copy
import json
import os
import random
import shutil
import time

from case import Refused, deviation


class Check:
    """One relation, or judge, of one model: other figures that must be factor times the model's."""

    def __init__(self, name, tolerance, model=None, args=(), threads=1, factor=None, figures=None, only=None, follow=None):
        self.name = name
        self.tolerance = tolerance  # a number, or {kind: number}
        self.model = model  # the other model to run; or
        self.figures = figures  # figures computed otherwise; or
        self.follow = follow  # a function (program, name) that gives them
        self.args, self.threads = args, threads
        self.factor = factor or {}
        self.only = only  # figures that are compared; None: all


def scales(model, found):
    """The largest magnitude of each kind of figure, beside what the model gives as its own."""
    out = dict(model.judge.get("scale", {}))
    for name, kind in model.figures.items():
        offset = model.judge.get("offset", {}).get(kind, 0.0)
        out[kind] = max(out.get(kind, 0.0), abs(found[name] - offset))
    return out


def worst(model, base, other, check):
    """The largest deviation over its tolerance, with the figure's name."""
    size = scales(model, base)
    found, where = 0.0, ""
    for name, kind in model.figures.items():
        if check.only is not None and name not in check.only:
            continue
        if name not in other and check.follow:
            continue  # a column of the history alone
        tolerance = check.tolerance.get(kind, 1e300) if isinstance(check.tolerance, dict) else check.tolerance
        factor = check.factor.get(name, check.factor.get("kind " + kind, 1.0))
        d = deviation(factor * base[name], other[name], abs(factor) * size[kind])
        if d / tolerance > found:
            found, where = d / tolerance, "%s: %.9g, not %.9g (off by %.2g, allowed %.2g)" % (
                name, other[name], factor * base[name], d, tolerance)
    return found, where


def examine(program, room, seed, name, relations=None):
    """Runs one model with its relations; yields (relation, state, text, cases)."""
    rng = random.Random("%s-%d" % (room.NAME, seed))
    model = room.generate(rng)
    yield from hold(program, room, model, name, seed, relations)


def hold(program, room, model, name, seed, relations=None):
    try:
        base = program.run(model.case, name)
    except Refused as r:
        # a model that the program refuses is the generator's fault; one that passes `check` and fails later is a finding
        later = program.call("check", os.path.join(program.folder, name + ".yaml")).returncode == 0
        late = later and not room.may_fail(r.text)
        yield "base", "FAILED" if late or r.code not in (1, 2) else "refused", r.text, model.case, None
        return
    missing = [f for f in model.figures if f not in base]
    if missing:
        yield "base", "FAILED", "no figure " + missing[0], model.case, None
        return
    for text in room.sound(model, base):
        yield "sound", "FAILED", text, model.case, None
    checks = list(room.relations(model, base, random.Random("%s %d relations" % (room.NAME, seed)), program, name))
    for check in checks:
        if relations and check.name not in relations:
            continue
        other_case = check.model.case if check.model else None
        try:
            if check.model:
                other = program.run(check.model.case, name + "-" + check.name, *check.args, threads=check.threads)
            elif check.follow:
                other = check.follow(program, name + "-" + check.name)
            else:
                other = check.figures
        except Refused as r:
            yield check.name, "FAILED", "refused: " + r.text, model.case, other_case
            continue
        if other is None:
            continue
        d, where = worst(model, base, other, check)
        yield check.name, "ok" if d <= 1 else "FAILED", where, model.case, other_case


def sites(value, path=()):
    """Places in a case that can be left out or made simpler."""
    if isinstance(value, dict):
        for k, v in value.items():
            yield path + (k,)
            yield from sites(v, path + (k,))
    elif isinstance(value, list) and value and isinstance(value[0], dict):
        for i, v in enumerate(value):
            yield path + (i,)
            yield from sites(v, path + (i,))


def without(case, path):
    out = copy.deepcopy(case)
    at = out
    for k in path[:-1]:
        at = at[k]
    del at[path[-1]]
    return out


def shrink(program, room, model, relation, seed, limit=60):
    """Leaves out what the failure does not need, as long as the same relation fails."""
    def fails(m):
        try:
            return any(r == relation and s == "FAILED" for r, s, *_ in hold(program, room, m, "shrink", seed, {relation}))
        except (KeyError, IndexError, ZeroDivisionError, StopIteration):
            return False
    tries = 0
    again = True
    while again and tries < limit:
        again = False
        for path in sorted(sites(model.case), key=len):
            if tries >= limit:
                break
            small = model.copy()
            small.case = without(model.case, path)
            names = {p.get("name") for p in small.case.get("probes", [])}
            probes = {p.get("name") for p in model.case.get("probes", [])}
            small.figures = {k: v for k, v in small.figures.items() if k not in probes or k in names}
            if not small.figures:
                continue
            tries += 1
            if fails(small):
                model, again = small, True
                break
    return model


def keep(folder, room, seed, relation, text, program, name, model, other):
    """Stores a failure: the case, the other case, the relation, and the seed."""
    place = os.path.join(folder, "%s-%d-%s" % (room.NAME, seed, relation))
    os.makedirs(place, exist_ok=True)
    for label, case in (("case", model), ("other", other)):
        if case is None:
            continue
        with open(os.path.join(place, label + ".yaml"), "w") as f:
            for key, value in case.items():
                f.write("%s: %s\n" % (key, json.dumps(value)))
        file = case.get("mesh", {}).get("file") if isinstance(case.get("mesh"), dict) else None
        if file and os.path.exists(os.path.join(program.folder, file)):
            shutil.copy(os.path.join(program.folder, file), place)
    with open(os.path.join(place, "relation"), "w") as f:
        f.write("%s seed %d, %s: %s\n" % (room.NAME, seed, relation, text))
    return place


class Count:
    """Models, relations and disagreements of a room."""

    def __init__(self):
        self.models = self.refused = self.failed = 0
        self.relations = {}
        self.reasons = {}
        self.seconds = 0.0

    def add(self, relation, state):
        ok, bad = self.relations.get(relation, (0, 0))
        self.relations[relation] = (ok + (state == "ok"), bad + (state == "FAILED"))


def campaign(program, room, seeds, log=None, found=None, stop=None, show=print, small=False):
    """Runs models by their seeds until the list or the time ends."""
    count = Count()
    begin = time.time()
    for seed in seeds:
        if stop and time.time() > stop:
            break
        name = "m%d" % os.getpid()
        for relation, state, text, case, other in examine(program, room, seed, name):
            if relation == "base" and state == "refused":
                count.refused += 1
                reason = text.split(": ", 1)[-1][:100]
                count.reasons[reason] = count.reasons.get(reason, 0) + 1
                if log:
                    log.writerow([room.NAME, seed, relation, state, text])
                continue
            if relation != "base":
                count.add(relation, state)
            if state == "FAILED":
                count.failed += 1
                show("%s seed %d %s: %s" % (room.NAME, seed, relation, text))
                if found:
                    if small:
                        model = room.generate(random.Random("%s-%d" % (room.NAME, seed)))
                        model = shrink(program, room, model, relation, seed)
                        case = model.case
                    keep(found, room, seed, relation, text, program, name, case, other)
            if log:
                log.writerow([room.NAME, seed, relation, state, text])
        count.models += 1
        for entry in os.listdir(program.folder):
            if entry.startswith(name):
                path = os.path.join(program.folder, entry)
                shutil.rmtree(path, ignore_errors=True) if os.path.isdir(path) else os.remove(path)
    count.seconds = time.time() - begin
    return count
