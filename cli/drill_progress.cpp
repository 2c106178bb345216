#include "cli/drill_progress.hpp"

#include <fmt/format.h>

namespace gauntlet {

std::string drill_progress_text(const DrillStatus& status) {
  if (status.agents_awaited > 0)
    return fmt::format("waiting for {} agent{} to answer", status.agents_awaited,
                       status.agents_awaited == 1 ? "" : "s");
  const char* job = status.job == DrillStatus::Job::up         ? "up"
                    : status.job == DrillStatus::Job::starting ? "starting"
                                                               : "down";
  return fmt::format(
      "step {} of {}, job {}, {} host{} in the job, {} spare, {} in repair, {} incident{}, {} open "
      "order{}, ETTR {:.1f}%",
      status.step, status.steps, job, status.hosts.in_job, status.hosts.in_job == 1 ? "" : "s",
      status.hosts.spare, status.hosts.in_repair, status.incidents, status.incidents == 1 ? "" : "s",
      status.open_orders, status.open_orders == 1 ? "" : "s", 100 * status.ettr);
}

}  // namespace gauntlet
