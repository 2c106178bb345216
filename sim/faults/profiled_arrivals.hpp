// Strikes of an exponential law whose rate differs between components and over time (models/fault/rate_profile.hpp).
//
// One superposed Poisson process: when, then which. What is common to all components stretches time (the curve) or thins
// the process (the daily cycle; Lewis and Shedler, 1979, https://doi.org/10.1002/nav.3800260304); who of them it strikes
// is drawn by weight. So a strike costs the same however uneven the rates are, but for up to two draws thinned for each
// that is kept.
#pragma once

#include "core/random/stream.hpp"
#include "models/fault/fault.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace gauntlet {

class ProfiledArrivals {
 public:
  /// Of the components [first, end).
  ProfiledArrivals(const FaultKind& kind, Seed seed, std::uint32_t first, std::uint32_t end);

  /// When the next strike comes, in seconds; infinite when none will.
  double next_time() const { return next_time_; }
  /// The component that it strikes. Advances to the strike after it.
  std::uint32_t take();

  /// The component fails no more often than the others from `now` on.
  void cure(std::uint32_t component, double now);

  /// How many strikes to expect up to `now`, of the components with the lemons that were drawn.
  double compensator(double now) const { return met_ + rate_ * (profile_->accumulated(now) - met_to_); }

  /// Drawn for this replica, ascending.
  const std::vector<std::uint32_t>& lemons() const { return lemons_; }

 private:
  /// Consecutive components of one weight, or lemons from first to last in `lemons_`, with what they weigh beside.
  struct Group {
    std::uint32_t first = 0, count = 0;
    double weight = 0;  // of all of them
    bool lemons = false;
  };
  void group(std::uint32_t first, std::uint32_t end, double factor);
  void group_lemons(std::uint32_t first, std::uint32_t end, double factor);
  void draw_component();
  void advance();
  /// Its place in `lemons_`; nothing where it is none.
  std::optional<std::size_t> lemon(std::uint32_t component) const;

  const RateProfile* profile_;
  Stream strikes_;
  Stream thinned_;
  std::vector<std::uint32_t> lemons_;
  std::vector<Group> groups_;
  std::vector<double> lemon_more_;  // by place in `lemons_`: its rate beside that of the others
  double rate_ = 0;                 // of all components, where the profile's factors of time are 1
  double met_ = 0,
         met_to_ = 0;  // the compensator, and what the profile had accumulated, at the last change of `rate_`
  double weight_ = 0;  // of all groups
  double mean_gap_ = 0;
  double curve_seconds_ = 0;
  double next_time_ = 0;
  std::uint32_t next_ = 0;
  bool next_beside_ = false;         // drawn by what the lemons weigh beside
  std::vector<std::uint8_t> cured_;  // by place in `lemons_`
};

}  // namespace gauntlet
