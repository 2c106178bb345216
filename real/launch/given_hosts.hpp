// The hosts of a drill whose agents somebody else started: which of them is which host of the drill, and what a host file says to
// do when a host leaves the drill or comes back.
//
// An evicted host is handed to the evict command. Its replacement is the next host of the file that the drill does not use, or else
// what the acquire command prints. Without a replacement the host itself comes back after its repair, and the readmit command is
// told. Commands are tasks (host_tasks.hpp), and none is begun twice, by whichever driver: what became of one whose driver died, or was
// told to stop, is not known.
#pragma once

#include "core/time.hpp"
#include "real/driver/platform.hpp"
#include "real/launch/host_tasks.hpp"

#include <atomic>
#include <cstdint>
#include <set>
#include <string>
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

class GivenHosts final : public HostSupply, private HostTaskOwner {
 public:
  /// Host h is the h-th of the file at first; there are as many. Once `stop` is set, the driver is to stop.
  GivenHosts(HostFile file, std::uint32_t hosts, std::string reason, const std::atomic<bool>* stop = nullptr,
             Files& files = system_files());

  /// Reads where hosts are, if an earlier driver of the drill wrote it there, and begins to run commands. Throws std::runtime_error.
  void begin(const std::string& directory) { tasks_.begin(directory); }
  /// Runs what commands are left, also of an earlier driver; no further host is acquired. Evicted hosts stay evicted.
  void end(const std::string& directory) { tasks_.end(directory); }

  GivenHost host(std::uint32_t number) const;
  const HostFile& file() const { return file_; }
  const std::string& reason() const { return reason_; }

  void evicted(const AgentName& agent) override;
  bool is_back(const AgentName& agent) override;
  void readmitted(const AgentName& agent) override;
  void leave() override { tasks_.leave(); }
  std::vector<std::string> remarks() const override { return tasks_.remarks(); }
  std::vector<std::string> take_new_remarks() override { return tasks_.take_new_remarks(); }

 private:
  /// Evicted, a host leaves until there is a replacement, or none; then it is back, and in the drill when it is readmitted.
  enum class Stage : std::uint8_t { in_drill, leaves, replaced, alone, back };
  struct Host {
    GivenHost now;
    Stage stage = Stage::in_drill;
    bool drained = false;  // by the evict command
    GivenHost next{};      // where it is replaced
  };
  enum Deed : unsigned { evict_host, acquire_host, readmit_host };

  bool run(const HostTask& task) override;
  bool only_during_drill(const HostTask& task) const override { return task.deed == acquire_host; }
  std::string name_of(const HostTask& task) const override;
  void write(std::ostream& out) const override;
  void read(const std::string& first, std::istream& line) override;

  bool evict(const HostTask& task);
  bool acquire(const HostTask& task);
  bool readmit(const HostTask& task);
  bool is_unknown(const HostTask& task);
  CommandResult command(const std::vector<std::string>& arguments, const HostTask& task) const;
  GivenHost next_of_file();
  GivenHost printed_host(const std::string& output, std::string& why);
  void settle(const HostTask& task, const GivenHost& replacement, const std::string& why);

  const HostFile file_;
  const std::string reason_;
  std::vector<Host> hosts_;
  std::set<std::string> used_;  // names of hosts that are in the drill, or were
  HostTasks tasks_;             // the last member: its thread uses the others
};

}  // namespace gauntlet
