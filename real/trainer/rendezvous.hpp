// How the ranks of a start find each other. Each listens at addresses of its own and tells rank 0, which everybody finds at MASTER_ADDR; rank 0
// tells all of them to everybody once all have come. Both ends prove that they know the start's secret.
#pragma once

#include "real/trainer/door.hpp"
#include "real/trainer/link.hpp"
#include "real/trainer/options.hpp"
#include "real/trainer/secret.hpp"
#include "real/trainer/tcp.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gauntlet {

/// A rank as the others find it. As bytes, so that it travels as it is.
struct RankPlace {
  std::uint32_t rank = 0;
  std::uint32_t interfaces = 1;
  std::array<TcpAddress, kMostInterfaces> listens{};
  std::uint64_t host = 0;     // its number in the job; so wide that nothing has gaps
  TcpAddress checkpointer{};  // of that host, for copies of other hosts; port 0: there is none
  Challenge challenge{};      // whoever connects to it, or is connected to by it, answers this one
};

class Rendezvous {
 public:
  /// Rank 0 listens, the others connect. Throws Failure (nobody can listen there) or CollectiveTimedOut.
  Rendezvous(const TrainerOptions& options, int reader, std::int64_t until_ns);

  /// Of this rank's data interfaces.
  const std::vector<TcpAddress>& own_addresses() const { return own_; }

  /// Every rank's place, by rank. Throws Failure (a rank is of another job, or whoever listens does not know the secret) or CollectiveTimedOut.
  std::vector<RankPlace> exchange(const RankPlace& own);

 private:
  struct Job;
  struct Joining;

  Job job() const;
  void check(const Job& other, std::uint32_t rank) const;
  void connect();
  std::vector<RankPlace> gather(const RankPlace& own);
  std::optional<std::vector<RankPlace>> join(const RankPlace& own);
  Proof proof_of(const Joining& said, const Challenge& challenge) const;
  Proof proof_of(const std::vector<RankPlace>& table, const Challenge& challenge) const;
  [[noreturn]] void time_out(const std::string& what) const;

  const TrainerOptions& options_;
  Patience patience_;
  TcpAddress at_;
  std::vector<TcpAddress> own_;
  std::optional<Door> door_;  // of rank 0
  PeerLink link_;             // to rank 0
  bool has_hung_up_ = false;
};

/// Waits a little before something is tried again. The process ends if `reader` is gone.
void pause_before_retry(int reader);

}  // namespace gauntlet
