// A world in which the wall time follows from the number of failures alone, and a study of it beside the same one tilted.
#pragma once

#include "study/tilted.hpp"
#include "tests/study/seeded_study.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace gauntlet::tilted_world {

inline constexpr double kDay = 86'400, kStart = 180, kHalfStep = 1;
inline constexpr int kDays = 10;  // and as many failures in the mean

/// `more`: settings beside, of faults that change nothing of the wall time.
inline PointSource poisson_world(std::vector<std::string> more = {}) {
  std::vector<std::string> sets = {"job.steps=" + std::to_string(kDays * 43'200), "storage.free=true",
                                   "storage.stall=0s", "checkpoint.interval=2s",
                                   "faults.crash={ component=\"host\", clock=\"training\", effect=\"crash\", "
                                   "remedy=\"restart\", log=\"crashed\", "
                                   "rate={ count=7, over=\"7d x 8 hosts\" } }"};
  sets.insert(sets.end(), more.begin(), more.end());
  return {"one-fault", sets, 1};
}

/// Seconds that a run with so many failures takes.
inline double wall(double failures) { return kDays * kDay + kStart + failures * (kStart + kHalfStep); }

/// P(N >= k), N Poisson.
inline double at_least(int k, double mean) {
  double term = std::exp(-mean), below = 0;
  for (int i = 0; i < k; ++i) {
    below += term;
    term *= mean / (i + 1);
  }
  return 1 - below;
}

inline std::function<bool(const Figures&)> later_than(double seconds) {
  return [seconds](const Figures& figures) { return to_seconds(figures.wall) > seconds; };
}

inline std::shared_ptr<const Point> loaded(const PointSource& source) {
  LoadedPoint point = source.point();
  EXPECT_TRUE(point.point);
  return point.point;
}

/// A study of a point and of the same one tilted.
struct TiltedStudy {
  TiltedStudy(const PointSource& source, std::uint64_t seed, double tilt, std::uint32_t count)
      : of(source, seed),
        runs(count),
        plain(of.experiment.add(loaded(source))),
        more(of.experiment.add(tilted(*loaded(source), tilt))) {
    EXPECT_TRUE(of.experiment.ensure(std::vector{plain, more}, count));
  }
  RareShare later(double seconds) const {
    return rare_share(of.experiment, plain, more, runs, later_than(seconds));
  }

  SeededStudy of;
  std::uint32_t runs;
  PointNumber plain, more;
};

}  // namespace gauntlet::tilted_world
