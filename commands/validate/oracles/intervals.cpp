// Checkpoints at one interval: the mean time of a segment on either clock, and the intervals that lose the least.
#include "commands/validate/oracles/closed_forms.hpp"
#include "commands/validate/oracles/worlds.hpp"
#include "policies/checkpoint/interval.hpp"

#include <fmt/format.h>

#include <array>
#include <memory>
#include <utility>

namespace gauntlet {
namespace {

constexpr std::int64_t kSegments = 1'000;  // of a replica
constexpr std::int64_t kStepsOfSegment = 4;

World segment_world(const SegmentPoint& point, FaultClock clock) {
  World world = one_fault_world(1, Law::exponential(60 * point.mtbf));
  world.faults[0].clock = clock;
  world.job.step_time = from_minutes(point.work / kStepsOfSegment);
  world.job.steps = kSegments * kStepsOfSegment;
  world.job.start.scheduling = Law::constant(60 * point.restart);
  world.storage.mode = CheckpointMode::synchronous;
  world.storage.stall = from_minutes(point.checkpoint);
  world.repair.time = Law::constant(60 * point.down);
  return world;
}

/// Nothing is written after the last step.
SegmentPoint without_checkpoint(SegmentPoint point) {
  point.checkpoint = 0;
  return point;
}

/// A job of kSegments is its first start, then segments of which the last has no checkpoint.
double mean_segment(double wall_minutes, const SegmentPoint& point, FaultClock clock) {
  const bool always = clock == FaultClock::always;
  const double start = always ? first_start_time(point) : point.restart;
  const SegmentPoint last = without_checkpoint(point);
  const double ends = start + (always ? segment_time(last) : segment_time_on_training_clock(last));
  return (wall_minutes - ends) / (kSegments - 1);
}

Oracle segment_oracle(const SegmentPoint& point, FaultClock clock) {
  const bool always = clock == FaultClock::always;
  const double exact = always ? segment_time(point) : segment_time_on_training_clock(point);
  const char* formula =
      always ? "exp(R/M) (M + D) (exp((tau + C)/M) - 1): Daly, FGCS 22(3), 2006, with a downtime"
             : "(M + D + R) (exp((tau + C)/M) - 1)";
  const auto name = [](double value) { return fmt::format("{:g}", value); };
  return {
      .name = fmt::format("segment time, clock {}, tau = {}, C = {}, M = {}, D = {}, R = {} min",
                          always ? "always" : "training", name(point.work), name(point.checkpoint),
                          name(point.mtbf), name(point.down), name(point.restart)),
      .conventions =
          always
              ? "clock always: failures strike training, checkpoints and restarts, never downtime; "
                "exponential; "
                "seen at once"
              : "clock training: failures strike training and checkpoints alone; exponential; seen at once",
      .figures = {{.what = "mean time of a segment", .expected = exact, .source = formula, .unit = "min"},
                  {.what = "ETTR", .expected = point.work / exact, .source = "tau over that"}},
      .few = 300,
      .many = 10'000,
      .sampler =
          [=] {
            return simulated(segment_world(point, clock), instant_policies(from_minutes(point.work)),
                             [=](const Figures& figures, std::span<Fraction> out) {
                               const double segment =
                                   mean_segment(to_seconds(figures.wall) / 60, point, clock);
                               out[0] = {.numerator = segment};
                               out[1] = {.numerator = point.work, .denominator = segment};
                             });
          },
  };
}

/// Intervals for a checkpoint of so many minutes and a mean time between failures.
struct Listed {
  double checkpoint, mtbf;
  double young, daly, exact;
};
// The formulas at three points, worked out to the last digit apart from this program (mpmath).
constexpr Listed kListed[] = {
    {1, 185, 19.235384061671343, 18.57449378661479, 18.57457437271567},
    {5, 110, 33.166247903554, 29.916667721492267, 29.920092642086352},
    {5, 13.8, 11.74734012447073, 8.650466938570382, 8.678291712651992},
};

Oracle listed_oracle(const Listed& listed) {
  constexpr PolicyBound kSame = {PolicyJudge::relative, 1e-9};
  const auto in_minutes = [](Duration of) { return Fraction{.numerator = to_seconds(of) / 60}; };
  return {
      .name = fmt::format("intervals, C = {:g}, M = {:g} min", listed.checkpoint, listed.mtbf),
      .conventions = "closed forms alone, nothing is simulated",
      .figures = {{"Young's", listed.young, "sqrt(2 C M): CACM 17(9), 1974", "min", kSame},
                  {"Daly's", listed.daly, "higher order: FGCS 22(3), 2006", "min", kSame},
                  {"the exact optimum", listed.exact,
                   "M (1 + W(-exp(-1 - C/M))): https://doi.org/10.1145/2063384.2063428", "min", kSame}},
      .sampler =
          [=] {
            return [=](Seed, std::span<Fraction> out) {
              const Duration cost = from_minutes(listed.checkpoint), mtbf = from_minutes(listed.mtbf);
              out[0] = in_minutes(young_interval(cost, mtbf));
              out[1] = in_minutes(daly_interval(cost, mtbf));
              out[2] = in_minutes(exact_interval(cost, mtbf));
            };
          },
  };
}

/// What the three intervals cost where they differ most, under the same failures.
Oracle optimum_oracle() {
  constexpr double kCost = 5, kMtbf = 13.8, kDown = 1, kRestart = 2;
  std::array<SegmentPoint, 3> points;
  std::array<double, 3> exact{};
  const std::array<Duration, 3> intervals = {young_interval(from_minutes(kCost), from_minutes(kMtbf)),
                                             daly_interval(from_minutes(kCost), from_minutes(kMtbf)),
                                             exact_interval(from_minutes(kCost), from_minutes(kMtbf))};
  for (std::size_t i = 0; i < points.size(); ++i) {
    points[i] = {.work = to_seconds(intervals[i]) / 60,
                 .checkpoint = kCost,
                 .mtbf = kMtbf,
                 .down = kDown,
                 .restart = kRestart};
    exact[i] = segment_time(points[i]) / points[i].work;
  }
  const std::string source = "segment time over tau";
  return {
      .name = "intervals, C = 5, M = 13.8, D = 1, R = 2 min",
      .conventions = "clock always, as segment time; the same failures under each interval",
      .figures = {{.what = "time over work, Young's interval", .expected = exact[0], .source = source},
                  {.what = "time over work, Daly's interval", .expected = exact[1], .source = source},
                  {.what = "time over work, exact optimum", .expected = exact[2], .source = source},
                  {.what = "Young's less the optimum's",
                   .expected = exact[0] - exact[2],
                   .source = "the difference; paired"}},
      .few = 60,
      .many = 3'000,
      .sampler =
          [=] {
            std::vector<OracleSampler> samplers;
            for (const SegmentPoint& point : points)
              samplers.push_back(simulated(
                  segment_world(point, FaultClock::always), instant_policies(from_minutes(point.work)),
                  [=](const Figures& figures, std::span<Fraction> out) {
                    out[0] = {.numerator =
                                  mean_segment(to_seconds(figures.wall) / 60, point, FaultClock::always) /
                                  point.work};
                  }));
            return [samplers](Seed seed, std::span<Fraction> out) {
              for (std::size_t i = 0; i < samplers.size(); ++i) samplers[i](seed, out.subspan(i, 1));
              out[3] = {.numerator = out[0].numerator - out[2].numerator};
            };
          },
  };
}

}  // namespace

std::vector<Oracle> interval_oracles() {
  std::vector<Oracle> out;
  for (const SegmentPoint& point :
       {SegmentPoint{60, 1, 180, 10, 5}, SegmentPoint{30, 0.5, 106, 2, 8}, SegmentPoint{5, 0.1, 13.8, 1, 3}})
    out.push_back(segment_oracle(point, FaultClock::always));
  out.push_back(segment_oracle({60, 1, 180, 10, 5}, FaultClock::training));
  for (const Listed& listed : kListed) out.push_back(listed_oracle(listed));
  out.push_back(optimum_oracle());
  return out;
}

}  // namespace gauntlet
