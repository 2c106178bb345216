// Points that the tests of study/ run: the smallest shipped scenario, for a few hours, so that a replica takes microseconds.
#pragma once

#include "study/point.hpp"

#include <memory>
#include <stdexcept>
#include <string>

namespace gauntlet {

inline PointSource tiny_source(std::uint64_t seed = 3) {
  return {"scenarios/tiny-8.toml", {"job.window=12h", "job.planned.times=[]"}, seed};
}

inline std::shared_ptr<const Point> tiny_point(const Settings& settings = {}) {
  static const PointSource source = tiny_source();
  LoadedPoint loaded = source.point(settings);
  if (!loaded.point) throw std::runtime_error(loaded.problems.at(0).text());
  return loaded.point;
}

}  // namespace gauntlet
