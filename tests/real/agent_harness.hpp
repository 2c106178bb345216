// Agents as processes, drivers that wait for what they are told, and a trainer that does as the test says.
#pragma once

#include "core/time.hpp"
#include "real/stream/grpc_link.hpp"

#include <gtest/gtest.h>
#include <sys/types.h>

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace gauntlet {

/// Longer than anything takes on a machine that is busy with other tests; never waited for when all is well.
inline constexpr auto kPatience = std::chrono::seconds(30);

/// A directory of one test's own, mode 0700, removed at the end.
class OwnDirectory {
 public:
  OwnDirectory();
  ~OwnDirectory();
  OwnDirectory(const OwnDirectory&) = delete;
  OwnDirectory& operator=(const OwnDirectory&) = delete;
  const std::string& name() const { return name_; }
  std::string file(const std::string& base) const { return name_ + "/" + base; }

 private:
  std::string name_;
};

/// A rank that tells its agent `<ns> log pid <its process>` and then what say() tells it, prints what is no such line, and ends as leave()
/// says.
class PuppetTrainer {
 public:
  PuppetTrainer(const OwnDirectory& directory, std::uint32_t ranks);
  const std::string& program() const { return program_; }
  void say(std::uint32_t rank, const std::string& line) const;
  void leave(std::uint32_t rank, int code) const { say(rank, "leave " + std::to_string(code)); }

 private:
  std::string directory_, program_;
};

/// A process, by a handle that stays right when its number is used again.
class Handle {
 public:
  explicit Handle(pid_t pid);
  ~Handle();
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  bool exits_within(Duration patience) const;
  bool alive() const { return !exits_within(Duration::zero()); }

 private:
  int descriptor_;
};

/// In the environment of what is started while it lives.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) { ::setenv(name, value, 1); }
  ~Variable() { ::unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
};

/// `$GAUNTLET agent`, killed at the end.
class AgentUnderTest {
 public:
  AgentUnderTest(const OwnDirectory& directory, const std::string& trainer,
                 const std::vector<std::string>& more = {});
  ~AgentUnderTest();
  AgentUnderTest(const AgentUnderTest&) = delete;
  AgentUnderTest& operator=(const AgentUnderTest&) = delete;

  void signal(int number) const;
  /// As a disk that is full where a file has so many bytes.
  void limit_files(std::uint64_t bytes) const;
  /// Waits for it: its exit code, or 128 + signal.
  int exit_code();
  /// What it said on standard error so far.
  std::string said() const;
  /// Until it has said so.
  void await_said(const std::string& text) const;
  std::string socket() const;
  /// Says where it listens, where that is not the socket.
  std::string address_file() const;
  /// The most that it ever had in memory.
  long most_memory_kib() const;

 private:
  std::string directory_, log_;
  pid_t pid_ = -1;
};

/// A program in place of an agent: it begins, and never answers.
class BlockedAgent {
 public:
  explicit BlockedAgent(const std::filesystem::path& directory);
  const std::string& program() const { return program_; }
  /// Until it runs.
  void await_begun() const;
  /// Whether each that has begun has ended.
  bool is_gone() const;

 private:
  std::string program_, begun_;
};

/// A driver: a GrpcLink and everything that it was told.
class DriverUnderTest {
 public:
  DriverUnderTest(const std::string& socket, std::uint64_t epoch, AgentGreeting greeting = {})
      : DriverUnderTest(AgentEndpoint{.path = socket}, epoch, std::move(greeting)) {}
  DriverUnderTest(AgentEndpoint agent, std::uint64_t epoch, AgentGreeting greeting = {});
  ~DriverUnderTest() { link.close(); }

  /// Attends, with a lease that outlives the test, or throws.
  void attend(Duration lease = std::chrono::minutes(10));
  /// The next message of this kind that was not taken yet and satisfies `wanted`, waited for.
  template <class Message>
  Message await(const std::function<bool(const Message&)>& wanted = [](const Message&) { return true; }) {
    std::unique_lock lock(mutex_);
    std::optional<Message> found;
    const bool came = changed_.wait_for(lock, kPatience, [&] { return (found = take(wanted)).has_value(); });
    if (!came) throw std::runtime_error("what was awaited did not come");
    return *found;
  }
  /// How many messages of this kind came that were not taken.
  template <class Message>
  std::size_t left() {
    const std::lock_guard lock(mutex_);
    return static_cast<std::size_t>(
        std::count_if(messages_.begin(), messages_.end(),
                      [](const AgentMessage& each) { return std::holds_alternative<Message>(each); }));
  }
  AgentDone await_done(std::uint64_t order) {
    return await<AgentDone>([&](const AgentDone& done) { return done.order == order; });
  }
  ProbeSample await_probed(std::uint64_t order) {
    return await<AgentProbed>([&](const AgentProbed& probed) { return probed.order == order; }).sample;
  }
  AgentMessage await_done_or_probed();
  Seen await_seen() { return std::get<Seen>(await<AgentSeen>().observed.what); }
  /// Of a PuppetTrainer's rank.
  pid_t await_pid(std::uint32_t rank);
  std::string await_loss();

  GrpcLink link;

 private:
  template <class Message>
  std::optional<Message> take(const std::function<bool(const Message&)>& wanted) {
    for (auto each = messages_.begin(); each != messages_.end(); ++each) {
      const auto* message = std::get_if<Message>(&*each);
      if (message == nullptr || !wanted(*message)) continue;
      const Message found = *message;
      messages_.erase(each);
      return found;
    }
    return std::nullopt;
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<AgentMessage> messages_;
  std::vector<std::string> losses_;
};

}  // namespace gauntlet
