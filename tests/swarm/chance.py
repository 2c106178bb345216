"""Random durations, distributions and numbers, as scenarios write them. Everything comes from one seeded generator."""
import math
import random

from toml_text import Inline

UNITS = (("d", 86400.0), ("h", 3600.0), ("min", 60.0), ("s", 1.0), ("ms", 1e-3), ("us", 1e-6))
LONGEST = 290 * 365 * 86400.0  # seconds; time is 64 bits of nanoseconds


def duration(seconds):
    """As text, in three digits of the largest unit that it reaches."""
    seconds = min(seconds, LONGEST)
    for unit, size in UNITS:
        if seconds >= size:
            number = float(f"{seconds / size:.3g}")
            return f"{number:.0f}{unit}" if number >= 100 or number == int(number) else f"{number:g}{unit}"
    return f"{max(0, round(seconds * 1e9))}ns" if seconds > 0 else "0s"


class Chance(random.Random):
    def happens(self, probability):
        return self.random() < probability

    def between(self, low, high):
        """Uniform on a logarithmic axis."""
        return math.exp(self.uniform(math.log(low), math.log(high)))

    def number(self, low, high, digits=3):
        return float(f"{self.between(low, high):.{digits}g}")

    def whole(self, low, high):
        """Small ones are as likely as large ones; `low` may be 0."""
        return round(self.between(low + 1, high + 1)) - 1

    def share(self):
        """A probability, at times one that is certain."""
        return self.choice((0.0, 1.0, round(self.random(), 3), round(self.random(), 3), self.number(1e-6, 0.1)))

    def duration(self, low, high):
        return duration(self.between(low, high))

    def law(self, mean):
        """A duration, or a distribution of about that mean."""
        return duration(mean * self.between(0.5, 2)) if self.happens(0.4) else self.distribution(mean)

    def distribution(self, mean, with_mean=True):
        """A table for a distribution. Without its mean, which a rate then says, only those that can have it so."""
        kinds = ["exponential", "weibull", "lognormal", "gamma", "pareto", "hyperexponential", "uniform", "constant", "empirical"]
        name = self.choice(kinds)
        mean = min(mean, LONGEST / 10)
        out = Inline(name=name)
        text = duration(mean)
        if name == "weibull":
            out["shape"] = self.number(0.3, 8)
            if with_mean and self.happens(0.5):
                return Inline(out, scale=text)
        elif name == "lognormal":
            out["sigma"] = self.number(0.05, 2.5)
            if with_mean and self.happens(0.5):
                return Inline(out, median=text)
        elif name == "gamma":
            out["shape"] = self.number(0.1, 50)
        elif name == "pareto":
            out["alpha"] = self.number(1.1, 6)
            if with_mean and self.happens(0.5):
                return Inline(out, minimum=text)
        elif name == "hyperexponential":
            count = self.randint(1, 3)
            return Inline(out, weights=[self.number(0.1, 10) for _ in range(count)],
                          means=[duration(mean * self.between(0.1, 10)) for _ in range(count)])
        elif name == "uniform":
            return Inline(out, low=duration(mean * 0.5), high=duration(mean * 1.6))
        elif name == "constant":
            if with_mean and self.happens(0.5):
                return Inline(out, value=text)
        elif name == "empirical":
            return Inline(out, values=[duration(mean * self.between(0.2, 4)) for _ in range(self.randint(1, 5))])
        return Inline(out, mean=text) if with_mean else out
