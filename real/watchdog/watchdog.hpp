// A process beside the agent that carries out faults of its host and undoes them: when it is asked, when their time is over, when the lease
// is over, and when the agent is gone. It lives on when the agent is killed, and the agent undoes what is left when the watchdog is killed.
// If both are killed, the next agent in this place undoes it at its start. A disk that fails keeps none of them from that. When the agent is
// gone, the watchdog also kills what its ranks have started: the kernel kills their first processes alone.
#pragma once

#include "real/agent/host_faults.hpp"
#include "real/system/descriptor.hpp"
#include "real/watchdog/all_injectors.hpp"
#include "real/watchdog/undo_journal.hpp"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace gauntlet {

class Watchdog final : public HostFaults {
 public:
  /// Starts the process, which is a fork of this one: to be called before any thread is started. `journal`: the file of what has to be
  /// undone. `injectors` and `files` must outlive this. Throws std::runtime_error.
  Watchdog(std::string journal, InjectionSite site, const HostInjectors& injectors = host_injectors(),
           Files& files = system_files());
  /// Waits until everything is undone.
  ~Watchdog() override;

  std::string inject(const DriverInject& what, const InjectionSubject& subject, Duration lease) override;
  void undo(std::uint64_t injection) override;
  void renew(Duration lease) override;
  std::vector<FaultEnd> take_ends() override;
  std::vector<std::string> take_remarks() override { return std::exchange(remarks_, {}); }
  void add_to(std::vector<pollfd>& polled) const override;
  pid_t process() const { return pid_; }

 private:
  bool send(const std::string& message) const;
  bool receive(std::string& message, int wait_milliseconds);
  void hear(const std::string& message);
  void note_lost();
  void undo_left();

  std::string journal_;
  InjectionSite site_;
  const HostInjectors& injectors_;
  Files& files_;
  Descriptor socket_;  // empty once the process was killed
  pid_t pid_ = -1;
  bool gone_ = false;                // the process was killed
  std::optional<UndoJournal> left_;  // what it has left, once that could be read
  std::set<std::uint64_t> open_;     // injected or asked to be undone, and no end of it was heard
  Descriptor retry_;                 // a timer, while something is left of a watchdog that was killed
  std::map<std::uint64_t, std::string> said_;  // why each is not undone yet
  std::string unread_;                         // why the journal is not read yet
  std::vector<std::string> remarks_;           // that nobody took yet
};

}  // namespace gauntlet
