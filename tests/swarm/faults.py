"""Random faults of every component, effect, clock and distribution, and the probes that look for them."""
from chance import duration
from toml_text import Inline

COMPONENTS = ("host", "host", "gpu", "nic", "rack", "tor", "aggregation", "spine", "power", "job")
DOMAINS = ("rack", "tor", "aggregation", "spine", "power")
EFFECTS = ("crash", "crash", "hang", "slow", "stall", "corrupt", "degrade", "none", "planned", "preempt")
LINES = ("xid_79", "xid_63", "nic_down", "made_up", "oom")
# What a fault model leads to is a fault of its own; these models need no more than a rate.
CHANCE_MODELS = ("init_container_failure",)


def suffers(component, effect):
    """Whether such a component can suffer it."""
    if effect in ("planned", "preempt"):
        return component == "job"
    if effect == "slow":
        return component in ("host", "gpu")
    if effect == "corrupt":
        return component in ("host", "gpu", "job")
    if effect == "degrade":
        return component in ("host", "nic", "tor", "aggregation", "spine")
    return True


def rate(chance, size, component, on):
    """How often: some strikes in a run, of all components together."""
    strikes = chance.between(0.05, 20)
    each = size.seconds * size.components(component) / strikes if component != "job" else size.seconds / strikes
    if chance.happens(0.02):
        return {"mtbf": "never"}
    if chance.happens(0.4):
        unit = {"aggregation": "aggregations", "power": "power"}.get(component, component + "s")
        count = chance.choice((0.5, 1, 3, 40, 500))
        return {"rate": Inline(count=count, over=f"{duration(each * count / 4)} x 4 {unit}")}
    if on("distributions") and chance.happens(0.5):
        law = chance.distribution(each, with_mean=chance.happens(0.5))
        own_mean = any(key in law for key in ("mean", "scale", "median", "minimum", "low", "value", "values", "means"))
        return {"law": law} if own_mean else {"law": law, "mtbf": duration(each)}
    return {"mtbf": duration(each)}


