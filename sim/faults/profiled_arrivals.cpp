#include "sim/faults/profiled_arrivals.hpp"

#include "core/infinity.hpp"
#include "core/math/elementary.hpp"
#include "sim/faults/hits.hpp"

#include <algorithm>

namespace gauntlet {

ProfiledArrivals::ProfiledArrivals(const FaultKind& kind, Seed seed, std::uint32_t first, std::uint32_t end)
    : profile_(&kind.profile),
      strikes_(seed, stream_name("fault." + kind.name), first),
      thinned_(seed, stream_name("thinned." + kind.name), first) {
  if (profile_->lemons.factor != 1)
    for_each_hit(end, profile_->lemons.share, Stream(seed, stream_name("lemon." + kind.name)),
                 [this, first](std::uint32_t component) {
                   if (component >= first) lemons_.push_back(component);
                 });
  cured_.assign(lemons_.size(), 0);
  lemon_more_.assign(lemons_.size(), 0);
  std::vector<Batch> batches = profile_->batches;
  std::sort(batches.begin(), batches.end(), [](const Batch& a, const Batch& b) { return a.first < b.first; });
  std::uint32_t from = first;
  for (const Batch& batch : batches) {
    const std::uint32_t begins = std::clamp(batch.first, from, end);
    const std::uint32_t ends = std::max(begins, batch.last < end ? batch.last + 1 : end);
    group(from, begins, 1);
    group(begins, ends, batch.factor);
    from = ends;
  }
  group(from, end, 1);
  for (const Group& each : groups_) weight_ += each.weight;
  for (const Group& each : groups_) rate_ += each.lemons ? 0 : each.weight;
  for (const double more : lemon_more_) rate_ += more;
  rate_ /= kind.life.mean();
  for (double& more : lemon_more_) more /= kind.life.mean();
  mean_gap_ = kind.life.mean() / (weight_ * (1 + profile_->daily.amplitude));
  if (weight_ > 0) {
    advance();
  } else {
    next_time_ = kInfinity;
  }
}

void ProfiledArrivals::group(std::uint32_t first, std::uint32_t end, double factor) {
  if (first >= end) return;
  groups_.push_back({.first = first, .count = end - first, .weight = factor * (end - first)});
  group_lemons(first, end, factor);
}

/// What the lemons among [first, end) weigh beside what all of them do. Where lemons fail less often than the others, it is
/// below that, and draw_component() rejects the rest.
void ProfiledArrivals::group_lemons(std::uint32_t first, std::uint32_t end, double factor) {
  const double more = factor * (profile_->lemons.factor - 1);
  const auto begin = std::lower_bound(lemons_.begin(), lemons_.end(), first);
  const auto last = std::lower_bound(begin, lemons_.end(), end);
  std::fill(lemon_more_.begin() + (begin - lemons_.begin()), lemon_more_.begin() + (last - lemons_.begin()),
            more);
  if (begin == last || !(more > 0)) return;
  const auto count = static_cast<std::uint32_t>(last - begin);
  groups_.push_back({.first = static_cast<std::uint32_t>(begin - lemons_.begin()),
                     .count = count,
                     .weight = more * count,
                     .lemons = true});
}

std::optional<std::size_t> ProfiledArrivals::lemon(std::uint32_t component) const {
  const auto place = std::lower_bound(lemons_.begin(), lemons_.end(), component);
  if (place == lemons_.end() || *place != component) return std::nullopt;
  return static_cast<std::size_t>(place - lemons_.begin());
}

/// What was drawn for it as a lemon comes no more: with the others' rate alone, the process goes on.
void ProfiledArrivals::cure(std::uint32_t component, double now) {
  const auto place = lemon(component);
  if (!place || cured_[*place] != 0) return;
  cured_[*place] = 1;
  met_ = compensator(now);
  met_to_ = profile_->accumulated(now);
  rate_ -= lemon_more_[*place];
  if (next_beside_ && next_ == component) advance();
}

void ProfiledArrivals::draw_component() {
  double left = strikes_.uniform() * weight_;
  const Group* drawn = &groups_.back();  // also where rounding leaves a rest
  for (const Group& each : groups_) {
    if (left < each.weight) {
      drawn = &each;
      break;
    }
    left -= each.weight;
  }
  const auto n = drawn->first + static_cast<std::uint32_t>(strikes_.below(drawn->count));
  next_ = drawn->lemons ? lemons_[n] : n;
  next_beside_ = drawn->lemons;
}

void ProfiledArrivals::advance() {
  const bool daily = profile_->daily.amplitude > 0, fewer = profile_->lemons.factor < 1;
  while (true) {
    curve_seconds_ -= mean_gap_ * math_log(strikes_.uniform());
    next_time_ = profile_->time_on_curve(curve_seconds_);
    if (next_time_ == kInfinity) return;
    draw_component();
    if (next_beside_ && cured_[*lemon(next_)] != 0) continue;
    double kept = 1;
    if (daily) {
      const Time at = after(kStart, from_seconds(next_time_));
      kept = profile_->of_day(at) / (1 + profile_->daily.amplitude);
    }
    if (fewer && lemon(next_)) kept *= profile_->lemons.factor;
    if (kept == 1 || thinned_.uniform() < kept) return;
  }
}

std::uint32_t ProfiledArrivals::take() {
  const std::uint32_t component = next_;
  advance();
  return component;
}

}  // namespace gauntlet
