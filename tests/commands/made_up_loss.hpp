// Replicas whose loss follows a known function, for the tests of whatever looks for its lowest point.
#pragma once

#include "commands/tune/trials.hpp"
#include "core/random/stream.hpp"
#include "study/field_range.hpp"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace gauntlet {

/// A loss of known mean: luck that all points share, and luck of each point's own.
class MadeUpLoss final : public ReplicaSource {
 public:
  using Mean = std::function<double(const std::vector<double>& values)>;

  Mean loss;
  Mean figure = [](const std::vector<double>&) { return 0.0; };   // of the metric "figure", with no luck
  Mean gave_up = [](const std::vector<double>&) { return 0.0; };  // share of runs, with no luck
  std::function<bool(const std::vector<double>&)> refuses = [](const std::vector<double>&) { return false; };
  double own = 0;  // largest luck of a point's own
  std::uint64_t seed = 1;
  std::uint64_t ran = 0;

  std::optional<std::uint32_t> add(const std::vector<std::string>& values) override {
    std::vector<double> numbers;
    for (const std::string& value : values) numbers.push_back(*number_of(value, FieldKind::number));
    if (refuses(numbers)) return std::nullopt;
    points_.push_back({std::move(numbers), {}, {}, {}});
    return static_cast<std::uint32_t>(points_.size() - 1);
  }

  bool ensure(std::span<const std::uint32_t> points, std::uint32_t replicas) override {
    for (const std::uint32_t number : points) {
      Made& made = points_[number];
      for (auto k = static_cast<std::uint32_t>(made.loss.size()); k < replicas; ++k) {
        const double shared = uniform_at({seed, k}, stream_name("test.shared"), 0, 0) - 0.5;
        const double luck = uniform_at({seed, k}, stream_name("test.own"), number, 0) - 0.5;
        made.loss.push_back({.numerator = loss(made.numbers) + shared + 2 * own * luck, .denominator = 1});
        made.figure.push_back({.numerator = figure(made.numbers), .denominator = 1});
        made.gave_up.push_back({.numerator = gave_up(made.numbers), .denominator = 1});
        ++ran;
      }
    }
    return true;
  }

  std::span<const Fraction> values(std::uint32_t point, const std::string& metric,
                                   std::uint32_t count) override {
    const Made& made = points_[point];
    const std::vector<Fraction>& all = metric == "gave_up"  ? made.gave_up
                                       : metric == "figure" ? made.figure
                                                            : made.loss;
    return std::span(all).first(count);
  }

  Controls controls(std::uint32_t, std::uint32_t) override { return {}; }

 private:
  struct Made {
    std::vector<double> numbers;
    std::vector<Fraction> loss, figure, gave_up;
  };
  std::vector<Made> points_;
};

}  // namespace gauntlet
