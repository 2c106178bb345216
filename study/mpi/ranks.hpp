// The processes of one job, numbered from 0, and bytes between them: Open MPI (module/open_mpi.cpp), or queues in a test.
//
// A rank may be lost at any time. Nobody is told; it is silent from then on.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

namespace gauntlet {

// Between two looks for what has come. A look costs a microsecond; a job takes tens of milliseconds, and the next one is with
// the helper already.
inline constexpr std::chrono::microseconds kShortestRest{50}, kLongestRest{1000};

/// Used by one thread, that which made it.
class Ranks {
 public:
  struct Received {
    int from = 0;
    std::string bytes;
  };

  virtual ~Ranks() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  /// Returns at once. Bytes arrive in the order in which they were sent to a rank, unless one of the two is lost.
  virtual void send(int to, std::string bytes) = 0;
  /// What has come, if anything has.
  virtual std::optional<Received> receive() = 0;
  /// The last call. `together`: every rank makes it, and none is lost; then all that was sent arrives. Where that cannot be
  /// completed within a bounded time, the process ends with `exit_code`.
  virtual void leave(bool together, int exit_code) = 0;
};

/// Opens the module beside the program and with it MPI. Throws std::runtime_error where it cannot be loaded; what Open MPI
/// itself finds wrong, it says and ends the process.
std::unique_ptr<Ranks> open_mpi_ranks();

}  // namespace gauntlet
