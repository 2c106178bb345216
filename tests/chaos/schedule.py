"""What chaos does to a drill, and when: drawn from a seed."""
import dataclasses
import random

import models

# What is done, to whom, how often in comparison, and whether it lasts.
CHOICES = [("kill", "driver", 3, False), ("kill", "agent", 3, False), ("kill", "watchdog", 2, False), ("kill", "rank", 3, False),
           ("kill", "keeper", 1, False), ("stop", "driver", 1, True), ("stop", "agent", 2, True), ("stop", "watchdog", 1, True),
           ("stop", "rank", 2, True), ("cut", "control link", 2, True), ("fill", "disk", 2, True)]
KILLS = [each for each in CHOICES if each[0] == "kill" and each[1] != "keeper"]
SECONDS = (0.5, 6.0)  # how long what lasts does


@dataclasses.dataclass(frozen=True)
class Disturbance:
    at: float  # seconds after the drill was started
    act: str
    whom: str
    host: int
    lasts: float  # seconds

    @property
    def text(self):
        of_host = f" of host {self.host}" if self.whom in ("agent", "watchdog", "rank", "control link") else ""
        return f"{self.act} {self.whom}{of_host}" + (f" for {self.lasts:.1f} s" if self.lasts else "")

    def __str__(self):
        return f"{self.at:7.2f} s  {self.text}"


def drawn(seed, count, until, choices=None):
    """`count` disturbances at moments up to `until` seconds."""
    draws = random.Random(f"chaos {seed}")
    choices = choices or CHOICES
    found = []
    for at in sorted(draws.uniform(0, until) for _ in range(count)):
        act, whom, _, lasts = draws.choices(choices, [each[2] for each in choices])[0]
        found.append(Disturbance(at, act, whom, draws.randrange(models.HOSTS), draws.uniform(*SECONDS) if lasts else 0))
    return found
