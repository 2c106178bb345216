// Open MPI behind Ranks. A module of its own, loaded by a program that mpirun or srun started: a program that is linked with
// Open MPI starts two milliseconds later, every time.
//
// Nothing here ever waits for another rank, which may be lost: sends and receives are begun and asked after.
#include "study/mpi/ranks.hpp"

#include <mpi.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <list>
#include <thread>
#include <utility>
#include <vector>

namespace gauntlet {
namespace {

constexpr int kTag = 1;
// MPI_Finalize waits for all ranks: one may have been lost a moment ago.
constexpr unsigned kFinalizeSeconds = 10;
// For what was sent before a rank leaves alone.
constexpr std::chrono::milliseconds kLastWords{500};

volatile sig_atomic_t exit_code_when_late = 0;
void end_late(int) { ::_exit(exit_code_when_late); }

// MPI reads and writes where it likes until the request is complete.
struct Transfer {
  MPI_Request request = MPI_REQUEST_NULL;
  int peer = 0;
  std::string bytes = {};

  bool complete() {
    int done = 0;
    return MPI_Test(&request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS || done != 0;
  }
};

class OpenMpiRanks final : public Ranks {
 public:
  OpenMpiRanks() {
    int provided = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
  }

  int rank() const override { return rank_; }
  int size() const override { return size_; }

  void send(int to, std::string bytes) override {
    Transfer& transfer = sending_.emplace_back();
    transfer.peer = to;
    transfer.bytes = std::move(bytes);
    MPI_Isend(transfer.bytes.data(), static_cast<int>(transfer.bytes.size()), MPI_BYTE, to, kTag,
              MPI_COMM_WORLD, &transfer.request);
    if (sending_.size() > sweep_at_) sweep();
  }

  std::optional<Received> receive() override {
    begin_to_receive();
    // The first of each rank that is complete: a long one may be overtaken by another rank's, never by its own.
    std::vector<int> incomplete;
    for (auto transfer = receiving_.begin(); transfer != receiving_.end(); ++transfer) {
      if (std::ranges::count(incomplete, transfer->peer) > 0) continue;
      if (!transfer->complete()) {
        incomplete.push_back(transfer->peer);
        continue;
      }
      Received received{.from = transfer->peer, .bytes = std::move(transfer->bytes)};
      receiving_.erase(transfer);
      return received;
    }
    return std::nullopt;
  }

  void leave(bool together, int exit_code) override {
    exit_code_when_late = exit_code;
    if (together) {
      ::signal(SIGALRM, end_late);
      ::alarm(kFinalizeSeconds);
      MPI_Finalize();
      ::alarm(0);
      return;
    }
    const auto until = std::chrono::steady_clock::now() + kLastWords;
    for (sweep(); !sending_.empty() && std::chrono::steady_clock::now() < until; sweep())
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }

 private:
  void begin_to_receive() {
    int there = 0, size = 0;
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status status;
    if (MPI_Improbe(MPI_ANY_SOURCE, kTag, MPI_COMM_WORLD, &there, &message, &status) != MPI_SUCCESS ||
        there == 0)
      return;
    MPI_Get_count(&status, MPI_BYTE, &size);
    Transfer& transfer = receiving_.emplace_back();
    transfer.peer = status.MPI_SOURCE;
    transfer.bytes.resize(static_cast<std::size_t>(size));
    MPI_Imrecv(transfer.bytes.data(), size, MPI_BYTE, &message, &transfer.request);
  }

  // What a lost rank does not take stays; so the next sweep waits until there is as much again.
  void sweep() {
    sending_.remove_if([](Transfer& transfer) { return transfer.complete(); });
    sweep_at_ = 2 * sending_.size() + 64;
  }

  int rank_ = 0, size_ = 1;
  std::list<Transfer> sending_, receiving_;
  std::size_t sweep_at_ = 64;
};

}  // namespace
}  // namespace gauntlet

extern "C" gauntlet::Ranks* gauntlet_make_ranks() { return new gauntlet::OpenMpiRanks; }
