// Shares of the processors for the hosts of a lab, by control groups of version 1 or 2. Only groups of labs are touched: their
// names begin with kLabGroupPrefix.
#pragma once

#include "core/problem.hpp"
#include "real/lab/plan.hpp"

#include <optional>
#include <string>
#include <vector>

namespace gauntlet {

/// Where control groups with a quota of processor time can be made.
struct QuotaSystem {
  std::string root;      // of the hierarchy
  bool unified = false;  // version 2
};
std::optional<Problem> find_quota_system(QuotaSystem& out);

/// Makes the groups of the plan, and one for the calling process, which joins it. Throws std::runtime_error.
void make_groups(const QuotaSystem& system, const LabPlan& plan);
/// The host's group, which limits all groups below it.
std::string host_group(const QuotaSystem& system, const LabPlan& plan, std::uint32_t host);
/// A process that writes "0" there joins the agent's group below that.
std::string entrance_of_group(const QuotaSystem& system, const LabPlan& plan, std::uint32_t host);

/// The calling process leaves whatever group it is in.
void leave_groups(const QuotaSystem& system);
/// What is in them is killed, and they are removed. Those that are left after two seconds, with the processes in them: one that the kernel
/// holds does not die.
std::vector<std::string> remove_groups(const QuotaSystem& system, const std::string& group);
/// Groups of labs whose keeper and agents are gone.
void remove_dead_groups(const QuotaSystem& system);

}  // namespace gauntlet
