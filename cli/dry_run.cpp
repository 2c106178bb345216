#include "cli/dry_run.hpp"

#include "core/component.hpp"
#include "core/layout.hpp"
#include "core/quantity.hpp"
#include "real/injectors/injector.hpp"
#include "real/system/shown.hpp"
#include "report/table.hpp"
#include "report/words.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <string_view>

namespace gauntlet {
namespace {

/// "0", "0 to 7", or "none" for a spare host.
std::string ranks_text(const Inventory& inventory, std::uint32_t host) {
  if (host >= inventory.job_hosts) return "none";
  const std::uint32_t first = rank_of_seat({host, 0}, inventory.gpus_per_host);
  const std::uint32_t last = first + inventory.gpus_per_host - 1;
  return first == last ? fmt::format("{}", first) : fmt::format("{} to {}", first, last);
}

/// What follows where a restart cures nothing.
std::string repair_text(const FaultKind& kind, const PlannedFault& fault) {
  if (kind.remedy != Remedy::repair) return "";
  return fmt::format(", at each start until its host is repaired, which takes {}", to_text(fault.repair));
}

std::string hosts_table(const Inventory& inventory) {
  TextTable table{.header = {"host", "role", "ranks"}, .rows = {}};
  for (std::uint32_t host = 0; host < inventory.hosts(); ++host)
    table.rows.push_back(
        {fmt::format("{}", host), host < inventory.job_hosts ? "job" : "spare", ranks_text(inventory, host)});
  return to_text(table);
}

std::string faults_table(const World& world, const FaultPlan& plan) {
  TextTable table{.header = {"at", "fault", "component", "injection"}, .rows = {}};
  for (const PlannedFault& fault : plan) {
    const FaultKind& kind = world.faults[fault.kind.value];
    if (is_stop_request(kind.effect)) {
      const std::string who =
          kind.effect == Effect::preempt ? "the job is preempted for " : "the job is stopped for ";
      table.rows.push_back({to_text(fault.at.time_since_epoch()), kind.name, name_of(fault.component),
                            who + to_text(fault.lasts)});
      continue;
    }
    table.rows.push_back({to_text(fault.at.time_since_epoch()), kind.name, name_of(fault.component),
                          injection_text(world, fault) + repair_text(kind, fault)});
  }
  return to_text(table);
}

std::string command_text(const JobCommand& command) {
  if (!command.given()) return "Each rank is a process of the trainer that comes with Gauntlet.";
  return fmt::format("{} a process, without a shell: {}",
                     command.per == ProcessPer::rank ? "Each rank is" : "Each host of the job has",
                     shown_command(command.arguments));
}

}  // namespace

std::vector<std::string> left_out_texts(const World& world, const FaultPlan& left_out) {
  std::vector<std::string> texts;
  for (const PlannedFault& fault : left_out)
    texts.push_back(fmt::format(
        "{} on {} at {} is not injected: {} {} already then, and drill.at_once allows no more",
        world.faults[fault.kind.value].name, name_of(fault.component), to_text(fault.at.time_since_epoch()),
        world.drill.at_once, world.drill.at_once == 1 ? "fault acts" : "faults act"));
  return texts;
}

std::string dry_run_text(const World& world, const BoundedPlan& bounded, const std::string& directory,
                         const Launcher& launcher) {
  const bool starts = launcher.starts_agents();
  std::string text = "Dry run: nothing is started and nothing injected.\n\n";
  text += starts ? "Agents to start\n" : "Agents that run already\n";
  text += hosts_table(world.inventory);
  const std::string where =
      starts ? "Their sockets, logs and checkpoints lie in a new directory of "
             : "Their logs lie in directories of their own, and the checkpoints in a new directory of ";
  text += wrapped(where + directory + ".");
  text += wrapped(command_text(world.drill.command));
  for (const LaunchTable& each : launcher.plan())
    text += "\n" + each.title + "\n" + to_text({.header = each.header, .rows = each.rows});
  if (bounded.kept.empty()) return text + "\nNo faults are injected.\n";
  text += "\nFaults to inject, as far as the job lasts\n" + faults_table(world, bounded.kept);
  for (const std::string& each : left_out_texts(world, bounded.left_out)) text += wrapped(each);
  return text + wrapped(
                    "Each strikes its component's host, or the rank that is on the component at that time. "
                    "What does not end with the rank is undone after its time, and at the latest drill.lease "
                    "after the driver is gone.");
}

}  // namespace gauntlet
