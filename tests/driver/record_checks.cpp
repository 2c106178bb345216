#include "tests/driver/record_checks.hpp"

#include "core/record/codec.hpp"
#include "core/record/replay_cluster.hpp"
#include "policies/controller/controller.hpp"

#include <map>

namespace gauntlet {
namespace {

/// Orders that wait for something that need not come.
bool may_wait(const Action& what) {
  return std::holds_alternative<Wake>(what) || std::holds_alternative<Acquire>(what) ||
         std::holds_alternative<Ask>(what);
}

std::string problem_of_outcomes(const Record& record, Duration longest) {
  std::map<std::uint64_t, const RecordedOrder*> orders;
  for (const RecordedOrder& order : record.orders) {
    if (!orders.emplace(order.order.id.value, &order).second) return "two orders have one number";
  }
  std::map<std::uint64_t, std::uint32_t> outcomes;
  for (const Observed& seen : record.observations) {
    const auto* outcome = std::get_if<Outcome>(&seen.what);
    if (outcome == nullptr) continue;
    if (!orders.contains(outcome->order.value)) return "an outcome of no order: " + to_text(seen);
    if (++outcomes[outcome->order.value] > 1) return "a second outcome of one order: " + to_text(seen);
    if (outcome->took < Duration::zero()) return "an outcome before its order: " + to_text(seen);
  }
  const Time end = record.observations.back().at;
  for (const auto& [number, order] : orders) {
    if (outcomes.contains(number) || may_wait(order->order.what) || end - order->at <= longest) continue;
    return "no outcome of " + to_text(order->order);
  }
  return "";
}

std::string problem_of_observations(const Record& record) {
  const auto& seen = record.observations;
  if (!std::holds_alternative<Started>(seen.front().what)) return "the first observation is not Started";
  if (!std::holds_alternative<Finished>(seen.back().what)) return "the last observation is not Finished";
  for (std::size_t i = 1; i < seen.size(); ++i) {
    if (seen[i].at < seen[i - 1].at) return "time runs backwards: " + to_text(seen[i]);
    if (std::holds_alternative<Started>(seen[i].what)) return "the job starts twice";
    if (std::holds_alternative<Finished>(seen[i - 1].what)) return "the job goes on after its end";
  }
  return "";
}

std::string problem_of_replay(const Record& record, const PolicyConstants& policies) {
  ReplayCluster replay(record);
  Controller controller(policies);
  run(replay, controller, kNever);
  replay.finish();
  const auto& difference = replay.difference();
  if (!difference) return "";
  return "replayed, the policies answer " + to_text(difference->answering) + " with " +
         (difference->now ? to_text(*difference->now) : "nothing") + " instead of " +
         (difference->recorded ? to_text(*difference->recorded) : "nothing");
}

}  // namespace

std::string problem_of_record(const Record& record, const PolicyConstants& policies, Duration longest) {
  if (record.observations.empty()) return "the record is empty";
  for (const std::string& problem : {problem_of_observations(record), problem_of_outcomes(record, longest),
                                     problem_of_replay(record, policies)}) {
    if (!problem.empty()) return problem;
  }
  return "";
}

}  // namespace gauntlet
