// What is to be done outside a drill for its hosts, such as commands of a scheduler: tasks on a thread of their own, in order. The driver
// waits for none of them.
//
// The state of the hosts and the tasks are one file of the drill's directory. A task is begun once the file says so, and it leaves the
// file once it has ended, together with what it changed. A driver that takes over finds what is left, and which tasks were begun. While
// the file cannot be written, nothing is begun. A driver that is told to stop ends the task that runs, and begins no other.
#pragma once

#include "core/files/files.hpp"
#include "core/time.hpp"
#include "real/system/command_run.hpp"

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <list>
#include <mutex>
#include <ostream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace gauntlet {

struct HostTask {
  unsigned deed = 0;  // what is done: a number of its owner
  std::uint32_t host = 0;
  std::string name{};  // what it is done to: a word
  bool begun = false;  // before, and nobody saw it end
};

/// Owns the hosts: it knows their state, and what each task does.
class HostTaskOwner {
 public:
  HostTaskOwner() = default;
  virtual ~HostTaskOwner() = default;
  HostTaskOwner(const HostTaskOwner&) = delete;
  HostTaskOwner& operator=(const HostTaskOwner&) = delete;

  /// Without the mutex, on the thread of tasks. False where it was ended early because the driver is to stop.
  virtual bool run(const HostTask& task) = 0;
  /// Without the mutex, between tasks and each second without one.
  virtual void look() {}
  /// Under the mutex, at the end of the drill: what is to be done then.
  virtual void add_last_tasks() {}
  /// Whether nobody needs it at the end of the drill.
  virtual bool only_during_drill(const HostTask& task) const = 0;
  /// A noun for people, such as "the evict command for n1".
  virtual std::string name_of(const HostTask& task) const = 0;

  /// Under the mutex: the state of the hosts as lines, whose first words are neither "task" nor "remark".
  virtual void write(std::ostream& out) const = 0;
  /// Such a line, after its first word.
  virtual void read(const std::string& first, std::istream& line) = 0;
};

class HostTasks {
 public:
  /// `file`: its name in the drill's directory. Once `stop` is set, the driver is to stop; null: it never is.
  HostTasks(HostTaskOwner& owner, std::string file, const std::atomic<bool>* stop,
            Files& files = system_files());
  HostTasks(const HostTasks&) = delete;
  HostTasks& operator=(const HostTasks&) = delete;
  ~HostTasks() { join(); }

  /// Reads what an earlier driver of the drill wrote, and begins to run tasks. Throws std::runtime_error where that cannot be read.
  void begin(const std::string& directory);
  /// This driver leaves, and another one may continue the drill: waits for the task that runs, and names those that are left.
  void leave();
  /// The drill is over: runs what is left, also of an earlier driver, and names what was not run.
  void end(const std::string& directory);

  /// Guards the state of the hosts.
  std::mutex& mutex() const { return mutex_; }
  /// Under the mutex; save() follows.
  void add(HostTask task) { tasks_.push_back(std::move(task)); }
  bool holds(unsigned deed, const std::string& name) const;
  /// Under the mutex, after a change. False where the file may be the older one: this is tried again each second.
  bool save();
  /// Under the mutex: whether the next driver will find the state as it is.
  bool saved() const { return saved_; }

  /// For tasks: runs the command until the driver is to stop.
  CommandResult command(const std::vector<std::string>& arguments, Duration timeout) const;
  bool stopped() const { return stop_ != nullptr && *stop_; }
  /// Whether the drill is over.
  bool ending() const { return ending_; }

  /// A sentence for people, with or without the mutex.
  void remark(const HostTask& task, const std::string& what);
  void remark(const std::string& line);
  /// Also those of earlier drivers.
  std::vector<std::string> remarks() const;
  /// Those that were not taken before.
  std::vector<std::string> take_new_remarks();

 private:
  void join();
  void work();
  std::string restore(const std::string& directory);
  /// Whether it has ended.
  bool run_one(std::unique_lock<std::mutex>& lock, std::list<HostTask>::iterator task);
  void name_left(const HostTask& task, const std::string& what_then);

  HostTaskOwner& owner_;
  const std::string file_;
  const std::atomic<bool>* const stop_;
  Files& files_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::string path_;           // empty until it was read
  std::list<HostTask> tasks_;  // in their order
  bool saved_ = true;          // the file holds the state
  std::string not_saved_;      // why
  bool over_ = false;
  std::atomic<bool> ending_ = false;
  std::thread worker_;

  mutable std::mutex remarks_mutex_;
  std::vector<std::string> remarks_;
  std::size_t taken_ = 0;
};

}  // namespace gauntlet
