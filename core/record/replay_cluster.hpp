// The cluster that replays a record: it reads the observations of a record again, and compares the orders of new policies
// with the orders in it.
#pragma once

#include "core/cluster.hpp"
#include "core/record/record.hpp"

#include <cstddef>
#include <optional>

namespace gauntlet {

class ReplayCluster final : public Cluster {
 public:
  explicit ReplayCluster(const Record& record) : record_(record) {}

  struct Difference {
    Observed answering;             // the observation whose orders differ
    std::optional<Order> recorded;  // nothing: the policies ordered more than the record holds
    std::optional<Order> now;       // nothing: they ordered less
  };

  /// Ends at the first difference, or when the record ends.
  std::optional<Observed> next(Time until) override;
  void start(const Order& order) override;

  /// After the run; `next` was last called when every order of the last observation was known.
  const std::optional<Difference>& difference() const { return difference_; }
  /// The difference is an order beyond the end of the record: of a recording that was cut short it says nothing.
  bool ran_past_the_end() const {
    return difference_ && !difference_->recorded && observation_ == record_.observations.size();
  }
  std::size_t observations_replayed() const { return observation_; }
  std::size_t orders_compared() const { return order_; }

  /// To be called when the loop has ended: orders of the last observation that the policies no longer give.
  void finish();

 private:
  bool owes_orders() const;

  const Record& record_;
  std::size_t observation_ = 0;
  std::size_t order_ = 0;
  std::optional<Difference> difference_;
};

}  // namespace gauntlet
