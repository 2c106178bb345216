// Why orders were given, as far as a record shows it: each answers an observation, or the outcome of an order that did.
#pragma once

#include "core/record/record.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace gauntlet {

/// Of measured values.
struct MeasuredRange {
  double lowest = 0, highest = 0;
  friend bool operator==(const MeasuredRange&, const MeasuredRange&) = default;
};

/// Orders and observations are named by their places in the record, which must outlive this.
class Causes {
 public:
  explicit Causes(const Record& record);

  /// The observation that an order answers. Where that is the outcome of another order, the one which that order answers, and so on.
  std::size_t origin_of(std::size_t order) const;
  /// What was observed, without whose it is, when and how much: "no traffic". The same in two runs to which the same happened.
  const std::string& kind_of(std::size_t observation) const { return kinds_[observation]; }
  /// How many observations are of this kind.
  std::size_t count(const std::string& kind) const;
  /// Whether it is a raw value that was asked for, and the range of all of a kind.
  bool measures(std::size_t observation) const;
  std::optional<MeasuredRange> range_of(const std::string& kind) const;
  /// What was observed, with the value, the bounds that it left, and the time.
  std::string text_of(std::size_t observation) const;
  /// The earlier order that this one goes on with: the last one about the same watch, or the one that it cancels.
  std::optional<std::size_t> goes_on_with(std::size_t order) const;
  /// How long the order took; nothing where it has no outcome.
  std::optional<Duration> took(std::size_t order) const;

 private:
  const Watch* watch_of(const Seen& seen, std::size_t observation) const;
  std::string kind_of_new(std::size_t observation) const;

  const Record& record_;
  std::map<OrderId, std::size_t> order_of_;
  std::map<OrderId, Duration> took_;
  std::map<WatchId, std::vector<std::size_t>> about_;  // orders about each watch
  std::vector<std::string> kinds_;                     // by observation
};

}  // namespace gauntlet
