"""A random scenario from a seed. Each has a random subset of all features, so that what one feature hides another shows.

Most keys are drawn from what the schema says of their type; those that have to fit each other are made by machines.py and
faults.py. A key that is new in the schema is therefore written without a word here.
"""
import copy
import pathlib

import faults as fault_tables
import machines
import schema
from chance import Chance, duration
from toml_text import find, key_paths, put, to_toml

DETECTORS = ("heartbeat", "exit", "log", "hang", "collective-timeout", "traffic-stopped", "traffic-period", "fail-slow", "mfu",
             "loss", "flap", "learned-hang", "change-point")
# Tables whose keys stand alone: any subset of them may be given.
FREE_TABLES = ("job.training", "job.calibration", "telemetry", "people", "policies", "detection", "detection.learned_hang",
               "detection.traffic_stopped", "detection.traffic_period", "detection.fail_slow", "detection.mfu", "detection.loss",
               "detection.flap", "detection.corruption", "diagnosis", "checkpoint", "recovery", "retirement", "storage",
               "storage.memory", "storage.peers", "repair", "repair.manual", "drill", "cost")
# Made below, or by another file; never by type.
BY_HAND = {"policies.detect", "checkpoint.interval", "checkpoint.memory_interval", "checkpoint.peers_interval",
           "recovery.least_replicas", "recovery.wait_for_spare", "recovery.start_deadline", "recovery.retention",
           "recovery.start_backoff", "recovery.longest_backoff", "telemetry.heartbeat_jitter", "telemetry.heartbeat_period",
           "telemetry.traffic_interval", "detection.timeout", "storage.free", "storage.keep_last", "telemetry.blip_mtbf",
           "telemetry.gap_mtbf", "storage.weight_bytes", "storage.bytes_per_parameter", "storage.tenants", "detection.gather",
           "detection.clock_error",
           "storage.copies", "storage.stall", "storage.persist", "storage.load", "storage.memory.stall", "storage.memory.persist",
           "storage.peers.stall", "storage.peers.persist", "repair.manual.needed", "repair.manual.time", "repair.silent_failure"}
# Of detectors that listen for a silence, in seconds: what they have by default.
USUAL_PATIENCE = {"hang_timeout": 600, "learned_hang.floor": 60, "traffic_stopped.lasting": 600}
USUAL_EXCESS = 0.05  # detection.fail_slow.least_excess
# No end of the range: it takes a run minutes, or as much memory as there is, and says nothing more than a smaller one.
# Nor of hardware and spares. A restart time would be refused beside the phases.
NO_EXTREME = ("cluster.hosts", "cluster.hardware", "cluster.shared", "cluster.network", "spares", "job.layout", "job.model",
              "job.planned.count", "job.micro_batch", "job.global_batch", "job.steps", "job.tokens", "job.step_time", "job.step_time_factor", "job.window", "job.restart_time",
              "job.evaluation", "study", "faults", "probes", "telemetry.heartbeat_period", "telemetry.traffic_interval",
              "telemetry.gap_mtbf", "telemetry.blip_mtbf", "telemetry.noise", "job.give_up_after", "drill")
# They have to fit others, and stand at an end of what fits where they are written by hand.
FITTED = ("checkpoint.interval", "checkpoint.memory_interval", "checkpoint.peers_interval", "job.start.growth", "storage.keep_last",
          "recovery.least_replicas", "recovery.wait_for_spare", "recovery.retention", "recovery.start_backoff",
          "recovery.longest_backoff", "telemetry.heartbeat_jitter", "storage.bytes_per_parameter", "storage.weight_bytes",
          "storage.persist", "storage.stall", "storage.memory.persist", "storage.memory.stall", "storage.peers.persist",
          "storage.peers.stall", "detection.fail_slow.least_excess")

FAULT_MODELS = pathlib.Path(__file__).parents[2] / "scenarios/catalog/fault-models"


