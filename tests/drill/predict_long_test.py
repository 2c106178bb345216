"""Ten drills calibrate a simulation, and it predicts ten others from their fault plans alone.

The two kinds of drills alternate: what else the machine does changes within minutes, and both are to meet the same of it. Drills are as
long as those of drill-tiny: a third of the steps had 13 incidents, of which one alone could move the mean by its bound (docs/two-worlds.md)."""
import os
import statistics
import sys
import unittest

sys.path.insert(0, os.path.dirname(__file__))
import drills  # noqa: E402
import predictions  # noqa: E402

SEEDS = [(300 + i, 400 + i) for i in range(1, 11)]  # of a drill that calibrates, and of one that is predicted
STEPS, REPLICAS = 200, 200
# The bounds of the requirement: pooled ETTR, mean time of an incident, drills in their 90% interval.
ETTR_MAX, INCIDENT_MAX, INSIDE_MIN = 0.03, 0.15, 7


class PredictTen(unittest.TestCase):
    def test_ten_drills_calibrate_what_predicts_ten_others(self):
        with drills.Place(predictions.SCENARIO) as place:
            drilled = [[predictions.Drilled(place, seed, STEPS) for seed in pair] for pair in SEEDS]
            measured, text = predictions.calibrate(place, [first for first, _ in drilled])
            print(text)
            pairs = []
            for _, second in drilled:
                pairs.append((second, predictions.Predicted(place, second.seed, STEPS, measured, REPLICAS)))
                print(predictions.row(*pairs[-1]), flush=True)
        real = predictions.ettr(statistics.fmean(each.wall_s for each, _ in pairs), STEPS)
        said = predictions.ettr(statistics.fmean(predicted.wall_s for _, predicted in pairs), STEPS)
        real_s = statistics.fmean(each for second, _ in pairs for each in second.incidents_s)
        said_s = statistics.fmean(each for _, predicted in pairs for each in predicted.incidents_s)
        inside = sum(predicted.holds(second) for second, predicted in pairs)
        print(f"pooled ETTR {real:.4f}, predicted {said:.4f}; mean of {sum(len(each.incidents_s) for each, _ in pairs)} incidents "
              f"{real_s:.2f} s, predicted {said_s:.2f} s "
              f"({said_s / real_s - 1:+.1%}); {inside} of {len(pairs)} drills inside their 90% interval")
        self.assertLess(abs(real - said), ETTR_MAX)
        self.assertLess(abs(said_s / real_s - 1), INCIDENT_MAX)
        self.assertGreaterEqual(inside, INSIDE_MIN)


if __name__ == "__main__":
    unittest.main()
