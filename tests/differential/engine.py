"""Runs models under relations, judges them, shrinks what fails, and counts."""
import copy
import glob
import os
import random
import re
import shutil
import time

from case import Crashed, Refused, deviation, write

MOST = 5  # stored failures of one relation of a room


class Check:
    """One relation, or judge, of one model: other figures that must be factor times the model's."""

    def __init__(self, name, tolerance, model=None, args=(), factor=None, figures=None, only=None, follow=None, refusable=None, **how):
        self.name = name
        self.tolerance = tolerance  # a number, or {kind: number}
        self.model = model  # the other model to run, or a function that makes it; or
        self.figures = figures  # a function that gives figures computed otherwise; or
        self.follow = follow  # a function (program, name) that gives them
        self.args, self.how = args, how  # how it is run: arguments and options of Worker.run
        self.factor = factor or {}
        self.only = only  # figures that are compared; None: all
        self.refusable = refusable  # what the program says where it may refuse the other model

    def judges(self):
        return self.name.startswith("judge")

    def other(self, program, name):
        """The other figures and the other case; None: there are none."""
        if self.follow:
            return self.follow(program, name), None
        if self.figures:
            return self.figures(), None
        model = self.model() if callable(self.model) else self.model
        try:
            return program.run(model.case, name, *self.args, **self.how), model.case
        except Refused as r:
            r.case = model.case
            raise


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
        if name not in other and (check.follow or check.figures):
            continue  # a column of the history alone, or what a judge does not give
        tolerance = check.tolerance.get(kind, 1e300) if isinstance(check.tolerance, dict) else check.tolerance
        factor = check.factor.get(name, check.factor.get("kind " + kind, 1.0))
        d = deviation(factor * base[name], other[name], abs(factor) * size[kind])
        if d / tolerance > found:
            found, where = d / tolerance, "%s: %.9g, not %.9g (off by %.2g, allowed %.2g)" % (
                name, other[name], factor * base[name], d, tolerance)
    return found, where


class Plan:
    """Which relations of a model are tried: `number` of them or one more at random (0: all), judges with a probability, or those
    named. Models without the relation `need` are passed over."""

    def __init__(self, number=0, judges=1.0, named=None, need=None):
        self.number, self.judges, self.named, self.need = number, judges, named, need

    def choose(self, checks, rng):
        """Checks in the order in which they are tried, and how many relations among them are enough."""
        if self.named:
            return [c for c in checks if c.name in self.named], len(checks)
        relations = [c for c in checks if not c.judges()]
        judges = [c for c in checks if c.judges() and rng.random() < self.judges]
        rng.shuffle(relations)
        return judges + relations, self.number + rng.randint(0, 1) if self.number else len(checks)


def seeded(room, seed):
    return room.generate(random.Random("%s-%d" % (room.NAME, seed)))


def hold(program, room, model, name, seed, plan):
    """Runs one model with its relations; yields (relation, state, text, case, other case)."""
    try:
        base = program.run(model.case, name)
    except Refused as r:
        # a model that the program refuses is the generator's fault; one that passes `check` and fails later is a finding
        late = isinstance(r, Crashed) or r.code not in (1, 2) or (program.passes(model.case, name) and not room.may_fail(r.text))
        yield "base", "FAILED" if late else "refused", r.text, model.case, None
        return
    missing = [f for f in model.figures if f not in base]
    if missing:
        yield "base", "FAILED", "no figure " + missing[0], model.case, None
        return
    wrong = list(room.sound(model, base))
    yield "sound", "FAILED" if wrong else "ok", "; ".join(wrong), model.case, None
    rng = random.Random("%s %d relations" % (room.NAME, seed))
    checks = list(room.relations(model, base, rng, program, name))
    if plan.need and plan.need not in [c.name for c in checks]:
        yield "need", "passed over", "", None, None
        return
    known = room.known
    near = getattr(room, "nearby", None)
    threshold = None

    def amplifies(check):
        """Whether the model itself, changed by less than the relation allows, differs by more: it is at a threshold."""
        nonlocal threshold
        if near is None or not isinstance(check.tolerance, dict) or max(check.tolerance.values()) < 1e-2:
            return False
        if threshold is None:
            threshold = [program.run(m.case, name + "-near") for m in near(model)]
        return any(worst(model, base, other, Check(check.name, check.tolerance, only=check.only))[0] > 1 for other in threshold)
    chosen, enough = plan.choose(checks, rng)
    for check in chosen:  # one that the program may refuse, and does, is made up for by another
        if not check.judges() and enough <= 0:
            return
        try:
            other, case = check.other(program, name + "-" + check.name)
            if other is None:
                continue
            d, where = worst(model, base, other, check)
            enough -= not check.judges()
        except Refused as r:
            if check.refusable is not None and re.search(check.refusable, r.text):
                continue
            yield check.name, "known" if known(model, check.name) else "FAILED", "refused: " + r.text, model.case, getattr(r, "case", None)
            continue
        except (ArithmeticError, LookupError, ValueError) as e:  # of the test, or a figure that is missing
            yield check.name, "FAILED", "%s: %s" % (type(e).__name__, e), model.case, None
            continue
        yield check.name, "ok" if d <= 1 else "known" if known(model, check.name) or amplifies(check) else "FAILED", where, model.case, case


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
            return any(r == relation and s == "FAILED" for r, s, *_ in hold(program, room, m, "shrink", seed, Plan(named={relation})))
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


def keep(folder, room, seed, relation, text, case, other):
    """Stores a failure: the case, the other case, the relation, and the seed."""
    place = os.path.join(folder, "%s-%d-%s" % (room.NAME, seed, relation))
    os.makedirs(place, exist_ok=True)
    for label, found in (("case", case), ("other", other)):
        if found is not None:
            write(found, place, label)
    with open(os.path.join(place, "relation"), "w") as f:
        f.write("%s seed %d, %s: %s\n" % (room.NAME, seed, relation, text))
    return place


def examine(program, room, seed, name, plan, found=None, small=False):
    """One model by its seed: a row for the log, and what failed as (relation, text)."""
    begin = time.time()
    held, failed, state = [], [], "ok"
    for relation, outcome, text, case, other in hold(program, room, seeded(room, seed), name, seed, plan):
        if outcome in ("ok", "known"):  # known: a disagreement that room.known explains
            held.append(relation if outcome == "ok" else "known:" + relation)
            continue
        if outcome == "passed over":
            return None, []
        state = "refused" if outcome == "refused" else "failed"
        failed.append((relation, text))
        if outcome == "FAILED" and found and len(glob.glob(os.path.join(found, "%s-*-%s" % (room.NAME, relation)))) < MOST:
            if small:
                case = shrink(program, room, seeded(room, seed), relation, seed).case
            keep(found, room, seed, relation, text, case, other)
    for entry in glob.glob(os.path.join(program.folder, name + "*")):
        shutil.rmtree(entry, ignore_errors=True) if os.path.isdir(entry) else os.remove(entry)
    return [room.NAME, seed, state, " ".join(held), " ".join(r for r, _ in failed), "%.3f" % (time.time() - begin),
            "; ".join(t for _, t in failed)], failed
