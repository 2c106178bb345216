#include "study/design.hpp"

#include "core/random/stream.hpp"

#include <algorithm>
#include <numeric>
#include <set>
#include <string>
#include <utility>

namespace gauntlet {
namespace {

constexpr StreamName kDesign = stream_name("study.design");

/// The values of one axis, for each point: a random one out of every stratum, the strata in random order.
std::vector<std::string> stratified(const Axis& axis, std::uint32_t count, std::uint64_t seed,
                                    std::uint64_t number) {
  Stream random({.study = seed, .replica = 0}, kDesign, number);
  std::vector<std::uint32_t> strata(count);
  std::iota(strata.begin(), strata.end(), 0U);
  for (std::uint32_t left = count; left > 1; --left) std::swap(strata[left - 1], strata[random.below(left)]);
  std::vector<std::string> values;
  for (const std::uint32_t stratum : strata) {
    const double u = (stratum + random.uniform()) / count;
    if (axis.range) {
      values.push_back(axis.range->text_at(u, 1.0 / count));
    } else {
      const auto size = axis.values.size();
      values.push_back(
          axis.values[std::min(static_cast<std::size_t>(u * static_cast<double>(size)), size - 1)]);
    }
  }
  return values;
}

}  // namespace

std::optional<std::uint32_t> grid_size(std::span<const Axis> axes) {
  std::uint64_t size = 1;
  for (const Axis& axis : axes) {
    size *= axis.values.size();
    if (size > kMostPoints) return std::nullopt;
  }
  return static_cast<std::uint32_t>(size);
}

std::vector<Settings> grid(std::span<const Axis> axes) {
  std::vector<Settings> points(1);
  for (const Axis& axis : axes) {
    std::vector<Settings> longer;
    longer.reserve(points.size() * axis.values.size());
    for (const Settings& point : points)
      for (const std::string& value : axis.values) {
        longer.push_back(point);
        longer.back().push_back({axis.path, value});
      }
    points = std::move(longer);
  }
  return points;
}

std::vector<Settings> latin_hypercube(std::span<const Axis> axes, std::uint32_t count, std::uint64_t seed) {
  std::vector<Settings> points(count);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    std::vector<std::string> values = stratified(axes[i], count, seed, i);
    for (std::uint32_t point = 0; point < count; ++point)
      points[point].push_back({axes[i].path, std::move(values[point])});
  }
  std::set<std::vector<std::string>> seen;
  std::vector<Settings> once;
  for (Settings& point : points) {
    std::vector<std::string> values;
    for (const Setting& setting : point) values.push_back(setting.value);
    if (seen.insert(std::move(values)).second) once.push_back(std::move(point));
  }
  return once;
}

}  // namespace gauntlet
