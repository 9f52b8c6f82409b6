#!/usr/bin/env python3
"""Numbers of the shipped materials that cannot be: tables that run the wrong way, heats and entropies off the rules of
Richards and Trouton, a fracture energy that does not belong to the toughness named beside it, values at 20 degC that differ
from those of the tables over temperature."""
import math
import pathlib
import re
import sys

UNIT = {"kg/m^3": 1, "W/(m K)": 1, "J/(kg K)": 1, "K": 1, "J/kg": 1, "kJ/kg": 1e3, "MJ/kg": 1e6, "g/mol": 1e-3, "MPa": 1e6,
        "GPa": 1e9, "J/m^2": 1, "kJ/m^2": 1e3, "1/s": 1}


def number(text):
    value, _, unit = text.strip().partition(" ")
    return float(value) * (UNIT[unit.strip()] if unit else 1)


def read(path):
    """Keys of a file, those of sections after a dot: a number or rows (temperature, value)."""
    text = re.sub(r"#.*", "", path.read_text())
    text = re.sub(r",\s*\n\s*", ", ", re.sub(r"\[\s*\n\s*", "[", text))
    values, section = {}, ""
    for line in text.splitlines():
        if not (found := re.match(r"( *)(\w+):\s*(.*)$", line)):
            continue
        indent, key, value = found.groups()
        section = section if indent else ""
        if not value:
            section = key if not indent else f"{section.split('.')[0]}.{key}"
        elif value.startswith("[["):
            rows = re.findall(r"\[([^\[\],]+),([^\[\],]+)\]", value)
            values[f"{section}.{key}".lstrip(".")] = [(number(a), number(b)) for a, b in rows]
        elif key != "name":
            values[f"{section}.{key}".lstrip(".")] = number(value)
    return values


def at(value, temperature):
    if isinstance(value, float):
        return value
    if temperature <= value[0][0]:
        return value[0][1]
    for (t0, v0), (t1, v1) in zip(value, value[1:]):
        if temperature <= t1:
            return v0 + (v1 - v0) * (temperature - t0) / (t1 - t0)
    return value[-1][1]


def check(path):
    v, text = read(path), path.read_text()
    ceramic = path.stem in ("alumina", "silicon-carbide")
    # what is no measurement is named in the head, which `ingot materials` shows
    if re.search(r"estimate|no source given|is (?:a|our) choice", text.split("# SI.")[1]) and "Estimates" not in text.split("# SI.")[0]:
        print(f"{path.name}: no line 'Estimates, …' in its head")
        check.bad = True

    def within(what, value, least, most):
        if not least <= value <= most:
            print(f"{path.name}: {what} is {value:.4g}, expected {least:.4g} to {most:.4g}")
            check.bad = True

    within("density", at(v["density"], 293), 2500, 9000)
    diffusivity = at(v["conductivity"], 293) / (at(v["density"], 293) * at(v["specific_heat"], 293))
    within("thermal diffusivity", diffusivity, 2e-6, 1.5e-4)
    for key in v:
        if isinstance(v[key], list):
            within(f"rows of {key} out of order", sum(a[0] >= b[0] for a, b in zip(v[key], v[key][1:])), 0, 0)
        if key in ("mechanical.young", "mechanical.yield") and isinstance(v[key], list):
            rises = max((b[1] / a[1] for a, b in zip(v[key], v[key][1:])), default=1)
            within(f"growth of {key} with temperature", rises, 0, 1.05)
    young, poisson = v.get("young", at(v["mechanical.young"], 293.15)), v.get("poisson", at(v["mechanical.poisson"], 293.15))
    within("young", young, 60e9, 450e9)
    within("poisson", poisson, 0.15, 0.36)
    within("young beside mechanical.young", young / at(v["mechanical.young"], 293.15), 0.97, 1.03)
    expands = [k for k in v if re.search(r"^mechanical\.(expansion|expansion_mean)$", k)]
    for key in expands:
        within(key, at(v[key], 400), 1e-6 if ceramic else 8e-6, 3e-5)
    if "fracture_energy" in v:
        toughness = math.sqrt(young * v["fracture_energy"] / (1 - poisson**2)) / 1e6
        within("toughness of fracture_energy", toughness, 1 if ceramic else 20, 600)
        if named := re.search(r"(?:K =|=) ([\d.]+) MPa m\^0\.5", text):
            within("that toughness by the one named", toughness / float(named.group(1)), 0.97, 1.03)
    if ceramic:
        return
    yields = v.get("yield", at(v["mechanical.yield"], 293.15))
    within("yield", yields, 50e6, 2e9)
    within("yield beside mechanical.yield", yields / at(v["mechanical.yield"], 293.15), 0.97, 1.03)
    within("cohesive_strength by yield", v.get("cohesive_strength", 2 * yields) / yields, 1.5, 4)
    within("liquidus by solidus", v["liquidus"] / v["solidus"], 1, 1.2)
    within("boiling by liquidus", v["boiling"] / v["liquidus"], 1.5, 3.5)
    within("entropy of fusion, J/(mol K)", v["latent_heat"] * v["molar_mass"] / v["liquidus"], 6, 18)
    within("entropy of evaporation, J/(mol K)", v["evaporation_heat"] * v["molar_mass"] / v["boiling"], 85, 130)
    if "absorptivity" in v:
        within("absorptivity", at(v["absorptivity"], 293), 0.1, 0.8)


check.bad = False
files = sorted(pathlib.Path(sys.argv[1]).glob("*.yaml"))
for file in files:
    if not re.search(r"^# Sources: ", file.read_text(), re.M):
        print(f"{file.name}: names no sources")
        check.bad = True
    check(file)
print(f"{len(files)} materials")
sys.exit(check.bad)
