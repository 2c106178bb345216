// Policies against a record: whether they give the recorded orders, and whether custom ones go on doing so.
#pragma once

#include "core/record/replay_cluster.hpp"
#include "policies/constants.hpp"
#include "study/point.hpp"
#include "study/policy_error.hpp"
#include "study/replica.hpp"

#include <cstddef>
#include <memory>
#include <optional>

namespace gauntlet {

struct Replayed {
  std::size_t observations = 0;
  std::size_t orders = 0;
  std::optional<ReplayCluster::Difference> difference;
  bool ran_past_the_end = false;  // the difference is an order beyond the end of a record that was cut short
};

/// Fresh policies over a record, up to the first difference. Throws PolicyError where a custom policy breaks a rule.
Replayed replay(const Record& record, const PolicyConstants& policies, ReplicaName replica);

/// Compares a whole record of custom policies with the orders of fresh ones. Throws PolicyError at the first difference.
void check_again(const Record& record, const PolicyConstants& policies, ReplicaName replica);

/// Holds custom policies to their orders. A policy that keeps state in a class or a global variable, that reads a clock or
/// draws random numbers answers the same observations with other orders later on.
///
/// Costs one more replica, and the policies' part of another one.
class OrderCheck {
 public:
  /// Runs a replica of a point in a fresh simulation, before others. `options.stop` may be set meanwhile: then there is
  /// nothing to compare with.
  OrderCheck(std::shared_ptr<const Point> point, const ReplicaOptions& options);

  /// Compares with the orders of a fresh policy now. Throws PolicyError at the first difference.
  void repeat() const;

 private:
  std::shared_ptr<const Point> point_;
  ReplicaName replica_;
  Record record_;
};

}  // namespace gauntlet