def profile(chance, size, component):
    """Who fails more often, and when."""
    out = {}
    if chance.happens(0.5):
        out["lemons"] = Inline(share=round(chance.random(), 2), factor=chance.number(1.01, 50), cured=chance.happens(0.3))
    if chance.happens(0.3) and component in ("host", "gpu", "nic"):
        last = max(0, int(size.components(component)) // 2 - 1)
        out["batches"] = [Inline(first=0, last=last, factor=chance.number(0.01, 100))]
    if chance.happens(0.3):
        out["daily"] = Inline(amplitude=round(chance.random(), 2), peak=chance.duration(60, 86000))
    if chance.happens(0.3):
        out["curve"] = [Inline(at=duration(size.seconds * part), factor=chance.choice((0.0, 0.5, 3.0))) for part in (0.1, 0.5)]
    return out


def timing(chance, size, component, effect, on):
    """Rate, clock and profile, or a trace."""
    if effect in ("crash", "hang") and chance.happens(0.1):
        return {"clock": "start", "chance": chance.choice((0.0, 1e-6, chance.number(1e-4, 0.2)))}
    if on("traces") and chance.happens(0.15):
        most = 1 if component not in ("host", "gpu", "nic") else max(1, size.hosts)
        return {"trace": [Inline(at=chance.duration(1, size.seconds), component=chance.randrange(most))
                          for _ in range(chance.randint(1, 4))]}
    out = rate(chance, size, component, on)
    if on("clocks") and chance.happens(0.4):
        out["clock"] = chance.choice(("always", "training"))
    if "law" not in out and on("profiles") and chance.happens(0.5):
        out.update(profile(chance, size, component))
        if out.get("clock") == "training":
            out.pop("daily", None)
    if chance.happens(0.1):
        out["rate_factor"] = chance.number(0.1, 3)
    if chance.happens(0.1):
        out["age"] = "new"
    if chance.happens(0.1):
        out["prevalence"] = chance.choice((0.0, chance.number(1e-4, 0.3), 1.0))
    return out


def symptoms(chance, effect, component, on):
    out = {}
    if on("lines") and chance.happens(0.6):
        out.update(log=chance.choice(LINES), severity=chance.choice(("info", "warning", "error", "fatal")))
        if chance.happens(0.4):
            out["log_probability"] = chance.share()
        if chance.happens(0.4):
            out["log_delay"] = chance.law(30)
    if effect in ("crash", "hang") and component != "job" and chance.happens(0.2):
        out["heartbeat_lost"] = True
    if effect in ("slow", "degrade", "corrupt", "none") and chance.happens(0.2):
        out["loss"] = chance.choice(("nan", chance.number(0.1, 100)))
    if effect == "crash" and chance.happens(0.2):
        out["exit_code"] = chance.choice((1, 2, 137, 255))
    return out


def fault(chance, size, on):
    component = chance.choice(COMPONENTS) if on("domains") else chance.choice(("host", "gpu", "nic"))
    effect = chance.choice([each for each in EFFECTS if suffers(component, each)])
    out = {"component": component, "effect": effect, **timing(chance, size, component, effect, on),
           **symptoms(chance, effect, component, on)}
    if effect in ("slow", "degrade"):
        out["factor"] = chance.choice((1.01, 1.1, 2.0, 1e3))
    if effect == "slow" and chance.happens(0.4):
        out["segment"] = chance.choice(("all", "forward", "backward", "optimizer"))
    if effect == "slow" and chance.happens(0.2):
        out["grows_every"] = duration(size.seconds / chance.between(1, 10))
    if component == "job" and effect == "none" and chance.happens(0.5):
        out["tampers"] = "checkpoint"
    told = effect in ("planned", "preempt")
    if effect == "stall" or told or component in DOMAINS or ("tampers" not in out and chance.happens(0.2)):
        out["heals_after"] = chance.law(size.seconds / chance.between(10, 1e5))
    if effect == "stall" and chance.happens(0.3):
        out["halts_storage"] = True
    if component == "host" and effect == "none" and chance.happens(0.5):
        out["tampers"] = chance.choice(("clock", "late_heartbeats", "repeated_heartbeats", "partition"))
        out.pop("heals_after", None)
        if out["tampers"] != "clock":
            out["heals_after"] = chance.law(size.seconds / chance.between(10, 1e5))
    if component == "job" and effect in ("crash", "hang") and chance.happens(0.4):
        out["same_step"] = True
    if not told:
        out["remedy"] = chance.choice(("restart", "person") if component == "job" else ("restart", "repair", "repair", "person"))
    return out


def named_fault(chance, size, model, on):
    """A fault of a known model, with some of its own values."""
    if model in CHANCE_MODELS:
        return {"model": model, "chance": chance.number(1e-6, 0.05)}
    out = {"model": model, "mtbf": duration(size.seconds * size.components("host") / chance.between(0.05, 10))}
    if chance.happens(0.2):
        out["log_probability"] = chance.share()
    return out


def faults(chance, size, models, on):
    """Name -> fault; most scenarios have few."""
    out = {}
    for number in range(chance.choice((0, 1, 1, 2, 3, 5))):
        out[f"made_{number}"] = fault(chance, size, on)
    for model in chance.sample(models, chance.choice((0, 1, 2, 4)) if on("fault_models") else 0):
        out[model] = named_fault(chance, size, model, on)
    made = [name for name, each in out.items() if "component" in each]
    for name in made:
        alike = [each for each in made if out[each]["component"] == out[name]["component"]]
        if on("followers") and chance.happens(0.4):
            out[name]["followed_by"] = Inline(fault=chance.choice(alike), probability=chance.choice((0.0, 0.3, 0.9)))
            if chance.happens(0.5):
                out[name]["followed_by"]["after"] = chance.law(size.seconds / chance.between(10, 1e4))
    for name in [each for each in out if each not in made] if on("followers") else ():
        if chance.happens(0.2):
            out[name]["followed_by"] = Inline(model=name, probability=chance.choice((0.0, 0.3, 0.9)))
    return out


def probes(chance, known):
    out = {}
    for number in range(chance.randint(1, 3)):
        out[f"probe_{number}"] = {"time": chance.duration(0.1, 1800), "group": chance.choice((1, 1, 2, 8)), "at_once": chance.choice((0, 0, 1, 3)),
                                  "false_positive": chance.choice((0.0, 0.0, 1e-4, 0.1)),
                                  "detects": {name: chance.share() for name in known if chance.happens(0.7)}}
        if chance.happens(0.3):  # how a real host carries it out
            out[f"probe_{number}"] |= {"deadline": chance.duration(1, 600),
                                       "threshold": {"at_least": chance.between(1, 5), "at_least_by_kind": {"H100": chance.between(1, 5)}, "at_most": chance.between(5, 9), "of_peers": 0.75,
                                                     "breach": chance.choice(("fail", "degraded")), "source": "none"},
                                       "command": {"arguments": ["true", "x y"], "metric": "([0-9]+)", "unit": "GB/s",
                                                   "better": chance.choice(("higher", "lower"))}}
    return out
