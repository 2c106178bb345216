"""Random clusters and jobs: numbers of hosts, a layout and a model that fit each other, and how long to look."""
import math

from chance import duration

HARDWARE = ("a100-40g", "a100-80g", "h100", "h200", "h800")
DAY = 86400.0


class Size:
    """What other parts of a scenario have to fit: hosts, GPUs, and the seconds that a run takes."""

    def __init__(self, chance, on):
        self.hosts = chance.choice((1, 2, 3, 4, 8, 8, 16, 64, 256)) if chance.happens(0.9) else chance.whole(1, 4000)
        self.own_hardware = on("hardware")
        self.gpus_per_host = chance.choice((1, 2, 4, 8, 16)) if self.own_hardware else 8
        self.nics_per_host = chance.choice((1, 2, 4, 8)) if self.own_hardware else 8
        self.seconds = chance.between(1800, 30 * DAY) if chance.happens(0.95) else chance.choice((60.0, 5 * 365 * DAY))
        self.step = chance.between(0.05, min(60, self.seconds / 30))
        self.spares = 0  # of every kind

    @property
    def gpus(self):
        return self.hosts * self.gpus_per_host

    def components(self, kind):
        """How many there are, more or less: rates are made of it."""
        hosts = self.hosts + self.spares
        return {"host": hosts, "gpu": hosts * self.gpus_per_host, "nic": hosts * self.nics_per_host}.get(kind, max(1, hosts / 4))


def divisors(number):
    return [each for each in range(1, number + 1) if number % each == 0] if number <= 100_000 else [1]


def layout(chance, size):
    """tp, cp, pp and dp whose product is the number of GPUs."""
    left, parts = size.gpus, {}
    for key, most in (("tp", size.gpus_per_host), ("pp", 16), ("cp", 4)):
        wanted = [each for each in divisors(left) if each <= most]
        parts[key] = chance.choice(wanted) if chance.happens(0.6) else 1
        left //= parts[key]
    return {**parts, "dp": left}


def model(chance, size, parts, on):
    """Dimensions that the layout divides. A step time that was measured makes the rest of it plain numbers."""
    kv_heads = parts["tp"] * chance.choice((1, 2))
    heads = kv_heads * chance.choice((1, 2, 4))
    stages = chance.choice((1, 1, 2)) if on("virtual_stages") else 1
    out = {"name": "made", "parameters": chance.number(1e6, 1e12), "layers": parts["pp"] * stages * chance.choice((1, 2, 4)),
           "hidden": heads * chance.choice((64, 128, 100)), "heads": heads, "kv_heads": kv_heads,
           "ffn_hidden": chance.choice((256, 4096, 11008)), "vocabulary": chance.choice((1, 32000, 128_256)),
           "sequence": parts["cp"] * chance.choice((1, 128, 2048))}
    for key in ("gated_mlp", "tied_embeddings"):
        if chance.happens(0.3):
            out[key] = chance.happens(0.5)
    if chance.happens(0.2):
        out["head_dim"] = chance.choice((0, 64, 128))
    if on("experts"):
        parts["ep"] = chance.choice([each for each in divisors(parts["dp"]) if each <= 8])
        experts = parts["ep"] * chance.choice((1, 2, 8))
        out.update(experts=experts, experts_per_token=chance.randint(1, experts), expert_ffn_hidden=chance.choice((128, 2048)),
                   shared_experts=chance.choice((0, 1)), dense_layers=chance.randint(0, out["layers"]))
    if stages > 1:
        parts["virtual_stages"] = stages
    return out


def hardware(chance, size):
    return {"name": "made", "gpus_per_host": size.gpus_per_host, "nics_per_host": size.nics_per_host,
            "peak": f"{chance.number(1, 3000):g}TFLOP/s", "peak_fp8": f"{chance.number(1, 3000):g}TFLOP/s",
            "multiprocessors": chance.randint(1, 200), "memory": f"{chance.number(10, 1000):g}GB",
            "memory_bandwidth": f"{chance.number(0.1, 10):g}TB/s", "nvlink": f"{chance.number(10, 2000):g}GB/s",
            "nic": f"{chance.number(1, 800):g}Gb/s", "pcie": f"{chance.number(1, 200):g}GB/s"}


def cluster(chance, size, on):
    out = {"hosts": size.hosts, "hardware": hardware(chance, size) if size.own_hardware else chance.choice(HARDWARE)}
    if on("tors"):
        out["hosts_per_tor"] = chance.choice((1, 2, 4, 16))
    if on("network"):
        aggregations = chance.choice((1, 2, 8))
        out["network"] = {"kind": chance.choice(("clos", "rail_optimised", "fat_tree")), "tors_per_pod": chance.choice((1, 2, 8)),
                          "aggregations_per_pod": aggregations, "spines": aggregations * chance.choice((1, 4)),
                          "hosts_per_rack": chance.choice((1, 2, 4)), "racks_per_power_domain": chance.choice((1, 2, 16))}
        if chance.happens(0.3):
            out["network"]["oversubscription"] = chance.choice((1.0, 2.0, 3.5))
    return out


def spares(chance, size, on):
    out = {}
    if on("quantile"):
        out = {"policy": "quantile", "quantile": chance.choice((0.5, 0.99, 0.999999)), "daily_failure": chance.number(1e-5, 0.3)}
    else:
        out["count"] = chance.choice((0, 0, 1, 2, 8))
    if on("cold"):
        out.update(cold=chance.choice((1, 2, 8)), cold_time=chance.law(600))
    if on("pool"):
        out.update(pool=chance.choice((1, 2, 32)), preemption=chance.law(300))
    if on("cold") or on("pool"):
        out["selection"] = chance.law(60)
    size.spares = out.get("count", 40) + out.get("cold", 0) + out.get("pool", 0)
    return out