class Scenario:
    """Files by name; the first is the scenario, the others are what it extends."""

    def __init__(self, seed, files):
        self.seed, self.files = seed, files

    @property
    def main(self):
        return next(iter(self.files))

    def write(self, folder):
        """Into a folder that exists; the path of the scenario."""
        for name, tree in self.files.items():
            (folder / name).write_text(to_toml(tree), encoding="utf-8")
        return folder / self.main

    def lines(self):
        return sum(len(to_toml(tree).splitlines()) for tree in self.files.values())

    def copy(self):
        return Scenario(self.seed, copy.deepcopy(self.files))


class Generator:
    def __init__(self, leaves):
        self.leaves = leaves
        self.models = sorted(path.stem for path in FAULT_MODELS.glob("*.toml"))
        self.signals = leaves[("telemetry", "signals")]["items"]["enum"]

    def scenario(self, seed):
        chance = Chance(seed)
        likely = chance.choice((0.15, 0.4, 0.4, 0.8))
        features = {}

        def on(feature):
            return features.setdefault(feature, chance.happens(likely))

        tree = self.whole(chance, on)
        if on("extremes"):
            self.extremes(chance, tree)
        return Scenario(seed, self.inherited(chance, tree, on))

    def whole(self, chance, on):
        size = machines.Size(chance, on)
        tree = {"name": f"swarm-{size.hosts}", "question": "What goes wrong?", "cluster": machines.cluster(chance, size, on),
                "spares": machines.spares(chance, size, on), "job": machines.job(chance, size, on)}
        if on("shared") and chance.happens(0.4):
            tree["cluster"]["shared"] = machines.shared(chance, size)
        if on("operators") and chance.happens(0.4):
            tree["operators"] = machines.operators(chance, size)
        if not (on("no_faults") and chance.happens(0.2)):
            tree["faults"] = fault_tables.faults(chance, size, self.models, on)
        for table in FREE_TABLES:
            if on(table):
                self.fill(chance, tree, tuple(table.split(".")))
        self.storage(chance, size, tree, on)
        self.telemetry(chance, size, tree, on)
        self.repair(chance, size, tree, on)
        self.policies(chance, size, tree, on)
        self.patience(size, tree)
        self.band(size, tree)
        self.study(chance, tree, on)
        self.drilled_job(chance, tree, on)
        return tree

    def fill(self, chance, tree, table):
        """Some keys of a table, each with a value of its type."""
        for path, leaf in self.leaves.items():
            if path[:-1] != table or ".".join(path) in BY_HAND or not chance.happens(0.4):
                continue
            value = schema.random_value(leaf, chance)
            if path[-1] == "source":
                value = "made up"
            if value is not None:
                put(tree, path, value)

    def storage(self, chance, size, tree, on):
        storage = tree.setdefault("storage", {})
        storage["write"] = f"{chance.number(0.1, 1e4):g}GB/s"
        storage["read"] = f"{chance.number(0.1, 1e4):g}GB/s"
        interval = max(size.step, min(size.seconds / 4, chance.between(size.seconds / 1000, size.seconds)))
        if on("computed_storage"):
            tree["job"]["model"]["parameters"] = chance.number(1e6, 1e9)
            storage.update(write=f"{chance.number(1, 1000):g}TB/s", read=f"{chance.number(1, 1000):g}TB/s")
        else:
            storage.update(stall=chance.duration(1e-4, min(120, interval / 20)), persist=chance.duration(1e-4, interval / 4),
                           load=chance.duration(1e-3, 120))
        if on("free_storage"):
            storage["free"] = chance.happens(0.7)
        if on("bandwidth_bounds"):
            for key in ("write_per_host", "read_per_host", "write_per_rank", "read_per_rank"):
                if chance.happens(0.5):
                    storage[key] = f"{chance.number(0.1, 100):g}GB/s"
            storage["tenants"] = chance.choice((0.0, 0.3, 0.9))
            storage["bytes_per_parameter"] = chance.choice((2.0, 14.0, 18.0))
            storage["weight_bytes"] = chance.choice((0.0, 2.0))
        if on("retention"):
            storage["keep_last"] = chance.choice((1, 1, 2, 3, 10, 4_000_000_000))
        if on("capacity") and storage.get("keep_last", 2) <= 10:
            of_one = tree["job"]["model"]["parameters"] * storage.get("bytes_per_parameter", 14)
            storage["capacity"] = f"{of_one * (storage.get('keep_last', 2) + 1) * chance.between(1.1, 100) / 1e9:.3f}GB"
        checkpoint = tree.setdefault("checkpoint", {})
        checkpoint["interval"] = duration(interval)
        if on("peers_tier") and size.hosts > 1:
            interval /= chance.choice((1.5, 2, 3))
            checkpoint["peers_interval"] = duration(interval)
            persist = chance.choice((3e-4, interval / 10, interval / 2))
            storage.setdefault("peers", {}).update(stall="100us", persist=duration(persist), load=chance.duration(1e-3, 10))
            if chance.happens(0.5):
                storage["copies"] = chance.choice([each for each in (2, 3, 8) if each <= size.hosts])
        if on("memory_tier"):
            interval /= chance.choice((2, 5, 100))
            checkpoint["memory_interval"] = duration(interval)
            persist = chance.choice((2e-4, interval / 10, interval / 2))
            storage.setdefault("memory", {}).update(stall="100us", persist=duration(persist), load=chance.duration(1e-3, 10))

    def telemetry(self, chance, size, tree, on):
        telemetry = tree.setdefault("telemetry", {})
        if on("heartbeats"):
            period = max(chance.between(0.5, 300), size.seconds / 1e6)
            telemetry["heartbeat_period"] = duration(period)
            if chance.happens(0.6):
                telemetry["heartbeat_jitter"] = duration(period * chance.between(0.001, 0.9))
            tree.setdefault("detection", {})["timeout"] = duration(period * chance.between(2.1, 20))
        if on("traffic_interval"):
            telemetry["traffic_interval"] = duration(max(chance.between(0.1, 60), size.seconds / 1e6))
        hosts = size.hosts + size.spares
        if on("gaps"):
            telemetry.update(gap_mtbf=duration(size.seconds * hosts / chance.between(0.1, 20)), gap_duration=chance.law(60))
        if on("blips"):
            telemetry.update(blip_mtbf=duration(size.seconds * hosts / chance.between(0.1, 20)), blip_duration=chance.law(300))
        if on("signals"):
            localises = find(tree, ("policies", "diagnose")) == "localise"
            telemetry["signals"] = [each for each in self.signals
                                    if chance.happens(0.9) or localises and each == "last_collective"]
        if on("clock_error"):
            tree.setdefault("detection", {})["clock_error"] = chance.duration(1e-6, 10)

    def repair(self, chance, size, tree, on):
        repair = tree.setdefault("repair", {})
        repair["time"] = chance.law(size.seconds / chance.between(3, 1000))
        if on("silent_repairs"):
            repair["silent_failure"] = chance.choice((0.05, 0.5, 0.9))
        if on("manual_repairs"):
            repair.setdefault("manual", {}).update(needed=chance.share(), time=chance.law(size.seconds / 20))
        repaired = [name for name, fault in tree.get("faults", {}).items() if fault.get("remedy") == "repair"]
        if on("by_cause") and repaired:
            repair["by_cause"] = {name: {"time": chance.law(size.seconds / 50)} for name in repaired if chance.happens(0.6)}
        if on("prices"):
            tree.setdefault("cost", {}).update(gpu_hour=f"{chance.number(0.01, 10):g}USD")
            if chance.happens(0.5):
                tree["cost"]["idle_gpu_hour"] = f"{chance.number(0.01, 10):g}USD"
            if chance.happens(0.3) and "keep_every" not in tree["storage"]:
                tree["cost"]["tb_month"] = f"{chance.number(1, 100):g}USD"

    def policies(self, chance, size, tree, on):
        known = list(tree.get("faults", {}))
        if on("probes"):
            tree["probes"] = fault_tables.probes(chance, known)
            if chance.happens(0.5):
                names = list(tree["probes"])
                tree.setdefault("diagnosis", {})["suite"] = chance.sample(names, chance.randint(0, len(names)))
        policies = tree.setdefault("policies", {})
        if on("detectors"):
            policies["detect"] = chance.sample(DETECTORS, chance.randint(0, 6)) if "signals" not in tree["telemetry"] else []
        lines = sorted({fault["log"] for fault in tree.get("faults", {}).values() if "log" in fault})
        if on("line_table"):
            actions = ("replace", "restart", "save", "alert", "ignore")
            table = {line: chance.choice(actions) for line in lines if chance.happens(0.7)}
            catalogue = chance.choice(("nvidia-xid", "k8s-device-plugin"))
            tree.setdefault("detection", {})["lines"] = table if chance.happens(0.8) else catalogue
        if on("line_lists") and lines:
            tree.setdefault("detection", {}).setdefault("flap", {})["lines"] = chance.sample(lines, 1)
            tree["detection"].setdefault("corruption", {})["lines"] = chance.sample(lines, 1)
        self.recovery(chance, size, tree, on)

    def recovery(self, chance, size, tree, on):
        recovery = tree.setdefault("recovery", {})
        fewer = machines.may_be_left_out(tree["job"], size)
        if on("smaller") and fewer:
            recovery["wait_for_spare"] = chance.choice(("0s", "1ns", chance.duration(1, size.seconds / 5)))
            if chance.happens(0.5):
                recovery["least_replicas"] = tree["job"]["layout"]["dp"] - fewer
        if on("start_attempts"):
            recovery["start_attempts"] = chance.choice((1, 2, 5))
            if chance.happens(0.5):
                recovery.update(start_backoff=chance.duration(1, 60), longest_backoff=chance.duration(61, 600))
            if chance.happens(0.5):
                recovery["retention"] = chance.duration(1, 3600)
        if on("start_deadline"):
            recovery["start_deadline"] = chance.duration(20_000, 80_000)
            tree.setdefault("detection", {})["gather"] = "30s"
            tree["job"]["name"] = "swarm"

    @staticmethod
    def patience(size, tree):
        """No checkpoint counts as a hang: detectors of silence wait for longer than a step and a stall."""
        storage, detection = tree["storage"], tree.setdefault("detection", {})
        silence = size.step + sum(schema.seconds_of(storage.get(key, "0s")) for key in ("stall", "persist"))
        for key in ("hang_timeout", "learned_hang.floor", "traffic_stopped.lasting"):
            path = ("detection", *key.split("."))
            given = find(tree, path)
            if silence > USUAL_PATIENCE[key] if given is None else silence > schema.seconds_of(given):
                put(tree, path, duration(2.2 * silence))
        # Between two samples of traffic there is silence, and `check` refuses to take that for a stop.
        interval, lasting = (find(tree, path) for path in (("telemetry", "traffic_interval"), ("detection", "traffic_stopped", "lasting")))
        longest = USUAL_PATIENCE["traffic_stopped.lasting"] if lasting is None else schema.seconds_of(lasting)
        if interval is not None and schema.seconds_of(interval) > longest:
            put(tree, ("detection", "traffic_stopped", "lasting"), duration(2.2 * schema.seconds_of(interval)))
        if not detection:
            del tree["detection"]
        # A person who answers at once is asked again as soon as the next start fails. A run that gets nowhere in 30 days, as all
        # that it can load is corrupt, then keeps a million incidents, which are gigabytes.
        response = find(tree, ("people", "response"))
        if tree["recovery"].get("start_attempts") and (response is None or
                                                       isinstance(response, str) and schema.seconds_of(response) < 60):
            put(tree, ("people", "response"), "10min")

    @staticmethod
    def band(size, tree):
        """A band about as wide as the noise reports every other timing, which `check` warns of: only in short runs."""
        noise = find(tree, ("telemetry", "noise")) or 0.02
        given = find(tree, ("detection", "fail_slow", "least_excess")) or USUAL_EXCESS
        if given <= 2 * noise and size.hosts * size.seconds / size.step > 1e6:
            put(tree, ("detection", "fail_slow", "least_excess"), round(2.5 * noise, 3))

    def study(self, chance, tree, on):
        tree["study"] = {"replicas": chance.randint(1, 8), "seed": chance.whole(0, 2**63 - 1)}
        # A draw that `check` would refuse is refused: of these only a uniform one ends at its ends.
        telemetry = tree.get("telemetry", {})
        beat = sum(schema.seconds_of(telemetry.get(key, usual)) for key, usual in (("heartbeat_period", "10s"), ("heartbeat_jitter", "0s")))
        fields = [path for path in ((("repair", "silent_failure"), 0.01, 0.3),
                                    (("detection", "timeout"), duration(2.1 * beat), duration(20 * beat)))
                  if find(tree, path[0]) is not None]
        modelled = "step_time" not in tree["job"]
        if modelled:
            fields.append((("job", "step_time_factor"), 0.8, 1.3))
        if on("uncertain") and fields:
            path, low, high = chance.choice(fields)
            shapes = ("lognormal", "normal", "uniform", "log-t") if path[0] == "job" else ("uniform",)
            tree["study"]["uncertain"] = [{"path": ".".join(path), "low": low, "high": high, "shape": chance.choice(shapes)}]
            if tree["study"]["uncertain"][0]["shape"] == "log-t":
                tree["study"]["uncertain"][0]["degrees"] = chance.randint(2, 30)
        if modelled and on("step_time_factor"):
            tree["job"]["step_time_factor"] = chance.number(0.8, 2)  # a smaller one may be faster than the peak rate
        if modelled and on("exact_step_time"):
            tree["study"]["step_time_error"] = chance.happens(0.2)

    @staticmethod
    def drilled_job(chance, tree, on):
        """A job of the user's own, which only drills start."""
        if not on("drilled_job"):
            return
        drill = tree.setdefault("drill", {})
        if chance.happens(0.5):
            drill["at_once"] = chance.choice((0, 1, 3))
        drill["command"] = {"arguments": ["true", "step"], "directory": ".", "per": chance.choice(("rank", "host")),
                            "grace": chance.duration(0.1, 30), "stop_signal": chance.choice(("TERM", "INT", "USR1"))}
        if chance.happens(0.5):
            drill["command"]["lines"] = {"step": r"^step (\d+)", "saved": r"^saved (\d+)", "resumed": r"^resumed (\d+)",
                                         "timed_out": "^timed out"}
        if chance.happens(0.5):
            drill["environment"] = {"DATA_PATH": "/data"}
        if chance.happens(0.5):
            logged = sorted({fault["log"] for fault in tree.get("faults", {}).values() if "log" in fault})
            drill["lines"] = {name: "out of memory|illegal address" for name in logged[:2] + ["out_of_memory"]}

    def extremes(self, chance, tree):
        """A few keys at the ends of what the schema allows."""
        names = [path for path in self.leaves if not ".".join(path).startswith(NO_EXTREME + FITTED) and path[-1] != "source"]
        for path in chance.sample(names, chance.randint(1, 3)):
            value = schema.extreme_value(self.leaves[path], chance)
            if value is not None and schema.ANY not in path:
                put(tree, path, value)

    def inherited(self, chance, tree, on):
        """The tree over one or two files, which another extends; what an upper file says again is what holds."""
        if not on("extends"):
            return {"scenario.toml": tree}
        top, base, other = {}, {}, {}
        for key, value in tree.items():
            home = chance.choice((top, base, other)) if on("two_bases") else chance.choice((top, base))
            home[key] = value
            # Something else below it, which this hides.
            if home is not base and chance.happens(0.3) and key in ("people", "drill", "retirement"):
                self.fill(chance, base, (key,))
        files = {"scenario.toml": {"extends": ["base.toml", "other.toml"] if other else "base.toml", **top}, "base.toml": base}
        if other:
            files["other.toml"] = other
        if on("dropped_faults") and "faults" not in base and "faults" not in other:
            base["faults"] = {"dropped": {"component": "host", "effect": "crash", "remedy": "restart", "mtbf": "1h",
                                          "log": "dropped"}}
            if "probes" not in base:
                base["probes"] = {"below": {"time": "1s", "detects": {"dropped": 1.0}}}
            files["scenario.toml"]["inherit_faults"] = False
        return files


def written(scenario, leaves):
    """The paths of the schema that a scenario writes."""
    found = set()
    for tree in scenario.files.values():
        for path in key_paths(tree):
            for known in leaves:
                if len(known) <= len(path) and all(part in (schema.ANY, each) for part, each in zip(known, path)):
                    found.add(known)
    return found
