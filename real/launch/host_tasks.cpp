#include "real/launch/host_tasks.hpp"

#include "core/files/durable.hpp"
#include "core/files/read.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <iterator>
#include <stdexcept>
#include <utility>

namespace gauntlet {
namespace {

// Lines of the file beside those of its owner: "task DEED HOST NAME BEGUN" and "remark TEXT".
const std::string kTaskLine = "task", kRemarkLine = "remark";

constexpr auto kLookEvery = std::chrono::seconds(1);  // also at a disk that was full

}  // namespace

HostTasks::HostTasks(HostTaskOwner& owner, std::string file, const std::atomic<bool>* stop, Files& files)
    : owner_(owner), file_(std::move(file)), stop_(stop), files_(files) {}

// --- the file ----------------------------------------------------------------------------------------------------------

/// Under the mutex, once: why it cannot be read.
std::string HostTasks::restore(const std::string& directory) {
  if (!path_.empty()) return "";
  const std::string path = directory + "/" + file_;
  const ReadBytes read = read_bytes(files_, path);
  if (read.error != 0 && read.error != ENOENT)
    return path + " cannot be read (" + std::strerror(read.error) +
           "), so nobody knows where the hosts of the drill are";
  path_ = path;
  std::istringstream text(read.bytes);
  const std::lock_guard remarks_lock(remarks_mutex_);
  for (std::string line; std::getline(text, line);) {
    std::istringstream in(line);
    std::string first;
    in >> first;
    if (first == kTaskLine) {
      HostTask task;
      if (in >> task.deed >> task.host >> task.name >> task.begun) tasks_.push_back(task);
    } else if (first == kRemarkLine) {
      remarks_.push_back(line.substr(std::min(line.size(), kRemarkLine.size() + 1)));
    } else {
      owner_.read(first, in);
    }
  }
  taken_ = remarks_.size();  // the earlier driver has said them
  return "";
}

bool HostTasks::save() {
  std::ostringstream text;
  owner_.write(text);
  for (const HostTask& task : tasks_)
    text << kTaskLine << ' ' << task.deed << ' ' << task.host << ' ' << task.name << ' ' << task.begun
         << '\n';
  for (const std::string& each : remarks()) text << kRemarkLine << ' ' << each << '\n';
  const auto failure =
      replace_file(files_, {.path = path_, .temporary = path_ + ".new", .mode = 0600}, text.str());
  changed_.notify_all();
  if (failure) {
    not_saved_ = path_ + " cannot be written (" + std::strerror(failure->error) + ")";
    if (std::exchange(saved_, false))
      remark(not_saved_ + ": commands for hosts wait until it can be; free space there");
  } else {
    saved_ = true;
  }
  return saved_;
}

// --- remarks -----------------------------------------------------------------------------------------------------------

void HostTasks::remark(const HostTask& task, const std::string& what) {
  remark("host " + std::to_string(task.host) + ": " + what);
}

void HostTasks::remark(const std::string& line) {
  const std::lock_guard lock(remarks_mutex_);
  remarks_.push_back(line);
  std::replace(remarks_.back().begin(), remarks_.back().end(), '\n', ' ');  // it is a line of the file
}

std::vector<std::string> HostTasks::remarks() const {
  const std::lock_guard lock(remarks_mutex_);
  return remarks_;
}

std::vector<std::string> HostTasks::take_new_remarks() {
  const std::lock_guard lock(remarks_mutex_);
  const auto from = remarks_.begin() + static_cast<std::ptrdiff_t>(std::exchange(taken_, remarks_.size()));
  return {from, remarks_.end()};
}

// --- the driver's calls ------------------------------------------------------------------------------------------------

void HostTasks::begin(const std::string& directory) {
  const std::lock_guard lock(mutex_);
  if (const std::string why = restore(directory); !why.empty()) throw std::runtime_error(why);
  if (!worker_.joinable()) worker_ = std::thread([this] { work(); });
}

void HostTasks::join() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
    changed_.notify_all();
  }
  if (worker_.joinable()) worker_.join();
}

void HostTasks::leave() {
  join();
  const std::lock_guard lock(mutex_);
  for (const HostTask& task : tasks_) name_left(task, "; it is left for the driver that continues the drill");
}

void HostTasks::end(const std::string& directory) {
  join();
  std::unique_lock lock(mutex_);
  ending_ = true;
  if (const std::string why = restore(directory); !why.empty()) return remark(why);
  owner_.add_last_tasks();
  for (std::size_t left = 0; left < tasks_.size();) {  // a task that ended is gone, and may have added one
    const auto task = std::next(tasks_.begin(), static_cast<std::ptrdiff_t>(left));
    const bool needed = task->begun || !owner_.only_during_drill(*task);
    if (needed && !stopped() && run_one(lock, task)) continue;
    if (needed) name_left(*task, "");
    ++left;
  }
}

void HostTasks::name_left(const HostTask& task, const std::string& what_then) {
  std::string why = stopped() ? ": the driver was told to stop" : "";
  if (!saved_) why = ": " + not_saved_;
  remark(task, owner_.name_of(task) + (task.begun ? " was stopped before it ended" : " was not run") + why +
                   what_then);
}

bool HostTasks::holds(unsigned deed, const std::string& name) const {
  return std::any_of(tasks_.begin(), tasks_.end(),
                     [&](const HostTask& each) { return each.deed == deed && each.name == name; });
}

// --- the worker --------------------------------------------------------------------------------------------------------

CommandResult HostTasks::command(const std::vector<std::string>& arguments, Duration timeout) const {
  if (stopped()) return {.stopped = true, .why = arguments.front() + " was not started"};
  return run_command(arguments, timeout, stop_);
}

void HostTasks::work() {
  std::unique_lock lock(mutex_);
  const auto can_begin = [this] { return saved_ && !tasks_.empty() && !stopped(); };
  while (!over_) {
    if (!saved_) save();
    if (can_begin()) run_one(lock, tasks_.begin());
    lock.unlock();
    if (!stopped()) owner_.look();
    lock.lock();
    if (!can_begin()) changed_.wait_for(lock, kLookEvery, [&] { return over_ || can_begin(); });
  }
}

bool HostTasks::run_one(std::unique_lock<std::mutex>& lock, std::list<HostTask>::iterator task) {
  const HostTask found = *task;
  task->begun = true;
  if (!save()) {
    *task = found;
    return false;
  }
  lock.unlock();
  const bool has_ended = owner_.run(found);
  lock.lock();
  if (!has_ended) return false;
  tasks_.erase(task);
  save();
  return true;
}

}  // namespace gauntlet
