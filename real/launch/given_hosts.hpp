// The hosts of a drill whose agents somebody else started: which of them is which host of the drill, and what a host file says to
// do when a host leaves the drill or comes back.
//
// An evicted host is handed to the evict command. Its replacement is the next host of the file that the drill does not use, or else
// what the acquire command prints. Without a replacement the host itself comes back after its repair, and the readmit command is
// told. Commands run on a thread of their own, in order: the driver waits for none of them. What is to be done and where hosts are is
// in a file of the drill's directory. No command is begun twice, by whichever driver: what became of one whose driver died is not known.
#pragma once

#include "core/time.hpp"
#include "real/driver/platform.hpp"

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace gauntlet {

struct GivenHost {
  std::string name;     // that the certificate of its agent states
  std::string address;  // HOST:PORT, where its agent listens
  friend bool operator==(const GivenHost&, const GivenHost&) = default;
};

/// Argument vectors; an empty one: there is no such command. An argument that is `{host}` stands for the host's name, and `{reason}`
/// for why it was evicted. Exit code 0: it is done. The last line that acquire prints is "NAME HOST:PORT" of a host whose agent runs.
struct GivenCommands {
  std::vector<std::string> evict = {}, acquire = {}, readmit = {};
  Duration timeout = std::chrono::minutes(1);  // of each
};
inline constexpr std::string_view kHostArgument = "{host}", kReasonArgument = "{reason}";

struct HostFile {
  std::vector<GivenHost> hosts = {};
  GivenCommands commands = {};
};

/// The command for that host.
std::vector<std::string> filled_in(const std::vector<std::string>& arguments, const std::string& host,
                                   const std::string& reason);

class GivenHosts final : public HostSupply {
 public:
  /// Host h is the h-th of the file at first; there are as many. `say` is told what people should know, on any thread.
  GivenHosts(HostFile file, std::uint32_t hosts, std::string reason,
             std::function<void(const std::string&)> say);
  /// Hosts stay where they are: the drill may be continued.
  ~GivenHosts() override { stop_working(); }

  /// Reads where hosts are, if an earlier driver of the drill wrote it there, and begins to run commands.
  void begin(const std::string& directory);
  /// Runs what commands are left, also of an earlier driver; no further host is acquired. Evicted hosts stay evicted.
  void end(const std::string& directory);

  GivenHost host(std::uint32_t number) const;
  const HostFile& file() const { return file_; }
  const std::string& reason() const { return reason_; }

  void evicted(const AgentName& agent) override;
  bool is_back(const AgentName& agent) override;
  void readmitted(const AgentName& agent) override;
  std::vector<std::string> remarks() const override;

 private:
  /// Evicted, a host leaves until there is a replacement, or none; then it is back, and in the drill when it is readmitted.
  enum class Stage : std::uint8_t { in_drill, leaves, replaced, alone, back };
  struct Host {
    GivenHost now;
    Stage stage = Stage::in_drill;
    bool drained = false;  // by the evict command
    GivenHost next{};      // where it is replaced
  };
  enum class Deed : std::uint8_t { evict, acquire, readmit };
  struct Task {
    Deed deed = Deed::evict;
    std::uint32_t host = 0;
    std::string name;    // of the given host, as it was then
    bool begun = false;  // of an earlier driver, where it is read from the file
  };

  void stop_working();
  void work();
  void run(const Task& task);
  void evict(const Task& task);
  void acquire(const Task& task);
  void readmit(const Task& task);
  void give_up(const Task& task);
  GivenHost next_of_file();
  GivenHost acquired_host(const Task& task, std::string& why);
  void remark(const Task& task, const std::string& what);
  void restore(const std::string& directory);
  void save() const;

  const HostFile file_;
  const std::string reason_;
  const std::function<void(const std::string&)> say_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::string directory_;
  std::vector<Host> hosts_;
  std::set<std::string> used_;  // names of hosts that are in the drill, or were
  bool restored_ = false;
  std::deque<Task> tasks_;  // in their order; one that is being done is begun
  std::vector<std::string> remarks_;
  bool over_ = false;
  std::thread worker_;
};

}  // namespace gauntlet
