#include "real/clocks/driver_times.hpp"

#include "real/rank/lines.hpp"

#include <algorithm>
#include <sstream>
#include <type_traits>
#include <variant>

namespace gauntlet {
namespace {

// The file is for a driver that takes over: it need not hold every small step of the bound. That driver adds one step.
constexpr int kStep = 8;

/// What that driver takes the bound to be.
Duration assumed(Duration written) {
  return written > Duration::zero() ? written + written / kStep + Duration(1) : Duration::zero();
}

}  // namespace

std::optional<ClockExchange> exchange_of(const AgentMessage& message) {
  if (const auto* attending = std::get_if<AgentAttending>(&message))
    return ClockExchange{.asked_ns = attending->clock.asked_ns, .read_ns = attending->clock.at_ns};
  if (const auto* reading = std::get_if<AgentClockReading>(&message))
    return ClockExchange{.asked_ns = reading->asked_ns, .read_ns = reading->at_ns};
  return std::nullopt;
}

DriverTimes::DriverTimes(const std::string& path, bool one_clock, Files& files) : file_(path, files) {
  accuracy_.one_clock = one_clock;
  for (const std::string& line : file_.found()) {
    std::istringstream in(line);
    std::int64_t error_ns = 0;
    std::uint32_t jumps = 0;
    if (!(in >> error_ns >> jumps)) continue;
    written_ = std::max(written_, Duration(error_ns));
    accuracy_.jumps = std::max(accuracy_.jumps, jumps);
  }
  accuracy_.largest_error = assumed(written_);
}

void DriverTimes::write() {
  written_ = accuracy_.largest_error;
  file_.append(std::to_string(written_.count()) + " " + std::to_string(accuracy_.jumps));
}

void DriverTimes::note_jump() {
  if (accuracy_.one_clock) return;
  ++accuracy_.jumps;
  write();
}

/// Later than the middle of the bounds where the true time may be later than that by more than `early`.
std::int64_t DriverTimes::mapped(std::int64_t agent_ns, const AgentClock& clock, std::int64_t arrived_ns,
                                 Duration early) {
  const std::optional<DriverTime> time = clock.to_driver(agent_ns);
  if (!time) return arrived_ns;  // an agent's first message completes an exchange
  accuracy_.largest_error = std::max(accuracy_.largest_error, time->error);
  const Duration later = time->error - std::min(early, time->error);
  return std::clamp<std::int64_t>(time->at_ns + later.count(), 0, arrived_ns);
}

void DriverTimes::map(AgentMessage& message, const AgentClock& clock, std::int64_t arrived_ns,
                      Duration seen_early) {
  if (accuracy_.one_clock) return;
  const auto map_ns = [&](std::int64_t& at_ns) { at_ns = mapped(at_ns, clock, arrived_ns); };
  const auto map_time = [&](Time& at, Duration early) {
    at = Time(Duration(mapped(at.time_since_epoch().count(), clock, arrived_ns, early)));
  };
  std::visit(
      [&](auto& said) {
        using Said = std::decay_t<decltype(said)>;
        if constexpr (std::is_same_v<Said, AgentSeen>) {
          map_time(said.observed.at, kForever);
          if (auto* seen = std::get_if<Seen>(&said.observed.what)) map_time(seen->sensed, seen_early);
        } else if constexpr (std::is_same_v<Said, AgentRankLine>) {
          std::optional<RankLine> line = parse_rank_line(said.line);
          if (!line) return;
          map_ns(line->at_ns);
          said.line = to_line(*line);
        } else if constexpr (std::is_same_v<Said, AgentRankExited> || std::is_same_v<Said, AgentInjected> ||
                             std::is_same_v<Said, AgentUndone>) {
          map_ns(said.at_ns);
        }
      },
      message);
  if (accuracy_.largest_error > assumed(written_)) write();
}

}  // namespace gauntlet
