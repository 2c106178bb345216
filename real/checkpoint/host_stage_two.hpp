// Stage two by the checkpointer of the rank's host: a process of the agent that outlives the rank. Where there is none, or where it ends, the rank
// writes its copy itself.
#pragma once

#include "real/checkpoint/checkpointer_messages.hpp"
#include "real/checkpoint/stage_two.hpp"
#include "real/system/descriptor.hpp"

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace gauntlet {

class HostStageTwo final : public StageTwo {
 public:
  struct Settings {
    std::string socket;               // of the checkpointer
    std::vector<std::string> copies;  // the files of the rank's copies
    RankHello hello;
  };
  /// `own` writes what the checkpointer does not.
  HostStageTwo(Settings settings, std::unique_ptr<StageTwo> own, CheckpointListener listener);

  /// Connects, and says hello. Where other hosts reach the checkpointer; 0 where they do not, or it does not answer for so long.
  std::uint16_t meet(const std::string& address, Duration patience);
  /// The hosts to which its copies go too.
  void share_with(PeerHosts peers) { peers_ = std::move(peers); }

  void write(std::int64_t step, StagedCopy& copy, Tier reach) override;
  void give_up(std::int64_t step, const Problem& problem) override { listener_.failed(step, problem); }
  /// The checkpointer goes on with what it has begun.
  void end() override;

 private:
  std::string file_of(const StagedCopy& copy) const;
  bool connect();
  std::uint16_t hear_port(Duration patience) const;
  bool order(const std::string& message);
  void disconnect();
  /// False where the checkpointer was lost before it was done with that step.
  bool hear_until_done();

  Settings settings_;
  std::unique_ptr<StageTwo> own_;
  CheckpointListener listener_;
  PeerHosts peers_;
  std::mutex mutex_;  // of the next two: end() is called from another thread
  Descriptor socket_;
  bool ending_ = false;
};

}  // namespace gauntlet
