"""The sample in LANL's format, and the figures that the program must find in it, are what lanl_sample.py draws and computes."""
import math
import unittest

import lanl_sample


class LanlSample(unittest.TestCase):
    def setUp(self):
        self.records = lanl_sample.records_of_sample()

    def test_the_sample_is_what_was_drawn(self):
        self.assertEqual(lanl_sample.SAMPLE.read_text(encoding="ascii"), lanl_sample.sample_text(self.records))

    def test_the_figures_are_those_of_what_was_drawn(self):
        self.assertEqual(lanl_sample.FIGURES.read_text(encoding="ascii"), lanl_sample.figures_text(self.records))

    def test_the_shape_of_exponential_times_is_one(self):
        """The quantiles of an exponential distribution: a likelihood equation that is wrong does not give this."""
        count = 20_000
        quantiles = [-math.log(1 - (i + 0.5) / count) for i in range(count)]
        shape = lanl_sample.weibull_shape(quantiles)
        self.assertAlmostEqual(shape, 1, delta=1e-3)
        # sqrt(6) / pi / sqrt(n): Lawless, Statistical Models and Methods for Lifetime Data, 2003, sec. 5.2.
        expected = 6**0.5 / math.pi / count**0.5
        self.assertAlmostEqual(lanl_sample.shape_error(quantiles, shape) / expected, 1, delta=1e-2)


if __name__ == "__main__":
    unittest.main()
