// A rank's neighbours: the stages before and after it in its replica, and the replicas before and after it in the ring of
// its stage. One Unix stream socket for each neighbouring pair, in the run directory; no rank talks to any other.
#pragma once

#include "core/layout.hpp"
#include "core/time.hpp"
#include "real/trainer/link.hpp"
#include "real/trainer/options.hpp"

#include <cstdint>
#include <span>
#include <string>

namespace gauntlet {

class Peers {
 public:
  /// Connects to all neighbours, within the collective timeout. Takes the rank's name in the run directory for as long as
  /// the process lives. Throws Failure (the name is taken, or the directory cannot be used) or CollectiveTimedOut.
  Peers(const TrainerOptions& options, int reader);
  ~Peers();
  Peers(const Peers&) = delete;
  Peers& operator=(const Peers&) = delete;

  std::uint32_t stage() const { return place_.pp; }
  std::uint32_t replica() const { return place_.dp; }
  bool first_stage() const { return place_.pp == 0; }
  bool last_stage() const { return place_.pp + 1 == layout_.pp; }

  /// For messages: the step that is being done, 0 before the first.
  void at_step(std::int64_t step) { step_ = step; }

  // Each waits at most the collective timeout, from its beginning, and then throws CollectiveTimedOut.
  void send_to_next_stage(std::span<const double> values) const;
  void receive_from_next_stage(std::span<double> values) const;
  void send_to_previous_stage(std::span<const double> values) const;
  void receive_from_previous_stage(std::span<double> values) const;

  /// The sum over the replicas of this stage, in place. A ring, first reduce-scatter and then all-gather: each part is
  /// summed in one order, by one replica, and handed round, so that all hold the same bits.
  void sum_over_replicas(std::span<double> values) const;

  /// What the job's rank 0 says, at every rank. Over the ring of stage 0 and down the stages.
  std::int64_t told_by_rank_0(std::int64_t number) const;

 private:
  struct Neighbour {
    std::uint32_t rank = 0;
    PeerLink link;
  };
  struct Hello;

  void connect_all(int listener, std::int64_t until_ns);
  void greet(Neighbour& next, std::int64_t until_ns) const;
  void accept_one(int listener, std::int64_t until_ns);
  void await_answer(Neighbour& next, std::int64_t until_ns) const;
  Hello hello() const;
  void check(const Hello& other) const;
  Patience patience(std::int64_t until_ns, OnClose on_close = OnClose::wait) const;
  void move(const Neighbour* to, std::span<const std::byte> sent, const Neighbour* from,
            std::span<std::byte> received, const char* what) const;
  [[noreturn]] void time_out(const std::string& what) const;

  TrainerOptions options_;
  Layout layout_;
  Coordinates place_;
  int reader_;
  std::int64_t step_ = 0;
  int directory_ = -1;  // the run directory
  int name_ = -1;       // our lock file in it
  Neighbour previous_stage_, next_stage_, previous_replica_, next_replica_;
};

}  // namespace gauntlet
