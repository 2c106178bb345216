// A rank's neighbours: the stages before and after it in its replica, the replicas before and after it in the ring of its part of a stage,
// and the ranks before and after it in the ring that shares its stage. One TCP connection for each neighbouring pair; no rank talks to any other.
// The rings use the first data interface of each host and the pipeline the second, so that a lost link stops a part of what a job does.
#pragma once

#include "core/layout.hpp"
#include "core/time.hpp"
#include "real/trainer/door.hpp"
#include "real/trainer/link.hpp"
#include "real/trainer/model/fixed_point.hpp"
#include "real/trainer/options.hpp"
#include "real/trainer/output.hpp"
#include "real/trainer/rendezvous.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace gauntlet {

class Peers {
 public:
  /// Meets all ranks and connects to its neighbours, within the collective timeout. Throws Failure (an address cannot be used, or another rank is
  /// of another job) or CollectiveTimedOut.
  /// `listen` is told this rank's own address, and says where the checkpointer of its host listens there.
  using Listen = std::function<TcpAddress(const TcpAddress& own)>;
  Peers(const TrainerOptions& options, RankOutput& output, const Listen& listen = {});
  Peers(const Peers&) = delete;
  Peers& operator=(const Peers&) = delete;

  const Coordinates& place() const { return place_; }
  /// Of all ranks, by rank; none in a job of one rank.
  const std::vector<RankPlace>& places() const { return places_; }
  bool first_stage() const { return place_.pp == 0; }
  bool last_stage() const { return place_.pp + 1 == layout_.pp; }

  /// For messages: the step that is being done, 0 before the first.
  void at_step(std::int64_t step) { step_ = step; }

  // Each waits at most the collective timeout, from its beginning, and then throws CollectiveTimedOut. Nothing is sent or received where a
  // span is empty: a stage sends and receives at once, so that no two wait for each other with full buffers.
  void exchange_with_next_stage(std::span<const double> sent, std::span<double> received);
  void exchange_with_previous_stage(std::span<const double> sent, std::span<double> received);

  /// The sum over the replicas of this part of a stage, in place. A ring, first reduce-scatter and then all-gather.
  void sum_over_replicas(std::span<Fixed> values) { sum_over(replicas_, values); }
  /// The sum over the ranks that share this stage, likewise.
  void sum_over_parts(std::span<Fixed> values) { sum_over(parts_, values); }

  /// The sum over all ranks of what each says, at every rank.
  std::int64_t sum_over_all(std::int64_t number);
  /// The bytes of the first replica, at every replica of this part of a stage.
  void broadcast_over_replicas(std::span<std::byte> bytes);

  /// What the job's rank 0 says, at every rank. Over the rings of its replica and down the stages.
  std::int64_t told_by_rank_0(std::int64_t number);

 private:
  enum class Interface : std::uint8_t { rings, pipeline };
  struct Neighbour {
    std::uint32_t rank = 0;
    Interface interface = Interface::rings;
    PeerLink link{};
  };
  /// The ranks of one dimension, in a ring.
  struct Ring {
    const char* group;  // its name in marks
    std::uint32_t size, own;
    Neighbour previous{}, next{};
  };
  struct Knock;

  void connect_all(std::int64_t until_ns, const Listen& listen);
  void knock_at(Neighbour& next, std::int64_t until_ns) const;
  void open_to_one(Door& door, std::int64_t until_ns);
  std::vector<Neighbour*> earlier();
  std::vector<Neighbour*> later();
  void await_answer(Neighbour& next, std::int64_t until_ns) const;
  Knock knock(const char* what, std::uint32_t from, std::uint32_t to) const;
  Patience patience(std::int64_t until_ns, OnClose on_close = OnClose::wait) const;
  void move(const Neighbour* to, std::span<const std::byte> sent, const Neighbour* from,
            std::span<std::byte> received, const char* what) const;
  void sum_over(Ring& ring, std::span<Fixed> values);
  [[noreturn]] void time_out(const std::string& what) const;

  TrainerOptions options_;
  Layout layout_;
  Coordinates place_;
  RankOutput& output_;
  std::int64_t step_ = 0;
  std::vector<RankPlace> places_;  // of all ranks
  Neighbour previous_stage_{.interface = Interface::pipeline}, next_stage_{.interface = Interface::pipeline};
  Ring replicas_, parts_;
};

}  // namespace gauntlet
