"""Small cases of every room (key_cases.py) with some of their keys changed at random: so that every key of the reference comes up, and in
company. What such a model must give nobody knows; that it gives the same in every way to run it holds whatever it is."""
import functools
import importlib
import json
import math

import key_cases
import keys
from case import Refused
from engine import Check
from model import Model
from rooms.common import ways

SHARE = 0.2  # of the models of a room
TRIES = 8
# figures that are not a number where there is nothing to take them from, or are taken from the rows of the history alone
NONE = ("interlayer", "T_interlayer", "cooling_rate", "G", "R")
OF_ROWS = ("energy_error", "tip_speed", "tip_speed_max", "tip_x", "tip_y", "tip_z", "melt_length_max", "melt_width_max", "melt_depth_max", "melt_volume_max")
# not of a model, or programs of their own
LEFT_OUT = ("title", "accept", "physics", "threads", "backend", "finish", "output.checkpoint_every")
UNITS = {"m": [("mm", 1e-3), ("um", 1e-6), ("km", 1e3)], "s": [("ms", 1e-3), ("us", 1e-6), ("min", 60.0)], "Pa": [("MPa", 1e6), ("GPa", 1e9), ("kPa", 1e3)],
         "W": [("kW", 1e3), ("mW", 1e-3)], "N": [("kN", 1e3)], "m/s": [("mm/s", 1e-3)], "rad": [], "K": []}


@functools.lru_cache(None)
def definitions(program):
    return json.loads(program.call("help", "--schema").stdout)["definitions"]


@functools.lru_cache(None)
def small(program):
    """Small cases by room, and the files that they read."""
    found = {}
    for name, entry in key_cases.cases(program).items():
        if "finish" not in entry["case"]:
            found.setdefault(entry["room"], []).append((name, entry))
    return found


def left_out(name):
    return any(name == k or name.startswith(k + ".") for k in LEFT_OUT)


def every(program, room, case, entry=None):
    """The keys of the sections that a case has; entry: those that its room wants changed."""
    found = keys.keys(definitions(program), definitions(program)[room], case)
    return [k for k in found if not left_out(k.name) and (entry is None or key_cases.wanted(room, entry, k.name))]


def value_of(rng, key, hints):
    """Another value of a key: one that is known to be likely, or a number near its own."""
    found = keys.others(key, hints)
    if key.value is not keys.ABSENT and isinstance(key.value, float) and rng.random() < 0.5:
        found = [key.value * rng.choice([0.7, 0.9, 1.15, 1.4])]
    return rng.choice(found) if found else keys.ABSENT


def varied(program, room, rng):
    """A small case of the room with one to four keys changed, which the program runs; its figures are all that it gives."""
    name, entry = rng.choice(small(program)[room])
    hints = dict(key_cases.HINTS, **entry.get("hints", {}))
    plain = dict(entry["case"], physics=room)
    for attempt in range(TRIES):
        case = plain
        for _ in range(rng.choice([1, 1, 2, 3, 4]) if attempt < TRIES - 1 else 0):
            some = every(program, room, case, entry)
            if not some:  # a section was left out
                break
            key = rng.choice(some)
            value = value_of(rng, key, hints)
            if value is not keys.ABSENT:
                case = keys.changed(case, key.path, value)
        try:
            found = program.run(case, "m")
            break
        except Refused as r:
            if r.code not in (1, 2):  # a crash, or no end: the model shows it again
                found = {}
                break
    else:  # not even as it is: the model says why
        found = {}
    figures = {k: k for k, v in found.items() if k[0] != "#" and k not in key_cases.MOVING and not (k in NONE and math.isnan(v))}
    return Model(case, figures, varied=name, first=found)


class Room:
    """A room's generator and relations, with models of every key among its own."""

    def __init__(self, name, program):
        self.NAME, self.program, self.own = name, program, importlib.import_module("rooms." + name)
        if hasattr(self.own, "nearby"):
            self.nearby = self.own.nearby

    def generate(self, rng):
        many = self.NAME in small(self.program)
        return varied(self.program, self.NAME, rng) if many and rng.random() < SHARE else self.own.generate(rng)

    def may_fail(self, text):
        return self.own.may_fail(text)

    def known(self, model, relation):
        return getattr(self.own, "known", lambda *_: False)(model, relation)

    def sound(self, model, base):
        return sound(model, base) if "varied" in model.judge else self.own.sound(model, base)

    def relations(self, model, base, rng, program, name):
        if "varied" in model.judge:
            yield from runs(model, base, rng)
        else:
            yield from self.own.relations(model, base, rng, program, name)
        yield from written(program, self.NAME, model, rng)


def sound(model, base):
    """Finite, and the same as in the run before."""
    for name in model.figures:
        if not math.isfinite(base[name]):  # but for those of NONE, which are left out
            yield "%s is %g" % (name, base[name])
        elif base[name] != model.judge["first"][name]:
            yield "%s is %.17g, and was %.17g before" % (name, base[name], model.judge["first"][name])


def runs(model, base, rng):
    """Ways to run it; ranks where the room and the case have them."""
    for check in ways(model, base, rng, 1e-300, ranks=True):
        if check.name == "ranks":
            check.refusable = "rank"
        if check.name == "output":
            check.only = [k for k in model.figures if k not in OF_ROWS]
        if check.name in ("restart", "stepped", "python", "ranks") and model.case.get("checkpoint") == "small":  # in single precision
            continue
        if check.name == "threads" and model.case.get("assembly") == "atomic":
            continue
        yield check


def place(path):
    """A key as --set names it."""
    return "".join("[%d]" % p if isinstance(p, int) else "." + p for p in path)[1:]


def written(program, room, model, rng):
    """Relations that hold for every key: one given at its default, by --set, or with a unit."""
    found = every(program, room, model.case)

    def other(key, value):
        m = model.copy()
        m.case = keys.changed(m.case, key.path, value)
        return m
    # a material's file gives values beside which a default of the key is another one
    filed = {i for i, m in enumerate(model.case.get("materials", [])) if "file" in m}
    absent = [k for k in found if k.value is keys.ABSENT and k.default() is not keys.ABSENT and not (k.path[0] == "materials" and filed & set(k.path[1:2]))]
    if absent:
        key = rng.choice(absent)
        yield Check("default", 1e-300, other(key, key.default()), refusable="")
    given = [k for k in found if isinstance(k.value, (int, float)) and not isinstance(k.value, bool)]
    if given:
        key = rng.choice(given)
        yield Check("by_set", 1e-300, other(key, 2 * key.value), args=("--set", "%s=%r" % (place(key.path), key.value)))
    exact = [(k, "%r %s" % (k.value / f, u)) for k in given if isinstance(k.value, float) for u, f in UNITS.get(k.unit, [])
             if k.value / f * f == k.value and (f > 1 or k.value / f / round(1 / f) == k.value)]
    if exact:
        yield Check("unit", 1e-300, other(*rng.choice(exact)))
