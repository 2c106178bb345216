"""Which models of the catalogue a lab can bring about, and scenarios that are made of them."""
import os
import pathlib
import random
import re
import subprocess
import tomllib

GAUNTLET = os.environ["GAUNTLET"]
BASE = pathlib.Path("tests/chaos/eight-hosts.toml").resolve()
CATALOGUE = pathlib.Path("scenarios/catalog/fault-models")
HOSTS = 8
HOSTS_PER_RACK = 2  # as eight-hosts.toml has it
COMPONENTS = {"gpu": HOSTS, "host": HOSTS, "nic": HOSTS, "rack": HOSTS // HOSTS_PER_RACK, "tor": HOSTS // HOSTS_PER_RACK,
              "aggregation": 4, "spine": 2}


def listed():
    """(how, what is done or why nothing is) by model, as `gauntlet list injectors` says it."""
    done = subprocess.run([GAUNTLET, "list", "injectors"], capture_output=True, text=True, check=True)
    lines = re.sub(r"\n {4,}", " ", done.stdout).splitlines()  # a long meaning goes on in the next line
    found = (re.fullmatch(r"  (\w+) +(injector|mock|request|none)(?:, [^:]*)?: (.*)", line) for line in lines)
    models = {each[1]: (each[2], each[3]) for each in found if each}
    assert len(models) == len(lines), done.stdout
    return models


def injectable():
    """Models that strike processes or hosts in a lab, by name."""
    return sorted(name for name, (how, _) in listed().items() if how in ("injector", "mock"))


def description(model):
    return tomllib.loads((CATALOGUE / f"{model}.toml").read_text(encoding="utf-8"))


def scenario(faults, head="", base=BASE):
    """A scenario on eight hosts with these faults: (model, seconds, component, settings); without seconds the settings say when."""
    text = f'extends = "{base}"\ninherit_faults = false\nname = "drill-chaos"\nquestion = "Does the job survive?"\n{head}'
    for number, (model, seconds, component, settings) in enumerate(faults):
        text += f'\n[faults.f{number}_{model}]\nmodel = "{model}"\n'
        text += f'trace = [{{ at = "{seconds}s", component = {component} }}]\n' if seconds is not None else ""
        text += "".join(f"{key} = {value}\n" for key, value in settings.items())
    return text


def random_faults(seed, count, between):
    """Of all kinds; each heals within seconds, as a drill has no more."""
    draws = random.Random(f"faults {seed}")
    faults = []
    for at in sorted(draws.uniform(*between) for _ in range(count)):
        model = draws.choice(injectable())
        what = description(model)
        settings = {}
        if "heals_after" in what or what["effect"] in ("slow", "degrade"):
            settings["heals_after"] = f'"{draws.uniform(0.5, 4):.2f}s"'
        component = draws.randrange(COMPONENTS.get(what["component"], 1))
        starts = what.get("clock") == "start"
        faults.append((model, None if starts else f"{at:.2f}", component, {"chance": "0.1"} if starts else settings))
    return faults


def text_of(fault):
    """For people."""
    model, seconds, component, settings = fault
    when = "at starts" if seconds is None else f"{float(seconds):7.2f} s"
    values = ", ".join(f"{key} = {value}" for key, value in settings.items())
    return f"{when}  fault {model} of {description(model)['component']} {component}" + (f", {values}" if values else "")
