// What a host's ranks send, as detectors see it: bytes of each interval over their usual number, and the period of the traffic.
// Knows no clock and no counter: it is told both.
#pragma once

#include "core/time.hpp"

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

namespace gauntlet {

struct TrafficTimes {
  Duration interval = std::chrono::seconds(1);  // of a sample of `traffic`
  Duration step{};                              // of the job, as its scenario says
  bool period = false;                          // is looked for
};

/// For the period, the counter is read 16 times a step, and at most every 10 ms; else once an interval. An interval holds a step more or less
/// than another, so that its level is the mean of as many intervals as hold eight steps. The period is the median of the last five that were
/// found: that of one interval is wrong now and then where steps jitter.
class TrafficMeter {
 public:
  struct Reading {
    std::optional<double>
        level{};  // at the end of an interval; nothing if nothing was sent in it; 1 before eight steps were measured
    std::optional<double> period{};  // seconds; nothing where the traffic has none, and until five were found
  };

  explicit TrafficMeter(TrafficTimes times = {});
  Duration sampling() const { return sampling_; }

  /// Training begins. The usual number of bytes is the median of the first 16 means from here on.
  void began(Time now);
  void gone() { next_ = kNever; }
  /// When the counter is to be read; kNever while nothing trains.
  Time next() const { return next_; }
  /// The counter, which never falls: a lower one counts from zero.
  Reading on_counter(std::uint64_t bytes, Time now);

 private:
  std::optional<double> level_of(double bytes);
  std::optional<double> usual_period();

  TrafficTimes times_;
  Duration sampling_;
  std::size_t window_ = 0;  // samples that the period is looked for in
  Time next_ = kNever, ends_{};
  std::optional<std::uint64_t> last_;
  Time last_at_{};
  Time began_{};
  std::int64_t place_ = 0;  // in the grid of samples
  double interval_bytes_ = 0, pending_bytes_ = 0;
  std::size_t intervals_ = 1;      // of a mean
  std::deque<double> last_bytes_;  // of that many intervals
  std::vector<double> usual_;      // the first means
  std::vector<double> rates_;      // of the last samples, bytes in each
  std::deque<double> periods_;     // the last that were found, seconds
};

/// The period of a series, in samples: the first lag at which its autocorrelation has a peak that no other one exceeds by much, with
/// a parabola through the peak. Nothing where it does not repeat itself. `step`: about how long the period should be; what is much
/// shorter is smoothed away.
std::optional<double> period_of(const std::vector<double>& series, double step);

}  // namespace gauntlet
