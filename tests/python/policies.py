"""Policies in Python that tests share: twins of shipped ones, written with the same arithmetic."""

import math

import gauntlet


class Daly(gauntlet.CheckpointPolicy):
    """`daly`: policies/checkpoint/checkpoint_policy.cpp, line for line."""

    def start(self, job):
        self.constants = job.constants
        self.cost_watch = self.watch_id()
        self.started = self.last = self.now
        self.failures = 0
        self.cost = job.constants.prior_cost
        self.ordered = 0
        for tier, interval in (("memory", job.constants.memory_interval), ("peers", job.constants.peers_interval)):
            if interval is not None:
                self.checkpoint_every(interval, tier)
        self.adjust(self.now)

    def training_began(self):
        self.unwatch(self.cost_watch)
        self.watch(self.cost_watch, "checkpoint_stall", samples=1)

    def seen(self, seen):
        self.cost = gauntlet.to_ns(seen.value)
        self.adjust(seen.sensed)

    def stopped_by_fault(self):
        self.failures += 1
        self.adjust(self.now)

    def mtbf(self):
        weight = self.constants.prior_weight
        time = self.constants.prior_mtbf * 1e-9 * weight + (self.last - self.started) * 1e-9
        return gauntlet.to_ns(time / (weight + self.failures))

    def best(self):
        cost, mtbf = self.cost * 1e-9, self.mtbf() * 1e-9
        if cost >= 2 * mtbf:
            return self.mtbf()
        ratio = cost / (2 * mtbf)
        return gauntlet.to_ns(math.sqrt(2 * cost * mtbf) * (1 + math.sqrt(ratio) / 3 + ratio / 9) - cost)

    def adjust(self, now):
        self.last = max(self.last, now)
        interval = max(self.best(), self.constants.shortest)
        if abs(interval * 1e-9 - self.ordered * 1e-9) > self.constants.hysteresis * (self.ordered * 1e-9):
            self.ordered = interval
            self.checkpoint_every(interval)


class Hang(gauntlet.Detector):
    """`hang`: no step completes for a fixed time."""

    def start(self, job):
        self.no_step = self.watch_id()
        self.watch(self.no_step, "step", silence=job.constants.hang_timeout)

    def seen(self, seen):
        if seen.edge == "began":
            self.suspect()


class Replace(gauntlet.Recovery):
    """`replace`: finds the culprit, replaces it, and starts."""

    def start(self, job):
        self.restarts_in_place = job.constants.restarts_in_place

    def stopped(self, stop):
        return "examine" if stop.examine else "restart"

    def found_nothing(self, stop):
        if stop.restarts < self.restarts_in_place:
            return "restart"
        return ("replace", stop.suspects) if stop.suspects else "ask"
