// The filters behind watches. They run where the raw samples are: in an agent, in the driver, or over the samples that
// a simulator generates with full telemetry. Each is a plain value; none knows a clock, it is told the time.
#pragma once

#include "core/contract.hpp"
#include "core/time.hpp"
#include "core/watch.hpp"

#include <cstdint>
#include <optional>
#include <utility>

namespace gauntlet {

/// Reports once when no sample came for longer than `longest`, and once when samples are back.
class SilenceFilter {
 public:
  SilenceFilter() = default;
  SilenceFilter(Silence limit, Time from) : longest_(limit.longest), last_(from) {}

  /// When it will report if nothing comes; kNever while it is silent already.
  Time deadline() const { return silent_ ? kNever : after(last_, longest_); }
  bool silent() const { return silent_; }

  std::optional<Edge> on_sample(Time at) {
    expect(at >= last_, "samples come in order");
    last_ = at;
    if (!silent_) return std::nullopt;
    silent_ = false;
    return Edge::ended;
  }
  /// To be called when the deadline has come; a deadline that moved meanwhile reports nothing.
  std::optional<Edge> on_deadline(Time at) {
    if (silent_ || at < deadline()) return std::nullopt;
    silent_ = true;
    return Edge::began;
  }

 private:
  Duration longest_ = kForever;
  Time last_{};
  bool silent_ = false;
};

/// The edge of the band is inside. A value that is not a number is outside.
inline bool is_outside(const Outside& band, double value) {
  return !(value >= band.low && value <= band.high);
}

/// Reports leaving the band and re-entering it. Samples on the edge are inside; it starts inside.
class OutsideFilter {
 public:
  explicit OutsideFilter(Outside band) : band_(band) {}

  std::optional<Edge> on_sample(double value) {
    if (is_outside(band_, value) == outside_) return std::nullopt;
    outside_ = !outside_;
    return outside_ ? Edge::began : Edge::ended;
  }
  /// Whether a sample of this value would report. A stream of such samples may be left out where it does not.
  bool would_report(double value) const { return is_outside(band_, value) != outside_; }

 private:
  Outside band_;
  bool outside_ = false;
};

/// Passes the next `count` samples, then nothing.
class SampleFilter {
 public:
  explicit SampleFilter(Sample wanted) : left_(wanted.count) {}

  std::optional<Edge> on_sample(double) {
    if (left_ == 0) return std::nullopt;
    --left_;
    return Edge::sample;
  }
  bool would_report(double) const { return left_ > 0; }

 private:
  std::uint16_t left_;
};

/// Cuts a burst of members that report the same event down to the first few, each on its own, and one count of the rest.
class FirstMembers {
 public:
  explicit FirstMembers(std::uint16_t first) : first_(first) {}

  /// Whether this member is reported on its own. Those that are not are counted.
  bool passes() {
    if (first_ == kEachMember || passed_ < first_) {
      ++passed_;
      return true;
    }
    ++held_back_;
    return false;
  }
  /// At the end of the burst: how many were held back. The next burst starts afresh.
  std::uint32_t end_burst() {
    passed_ = 0;
    return std::exchange(held_back_, 0);
  }

 private:
  std::uint16_t first_;
  std::uint32_t passed_ = 0;
  std::uint32_t held_back_ = 0;
};

}  // namespace gauntlet
