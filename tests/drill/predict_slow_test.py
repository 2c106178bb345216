"""A simulation with the times of two drills predicts two others: without the bounds of ten, which predict_long_test.py holds."""
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(__file__))
import drills  # noqa: E402
import predictions  # noqa: E402

STEPS = 65


class PredictTwo(unittest.TestCase):
    def test_two_drills_calibrate_what_predicts_two_others(self):
        with drills.Place(predictions.SCENARIO) as place:
            measured, text = predictions.calibrate(place, [predictions.Drilled(place, seed, STEPS) for seed in (5, 6)])
            for key in ("job.start.process_start", "job.start.communicator_init", "storage.load", "storage.persist", "job.stop_time",
                        "job.step_time", "probes.host_check.time"):
                self.assertIn(key, text)
                self.assertIn("\n" + key + " = ", measured.read_text())
            for seed in (3, 8):
                drilled = predictions.Drilled(place, seed, STEPS)
                predicted = predictions.Predicted(place, seed, STEPS, measured, replicas=20, uncertain=False)
                print(predictions.row(drilled, predicted))
                # A run of this plan takes its steps and what its faults cost: neither world can be quicker than the steps alone.
                self.assertGreater(predicted.wall_s, STEPS * predictions.STEP_S)
                self.assertEqual(len(predicted.incidents_s) % 20, 0, "every replica meets the faults of the plan")


if __name__ == "__main__":
    unittest.main()
