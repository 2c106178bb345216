#include "commands/step/degrade.hpp"

#include "commands/step/degrade_part.hpp"
#include "models/network/hops.hpp"
#include "models/topology/shape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace gauntlet {
namespace {

constexpr const char* kSegments[] = {"forward", "backward", "optimizer"};

bool applies(const Degradation& part, std::string_view segment) {
  return part.segment.empty() || part.segment == segment;
}

/// What nothing else may say again.
std::vector<std::string> claims_of(const DegradedPart& part, std::uint32_t nics_per_host) {
  std::vector<std::string> claims;
  if (part.shown.kind == DegradationKind::slow) {
    for (const char* segment : kSegments)
      if (applies(part.shown, segment)) claims.push_back(part.shown.component + " " + segment);
  } else if (part.shown.kind == DegradationKind::degrade && !part.level) {
    for (std::uint32_t nic = 0; nic < nics_per_host; ++nic)
      if (part.nic == kAllNics || part.nic == nic) claims.push_back(fmt::format("nic {} {}", part.slot, nic));
  } else {
    claims.push_back(part.shown.component + " " + std::string(name_of(part.shown.kind)));
  }
  return claims;
}

void slow_down(std::vector<SlowSeat>& seats, const DegradedPart& part) {
  auto seat = std::find_if(seats.begin(), seats.end(), [&](const SlowSeat& other) {
    return other.slot == part.slot && other.gpu == part.gpu;
  });
  if (seat == seats.end()) seat = seats.insert(seats.end(), {.slot = part.slot, .gpu = part.gpu, .slow = {}});
  if (applies(part.shown, "forward")) seat->slow.forward = part.shown.value;
  if (applies(part.shown, "backward")) seat->slow.backward = part.shown.value;
  if (applies(part.shown, "optimizer")) seat->slow.optimizer = part.shown.value;
}

void apply(ClusterState& state, const DegradedPart& part) {
  const double value = part.shown.value;
  switch (part.shown.kind) {
    case DegradationKind::slow:
      slow_down(state.slow, part);
      break;
    case DegradationKind::stall:
      state.stalled.push_back({.slot = part.slot, .gpu = part.gpu, .micro_batch = 0, .seconds = value});
      break;
    case DegradationKind::degrade:
      if (part.level)
        state.network.switches.push_back({.kind = *part.level, .index = part.index, .factor = value});
      else
        state.network.nics.push_back({.slot = part.slot, .nic = part.nic, .factor = value});
      break;
    case DegradationKind::jitter:
      state.jitter = value;
      break;
  }
}

bool has_effect(const Degradation& part) {
  return part.value != 1 || part.kind == DegradationKind::stall || part.kind == DegradationKind::jitter;
}

std::uint32_t count_of(const FabricShape& shape, SwitchKind kind) {
  switch (kind) {
    case SwitchKind::tor:
      return shape.tors();
    case SwitchKind::aggregation:
      return shape.aggregations();
    case SwitchKind::spine:
      return shape.spines();
  }
  return 0;
}

bool carries_on(const World& world, const NetworkState& network) {
  const Hardware& hardware = world.hardware;
  return carries_on(world.job.layout, {.gpus = hardware.gpus_per_host, .nics = hardware.nics_per_host},
                    network.nics);
}

Components components_of(const World& world, Switches switches) {
  const Inventory& inventory = world.inventory;
  Components out{.hosts = inventory.job_hosts,
                 .spares = inventory.spares,
                 .gpus_per_host = world.hardware.gpus_per_host,
                 .nics_per_host = world.hardware.nics_per_host,
                 .switches = {}};
  if (switches == Switches::unknown) return out;
  const FabricShape shape =
      fabric_shape(inventory.hosts(), inventory.hosts_per_tor, world.hardware, world.fabric);
  out.switches = [shape](SwitchKind kind) { return count_of(shape, kind); };
  return out;
}

}  // namespace

Degraded parse_degrade(std::span<const std::string> said, const World& world, Switches switches) {
  const Components components = components_of(world, switches);
  Degraded out;
  std::vector<std::pair<std::string, std::string>> claimed;  // what, and who said it
  const auto claimed_by = [&](const std::string& claim) -> std::optional<std::string> {
    for (const auto& [what, by] : claimed)
      if (what == claim) return by;
    return std::nullopt;
  };
  for (const std::string& each : said) {
    const ReadPart read = read_part(each, components);
    if (!read.part) {
      out.problems.push_back(read.problem);
      continue;
    }
    std::optional<std::string> before;
    for (const std::string& claim : claims_of(*read.part, components.nics_per_host)) {
      if (!before) before = claimed_by(claim);
      claimed.emplace_back(claim, each);
    }
    if (before) {
      out.problems.push_back({.file = "--degrade",
                              .what = each,
                              .why = fmt::format("says again what {} says", *before),
                              .suggestion = "say each once"});
    } else if (has_effect(read.part->shown)) {
      apply(out.state, *read.part);
      out.parts.push_back(read.part->shown);
      if (read.part->shown.value == kLost && !carries_on(world, out.state.network))
        out.problems.push_back({.file = "--degrade",
                                .what = each,
                                .why = "leaves a communicator without a NIC: the job would stop",
                                .suggestion = "write a factor, =1000 for next to nothing"});
    }
  }
  std::sort(out.state.slow.begin(), out.state.slow.end());
  std::sort(out.state.stalled.begin(), out.state.stalled.end());
  std::sort(out.state.network.nics.begin(), out.state.network.nics.end());
  std::sort(out.state.network.switches.begin(), out.state.network.switches.end());
  return out;
}

}  // namespace gauntlet
