#include "real/signals/traffic_meter.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>

namespace gauntlet {
namespace {

constexpr Duration kShortest = std::chrono::milliseconds(10);
constexpr int kSamplesOfStep = 16;
constexpr int kSteps = 8;
constexpr std::size_t kUsual = 16;
// Correlation of a series that repeats itself. Of 300 series of 128 random numbers, 1% have a peak above 0.42.
constexpr double kRepeats = 0.4;
// Of the highest peak: where steps jitter, a multiple of the period is often higher than the period. Of readings of a trainer on two busy
// processors, 0.9 took 30% for more than half again too long, 0.5 0.2%.
constexpr double kAsGood = 0.5;
constexpr std::size_t kLeastLag = 2;
constexpr std::size_t kPeriods = 5;              // whose median is reported
constexpr std::size_t kSmoothingSixteenths = 3;  // of a step, to each side

double middle_of(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

TrafficMeter::TrafficMeter(TrafficTimes times) : times_(times) {
  times_.interval = std::max(times_.interval, kShortest);
  sampling_ = times_.interval;
  if (times_.step <= Duration::zero()) return;
  intervals_ =
      static_cast<std::size_t>((kSteps * times_.step + times_.interval - Duration(1)) / times_.interval);
  if (!times_.period) return;
  sampling_ = std::clamp(times_.step / kSamplesOfStep, kShortest, times_.interval);
  window_ = static_cast<std::size_t>(kSteps * times_.step / sampling_);
}

void TrafficMeter::began(Time now) {
  next_ = began_ = now;
  place_ = 0;
  pending_bytes_ = 0;
  ends_ = after(now, times_.interval);
  last_.reset();
  interval_bytes_ = 0;
  last_bytes_.clear();
  usual_.clear();
  rates_.clear();
  periods_.clear();
}

TrafficMeter::Reading TrafficMeter::on_counter(std::uint64_t bytes, Time now) {
  Reading reading;
  next_ = after(std::max(next_, now - sampling_), sampling_);  // what was slept through is not made up for
  if (!last_ || now <= last_at_) {
    last_ = bytes;
    last_at_ = now;
    return reading;
  }
  const auto sent = static_cast<double>(bytes >= *last_ ? bytes - *last_ : bytes);
  last_ = bytes;
  last_at_ = now;
  interval_bytes_ += sent;
  pending_bytes_ += sent;
  // Places of a grid, so that readings that come late do not stretch the series; one that came very late stands for several.
  const std::int64_t place = (now - began_ + sampling_ / 2) / sampling_;
  const auto places = std::min(place - place_, static_cast<std::int64_t>(std::max<std::size_t>(window_, 1)));
  if (places > 0) {
    rates_.insert(rates_.end(), static_cast<std::size_t>(places),
                  pending_bytes_ / static_cast<double>(places));
    pending_bytes_ = 0;
    place_ = place;
  }
  if (rates_.size() > window_)
    rates_.erase(rates_.begin(), rates_.end() - static_cast<std::ptrdiff_t>(window_));
  if (now < ends_) return reading;
  const double intervals = to_seconds(now - ends_ + times_.interval) / to_seconds(times_.interval);
  reading.level = level_of(interval_bytes_ / intervals);
  if (window_ > 0 && rates_.size() == window_ && reading.level) reading.period = usual_period();
  interval_bytes_ = 0;
  ends_ = after(now, times_.interval);
  return reading;
}

std::optional<double> TrafficMeter::level_of(double bytes) {
  last_bytes_.push_back(bytes);
  if (last_bytes_.size() > intervals_) last_bytes_.pop_front();
  double mean = 0;
  for (const double each : last_bytes_) mean += each / static_cast<double>(last_bytes_.size());
  const bool known = last_bytes_.size() == intervals_ && mean > 0;
  if (known && usual_.size() < kUsual) usual_.push_back(mean);
  if (!(bytes > 0)) return std::nullopt;
  if (!known) return 1.0;
  return mean / middle_of(usual_);
}

std::optional<double> TrafficMeter::usual_period() {
  const std::optional<double> found = period_of(rates_, to_seconds(times_.step) / to_seconds(sampling_));
  if (!found) return std::nullopt;
  periods_.push_back(*found * to_seconds(sampling_));
  if (periods_.size() < kPeriods) return std::nullopt;
  if (periods_.size() > kPeriods) periods_.pop_front();
  return middle_of({periods_.begin(), periods_.end()});
}

std::optional<double> period_of(const std::vector<double>& series, double step) {
  const std::size_t size = series.size(), longest = size / 2;
  if (longest <= kLeastLag + 1) return std::nullopt;
  // Means over 7/16 of a step: its bursts come earlier or later, and what repeats twice in a step cancels out.
  const auto each_side = static_cast<std::size_t>(std::lround(step * kSmoothingSixteenths / kSamplesOfStep));
  std::vector<double> smooth(size);
  double mean = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const std::size_t from = i - std::min(i, each_side), to = std::min(i + each_side, size - 1);
    for (std::size_t j = from; j <= to; ++j) smooth[i] += series[j] / static_cast<double>(to - from + 1);
    mean += smooth[i] / static_cast<double>(size);
  }
  for (double& each : smooth) each -= mean;
  const auto product = [&](std::size_t lag) {
    double sum = 0;
    for (std::size_t i = 0; i + lag < size; ++i) sum += smooth[i] * smooth[i + lag];
    return sum / static_cast<double>(size);  // not of size - lag: few terms correlate by chance
  };
  const double variance = product(0);
  if (!(variance > 0)) return std::nullopt;
  std::vector<double> correlation(longest + 1);
  for (std::size_t lag = 0; lag <= longest; ++lag) correlation[lag] = product(lag) / variance;
  std::vector<std::size_t> peaks;
  double highest = 0;
  for (std::size_t lag = kLeastLag; lag < longest; ++lag) {
    if (correlation[lag] < correlation[lag - 1] || correlation[lag] <= correlation[lag + 1]) continue;
    peaks.push_back(lag);
    highest = std::max(highest, correlation[lag]);
  }
  if (highest < kRepeats) return std::nullopt;
  for (const std::size_t lag : peaks) {
    if (correlation[lag] < kAsGood * highest) continue;
    const double before = correlation[lag - 1], at = correlation[lag], behind = correlation[lag + 1];
    const double bend = before - 2 * at + behind;
    return static_cast<double>(lag) + (bend < 0 ? (before - behind) / (2 * bend) : 0);
  }
  return std::nullopt;
}

}  // namespace gauntlet
