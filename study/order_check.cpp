#include "study/order_check.hpp"

#include "core/record/codec.hpp"
#include "policies/controller/controller.hpp"
#include "policies/custom/custom_policy.hpp"

#include <fmt/format.h>

#include <utility>

namespace gauntlet {
namespace {

/// The record up to an observation, with the orders before it.
Record up_to(const Record& record, std::size_t observations) {
  Record out;
  out.observations.assign(record.observations.begin(),
                          record.observations.begin() + static_cast<std::ptrdiff_t>(observations));
  for (const RecordedOrder& order : record.orders)
    if (order.observations < observations) out.orders.push_back(order);
  return out;
}

PolicyBreach of_difference(const PolicyConstants& policies, const ReplayCluster::Difference& difference) {
  const CustomPolicies& custom = *policies.custom;
  PolicyBreach breach;
  const auto add = [&](PolicyKind kind, const std::string& name) {
    if (breach.policy.empty()) breach.kind = kind;
    breach.policy += breach.policy.empty() ? name : " or " + std::string(name_of(kind)) + " " + name;
  };
  for (const std::string& name : policies.names.detect)
    if (custom.detector(name) != nullptr) add(PolicyKind::detector, name);
  if (custom.checkpoint(policies.names.checkpoint) != nullptr)
    add(PolicyKind::checkpoint, policies.names.checkpoint);
  if (custom.recovery(policies.names.recover) != nullptr) add(PolicyKind::recovery, policies.names.recover);
  const auto text = [](const std::optional<Order>& order) { return order ? to_text(*order) : "no order"; };
  breach.rule = "a policy must give the same orders for the same observations in each replica";
  breach.found = fmt::format(
      "the first time: {}; now: {}; it keeps state outside of its object (in a class or a global variable), "
      "reads a clock or draws random numbers",
      text(difference.recorded), text(difference.now));
  return breach;
}

}  // namespace

Replayed replay(const Record& record, const PolicyConstants& policies, ReplicaName replica) {
  ReplayCluster cluster(record);
  try {
    Controller controller(policies);
    run(cluster, controller, kNever);
  } catch (const PolicyBreach& breach) {
    throw PolicyError(breach, replica, up_to(record, cluster.observations_replayed()));
  }
  cluster.finish();
  return {.observations = cluster.observations_replayed(),
          .orders = cluster.orders_compared(),
          .difference = cluster.difference(),
          .ran_past_the_end = cluster.ran_past_the_end()};
}

void check_again(const Record& record, const PolicyConstants& policies, ReplicaName replica) {
  const Replayed replayed = replay(record, policies, replica);
  if (!replayed.difference) return;
  throw PolicyError(of_difference(policies, *replayed.difference), replica,
                    up_to(record, replayed.observations));
}

OrderCheck::OrderCheck(std::shared_ptr<const Point> point, const ReplicaOptions& options)
    : point_(std::move(point)), replica_{.seed = options.seed, .replica = options.replica} {
  Simulation simulation(point_->scenario.world, point_->scenario.policies);
  Figures figures;
  try {
    if (simulation.run(options, figures)) record_ = simulation.record();
  } catch (PolicyError& error) {
    error.scenario = point_->text;
    throw;
  }
}

void OrderCheck::repeat() const {
  try {
    check_again(record_, point_->scenario.policies, replica_);
  } catch (PolicyError& error) {
    error.scenario = point_->text;
    throw;
  } catch (const PolicyInterrupted&) {  // the study stops, and its policies say so
  }
}

}  // namespace gauntlet
