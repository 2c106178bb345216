#include "commands/validate/oracles/closed_forms.hpp"

#include "commands/validate/oracles/markov.hpp"
#include "core/contract.hpp"
#include "core/math/elementary.hpp"
#include "core/math/special.hpp"
#include "models/storage/peer_memory.hpp"

#include <algorithm>
#include <vector>

namespace gauntlet {
namespace {

double period(const TwoLevelPoint& of, double last_checkpoint) {
  const double rate = of.light + of.grave;
  const double segment = of.work / of.segments;
  double fixed = 0, again = 0;  // T_i = fixed + again T_0, from the last segment to the first
  for (std::uint32_t i = of.segments; i-- > 0;) {
    const double length = segment + (i + 1 == of.segments ? last_checkpoint : of.quick);
    const double fails = -math_expm1(-rate * length);
    const double own = 1 - fails * of.light / rate;
    fixed = (fails / rate + (1 - fails) * fixed) / own;
    again = ((1 - fails) * again + fails * of.grave / rate) / own;
  }
  return fixed / (1 - again);
}

}  // namespace

double segment_time(const SegmentPoint& of) {
  return math_exp(of.restart / of.mtbf) * (of.mtbf + of.down) *
         math_expm1((of.work + of.checkpoint) / of.mtbf);
}

double first_start_time(const SegmentPoint& of) {
  return (of.mtbf + of.down) * math_expm1(of.restart / of.mtbf);
}

double segment_time_on_training_clock(const SegmentPoint& of) {
  return (of.mtbf + of.down + of.restart) * math_expm1((of.work + of.checkpoint) / of.mtbf);
}

double two_level_period(const TwoLevelPoint& of) { return period(of, of.safe); }
double two_level_last_period(const TwoLevelPoint& of) { return period(of, 0); }

double stall_with_crews(std::uint32_t active, std::uint32_t spares, std::uint32_t crews, double failure,
                        double repair) {
  double weight = 1, sum = 1;
  for (std::uint32_t out = 0; out <= spares; ++out) {
    weight *= active * failure / (std::min(out + 1, crews) * repair);
    sum += weight;
  }
  return weight / sum;
}

std::vector<double> machines_out(std::uint32_t machines, std::uint32_t crews, double failure, double repair) {
  std::vector<double> shares{1};
  double sum = 1;
  for (std::uint32_t out = 0; out < machines; ++out) {
    shares.push_back(shares.back() * (machines - out) * failure / (std::min(out + 1, crews) * repair));
    sum += shares.back();
  }
  for (double& share : shares) share /= sum;
  return shares;
}

double stall_with_an_idle_spare(std::uint32_t active, double failure, double repair, double setup) {
  const std::uint32_t machines = active + 1;
  // With `out` of the machines in repair the rest carry the job, but for the idle one.
  const auto state = [](std::uint32_t out, bool idle) { return 2 * std::size_t{out} + (idle ? 1 : 0); };
  std::vector<Transition> chain;
  for (std::uint32_t out = 0; out <= machines; ++out) {
    for (const bool idle : {false, true}) {
      const std::uint32_t up = machines - out, in_job = up - (idle && up > 0 ? 1 : 0);
      if ((idle && up == 0) || in_job > active) continue;
      const bool wanted = in_job < active;
      if (in_job > 0) chain.push_back({state(out, idle), state(out + 1, idle), in_job * failure});
      if (idle) chain.push_back({state(out, idle), state(out + 1, false), failure});
      if (idle && wanted) chain.push_back({state(out, idle), state(out, false), setup});
      if (out > 0) chain.push_back({state(out, idle), state(out - 1, idle || !wanted), out * repair});
    }
  }
  // Two states are not in the chain: everything up and in the job, and the idle host up where none is.
  chain.push_back({state(0, false), state(0, true), 1});
  chain.push_back({state(machines, true), state(machines, false), 1});
  const std::vector<double> shares = stationary_distribution(2 * (machines + 1), chain);
  return 1 - shares[state(0, true)] - shares[state(1, false)];
}

double peer_recovery_probability(std::uint32_t hosts, std::uint32_t copies, std::uint32_t lost) {
  expect(copies > 0 && lost <= hosts, "some of the hosts are lost");
  // One host after the other: of `left` hosts `still` are lost, each as likely as any. By how many of those so far are lost, and
  // by how many of the present group, which must not become all of it.
  std::vector<double> groups_before(lost + 1, 0);
  groups_before[0] = 1;
  const std::uint32_t groups = peer_groups(hosts, copies), rest = hosts % groups;
  std::vector<std::vector<double>> within(lost + 1, std::vector<double>(hosts / groups + 1));
  for (std::uint32_t group = 0, first = 0; group < groups; ++group) {
    const std::uint32_t size = hosts / groups + (group < rest ? 1 : 0);
    for (std::uint32_t j = 0; j <= lost; ++j) {
      std::ranges::fill(within[j], 0);
      within[j][0] = groups_before[j];
    }
    for (std::uint32_t host = first; host < first + size; ++host) {
      const double left = hosts - host;
      for (std::uint32_t j = std::min(lost, host) + 1; j-- > 0;) {
        const double goes = std::min(1.0, (lost - j) / left);
        for (std::uint32_t gone = size; gone-- > 0;) {
          const double here = within[j][gone];
          within[j][gone] = here * (1 - goes);
          if (j < lost && gone + 1 < size) within[j + 1][gone + 1] += here * goes;
        }
      }
    }
    for (std::uint32_t j = 0; j <= lost; ++j) {
      groups_before[j] = 0;
      for (const double each : within[j]) groups_before[j] += each;
    }
    first += size;
  }
  return groups_before[lost];
}

double weibull_cv2(double shape) {
  const double mean = gamma_function(1 + 1 / shape);
  return gamma_function(1 + 2 / shape) / (mean * mean) - 1;
}

double weibull_count_variance(double shape, double lives) {
  const double mean = gamma_function(1 + 1 / shape);
  const double cv2 = weibull_cv2(shape);
  const double third = gamma_function(1 + 3 / shape) / (mean * mean * mean) - 3 * cv2 - 1;
  return cv2 * lives + 1.0 / 6 + cv2 * cv2 / 2 - third / 3;
}

CountMoments erlang2_counts(double lives) {
  const double events = 2 * lives;
  const double odd = -math_expm1(-2 * events) / 2;
  // The Poisson count is twice the renewals and one where it is odd; it has the covariance x exp(-2x) with that.
  return {.mean = (events - odd) / 2,
          .variance = (events + odd * (1 - odd) - 2 * events * math_exp(-2 * events)) / 4};
}

}  // namespace gauntlet