def shared(chance, size):
    """Other jobs that ask for less than there is."""
    hosts = size.hosts + size.spares + chance.choice((4, 16, 64))
    out = {"hosts": hosts, "priority": chance.randint(-2, 2), "jobs": {}}
    if chance.happens(0.5):
        out["preempt_after"] = chance.duration(1, size.seconds / 4)
    for number in range(chance.randint(1, 3)):
        wide = chance.whole(1, hosts)
        runs = chance.between(size.seconds / 1000, size.seconds / 5)
        apart = runs * wide / hosts * chance.between(3, 30) + runs / max(1, hosts // wide)
        # Whoever comes is looked at beside those that run; in a year, where there is no window, no more often than `check` allows.
        apart = max(apart, 5 * (hosts / wide + 1) * 365 * DAY / 2e7)
        out["jobs"][f"other_{number}"] = {"hosts": wide, "priority": chance.randint(-3, 3), "arrives": chance.distribution(apart),
                                          "runs": chance.law(runs / 2)}
    return out


def operators(chance, size):
    """What operators do in the first half of the time, so that something follows."""
    out = {}
    for number in range(chance.randint(1, 4)):
        action = chance.choice(("evict", "evict", "readmit", "maintenance"))
        out[f"act_{number}"] = {"at": chance.duration(1, size.seconds / 2), "action": action,
                                "host": chance.randint(0, size.hosts - 1)}
        if chance.happens(0.3):
            out[f"act_{number}"]["reason"] = "a fan is loud"
    if chance.happens(0.1):
        out["the_end"] = {"at": chance.duration(size.seconds / 3, size.seconds / 2), "action": "stop"}
    return out


def job(chance, size, on):
    parts = layout(chance, size)
    batches = chance.choice((1, 2, 8)) * parts["pp"]
    out = {"model": model(chance, size, parts, on), "layout": parts, "micro_batch": chance.choice((1, 1, 2, 4))}
    if size.own_hardware or size.gpus > 64 or chance.happens(0.7):
        out["step_time"] = duration(size.step)
    else:
        out["model"]["parameters"] = chance.number(1e6, 1e9)  # so that it fits into memory
    out["global_batch"] = parts["dp"] * out["micro_batch"] * batches
    by_work = on("work")
    if by_work:
        steps = max(1, int(size.seconds / size.step))
        if chance.happens(0.2):
            out["tokens"] = float(f"{steps * out['global_batch'] * out['model']['sequence']:.3g}")
        else:
            out["steps"] = steps
    if not by_work or on("work_and_window"):
        out["window"] = duration(size.seconds)
    # Where nothing else ends it, a big job that never gets a whole gang starts again and again, for the 30 days of the default.
    if on("give_up") or (by_work and size.hosts > 256):
        out["give_up_after"] = chance.duration(size.seconds / 10, size.seconds * 10)
    if on("stop_time"):
        out["stop_time"] = chance.duration(1e-3, 60)
    if on("start"):
        phases = ("provisioning", "scheduling", "process_start", "communicator_init", "data_loader", "warm_up")
        out["start"] = {phase: chance.law(min(60, size.seconds / 100)) for phase in phases if chance.happens(0.6)}
        if on("growth"):
            out["start"]["at_gpus"] = chance.choice((1, size.gpus, 2048))
            grow = [phase for phase in phases[1:] if chance.happens(0.5)] or ["warm_up"]
            out["start"]["growth"] = {phase: chance.choice((-1.0, 0.5, 1.0, 2.0)) for phase in grow}
    elif "stop_time" in out:  # one number in place of the phases
        out["restart_time"] = duration(max(size.step * 5, size.seconds / 1e5))
    # A detector that a restart does not silence stops the job again and again. Where starts take no time, a long run keeps millions
    # of them, in more memory than there is.
    if "restart_time" not in out and (size.seconds > 1e5 or "start" not in out and chance.happens(0.5)):
        start = out.setdefault("start", {})
        if not start.keys() - {"at_gpus", "growth"} or size.seconds > 5e6:
            start["process_start"] = duration(max(1, size.seconds / 1e5))
    if on("planned"):
        out["planned"] = {"hold": chance.duration(1, size.seconds / 10)}
        if "window" in out and chance.happens(0.5):
            out["planned"]["count"] = chance.randint(0, 5)
        else:
            out["planned"]["times"] = [chance.duration(1, size.seconds * 0.99) for _ in range(chance.randint(0, 3))]
    if on("evaluation"):
        # Every evaluation is kept: tens of millions of them take more memory than there is.
        often = int(size.seconds / size.step / 1e5) + 10
        out["evaluation"] = {"every": chance.whole(often, often * 1000),
                             "time": chance.duration(size.step, max(size.step * 50, 60))}
    return out


def may_be_left_out(job, size):
    """How many data-parallel replicas together fill whole hosts, so that the job can go on without them; 0 where none do."""
    parts = job["layout"]
    ranks = parts["tp"] * parts["cp"]  # of a replica in a stage
    together = math.lcm(ranks, size.gpus_per_host) // ranks
    possible = "step_time" in job and parts.get("ep", 1) == 1 and parts["dp"] % together == 0 and parts["dp"] > together
    return together if possible else 0
