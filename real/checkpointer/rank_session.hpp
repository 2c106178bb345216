// What a checkpointer does for one rank, on a thread.
#pragma once

#include "real/checkpoint/checkpointer_messages.hpp"
#include "real/checkpoint/directory_storage.hpp"
#include "real/checkpoint/host_memory.hpp"
#include "real/checkpoint/stage_two.hpp"
#include "real/checkpoint/staged_copy.hpp"
#include "real/checkpoint/tier.hpp"
#include "real/checkpointer/copy_place.hpp"
#include "real/system/descriptor.hpp"

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace gauntlet {

class RankSession {
 public:
  /// `socket`: a connection of the rank. The place outlives this.
  RankSession(Descriptor socket, CopyPlace& place);
  /// What has been ordered is finished; only shards of other hosts are no longer waited for.
  ~RankSession();
  RankSession(const RankSession&) = delete;
  RankSession& operator=(const RankSession&) = delete;

  bool is_over() const { return over_; }

 private:
  /// What the rank's hello says, and its copies as this process maps them.
  struct Rank {
    explicit Rank(const RankHello& hello, const CheckpointListener& listener);
    StagedCopy& copy_in(const std::string& file);

    RankHello hello;
    PeerHosts peers;
    DirectoryStorage storage;
    CheckpointTier tier;
    OwnStageTwo stage_two;
    std::map<std::string, LockedMemory> memories;
    std::map<std::string, StagedCopy> copies;
  };

  void run();
  void on(const RankHello& hello);
  void on(const PeerHosts& peers);
  void on(const WriteOrder& order);
  void share(const WriteOrder& order, StagedCopy& copy) const;
  void say(const FromCheckpointer& message) const;

  Descriptor socket_;
  CopyPlace& place_;
  std::mutex mutex_;  // of the next two
  std::optional<Rank> rank_;
  bool ending_ = false;
  std::atomic<bool> over_ = false;
  std::thread thread_;  // last: it uses the rest
};

}  // namespace gauntlet
