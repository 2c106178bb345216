"""Ten drills calibrate a simulation, and it predicts ten others from their fault plans alone."""
import os
import statistics
import sys
import unittest

sys.path.insert(0, os.path.dirname(__file__))
import drills  # noqa: E402
import predictions  # noqa: E402

CALIBRATES, PREDICTED = range(101, 111), range(201, 211)  # seeds
REPLICAS = 200
# The bounds of the requirement: pooled ETTR, mean time of an incident, drills in their 90% interval.
ETTR_MAX, INCIDENT_MAX, INSIDE_MIN = 0.03, 0.15, 7


class PredictTen(unittest.TestCase):
    def test_ten_drills_calibrate_what_predicts_ten_others(self):
        with drills.Place(predictions.SCENARIO) as place:
            measured, text = predictions.calibrate(place, [predictions.Drilled(place, seed) for seed in CALIBRATES])
            print(text)
            pairs = []
            for seed in PREDICTED:
                pairs.append((predictions.Drilled(place, seed), predictions.Predicted(place, seed, measured, REPLICAS)))
                print(predictions.row(*pairs[-1]), flush=True)
        real = predictions.ettr(statistics.fmean(drilled.wall_s for drilled, _ in pairs))
        said = predictions.ettr(statistics.fmean(predicted.wall_s for _, predicted in pairs))
        real_s = statistics.fmean(each for drilled, _ in pairs for each in drilled.incidents_s)
        said_s = statistics.fmean(each for _, predicted in pairs for each in predicted.incidents_s)
        inside = sum(predicted.holds(drilled) for drilled, predicted in pairs)
        print(f"pooled ETTR {real:.4f}, predicted {said:.4f}; mean incident {real_s:.2f} s, predicted {said_s:.2f} s "
              f"({said_s / real_s - 1:+.1%}); {inside} of {len(pairs)} drills inside their 90% interval")
        self.assertLess(abs(real - said), ETTR_MAX)
        self.assertLess(abs(said_s / real_s - 1), INCIDENT_MAX)
        self.assertGreaterEqual(inside, INSIDE_MIN)


if __name__ == "__main__":
    unittest.main()
