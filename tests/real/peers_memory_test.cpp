// A host is lost with all that it had in memory: the job goes on from what its peer holds, or else from storage.
#include "core/layout.hpp"
#include "real/runner/host_checkpointer.hpp"
#include "tests/real/scratch.hpp"
#include "tests/real/trainer_process.hpp"

#include <gtest/gtest.h>
#include <poll.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace gauntlet {
namespace {

namespace fs = std::filesystem;
using Line = RankLine::Kind;

/// The memory of a host, and its checkpointer as an agent would serve it: during a start, and until it has finished.
class TrialHost {
 public:
  explicit TrialHost(std::string directory) : directory_(std::move(directory)) {}
  ~TrialHost() { end(); }

  const std::string& directory() const { return directory_; }
  std::string begin() {
    EXPECT_EQ(checkpointer_.open(directory_), "");
    const std::string path = checkpointer_.path();
    ending_ = false;
    thread_ = std::thread([this] {
      while (!ending_ || !checkpointer_.finish()) {
        std::vector<pollfd> polled;
        checkpointer_.add_to(polled);
        ::poll(polled.data(), polled.size(), 5);
        checkpointer_.collect();
      }
    });
    return path;
  }
  void end() {
    ending_ = true;
    if (thread_.joinable()) thread_.join();
    EXPECT_FALSE(checkpointer_.take_late());
  }

 private:
  std::string directory_;
  HostCheckpointer checkpointer_{std::getenv("GAUNTLET"), std::nullopt};
  std::atomic<bool> ending_ = false;
  std::thread thread_;
};

/// A job of one rank a host.
class PeersMemory : public ::testing::Test {
 protected:
  void add_host() { hosts_.emplace_back(scratch_.folder("host-" + std::to_string(hosts_.size()))); }

  /// A start on these hosts. `through`: kills all ranks after that step; 0: they train to the end. Returns the step after which they went on.
  std::int64_t start(const std::vector<std::size_t>& on, std::int64_t through) {
    std::vector<std::unique_ptr<TrainerProcess>> ranks;
    ++job_.number;
    for (std::uint32_t rank = 0; rank < job_.ranks(); ++rank) {
      TrialHost& host = hosts_[on[rank]];
      job_.host = rank;
      job_.staged = host.directory() + "/staged-";
      job_.checkpointer = host.begin();
      ranks.push_back(job_.start(rank));
    }
    std::set<std::int64_t> began;
    for (const auto& rank : ranks)
      if (const auto up = rank->wait_for([](const RankLine& line) { return line.kind == Line::up; }))
        began.insert(up->step);
    EXPECT_EQ(began.size(), 1u);
    if (through == 0) {
      hashes_ = final_hashes(ranks);
    } else {
      EXPECT_TRUE(ranks[0]->wait_for(Line::step, through));
      for (const auto& rank : ranks) rank->signal(SIGKILL);
      for (const auto& rank : ranks) rank->wait_for_exit();
    }
    for (const std::size_t host : on) hosts_[host].end();
    return *began.begin();
  }
  void lose(std::size_t host) {
    for (const auto& file : fs::directory_iterator(hosts_[host].directory())) fs::remove(file);
  }

  Scratch scratch_;
  TrainerJob job_{
      .directory = scratch_.folder("job"), .pp = 1, .steps = 1000, .checkpoint_every = 4, .step_time = "5ms"};
  std::deque<TrialHost> hosts_;
  std::vector<std::uint64_t> hashes_;
};

TEST_F(PeersMemory, AHostThatIsLostCostsWhatItsPeerDoesNotHold) {
  job_.checkpoint_every = 900;  // storage has nothing
  job_.peers_every = 2;
  for (int i = 0; i < 4; ++i) add_host();
  EXPECT_EQ(start({0, 1}, 12), 0);
  lose(1);
  const std::int64_t first = start({0, 2}, 60);  // a spare host
  EXPECT_GE(first, 8) << "one copy may have been on its way";
  EXPECT_EQ(first % 2, 0);
  lose(0);
  const std::int64_t second = start({3, 2}, 80);
  EXPECT_GE(second, 56) << "the spare host holds its peer's";
  lose(3);
  lose(2);
  job_.steps = 30;
  EXPECT_EQ(start({3, 2}, 0), 0) << "whoever had it is lost";
  const std::vector<std::uint64_t> undisturbed = hashes_;

  lose(2);
  EXPECT_EQ(start({0, 1}, 20), 0);
  lose(1);
  EXPECT_GE(start({0, 2}, 0), 16);
  EXPECT_EQ(hashes_, undisturbed);
}

TEST_F(PeersMemory, WithoutPeersStorageIsLoaded) {
  job_.memory_every = 1;
  add_host();
  add_host();
  add_host();
  EXPECT_EQ(start({0, 1}, 15), 0);
  lose(1);
  const std::int64_t stored = start({0, 2}, 100);
  EXPECT_GE(stored, 8);
  EXPECT_EQ(stored % 4, 0);
}

}  // namespace
}  // namespace gauntlet
