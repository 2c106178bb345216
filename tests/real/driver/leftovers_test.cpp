#include "real/driver/leftovers.hpp"

#include "real/agent/place.hpp"
#include "real/driver/drill_place.hpp"
#include "real/system/file_lock.hpp"
#include "tests/real/scratch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

namespace gauntlet {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;

/// A process that does something and then waits to be killed, as a driver or an agent that lives.
class Other {
 public:
  explicit Other(const std::function<void()>& does) {
    int ends[2];
    EXPECT_EQ(::pipe(ends), 0);
    pid_ = ::fork();
    if (pid_ == 0) {
      does();
      static_cast<void>(::write(ends[1], "x", 1));
      while (true) ::pause();
    }
    char done = 0;
    EXPECT_EQ(::read(ends[0], &done, 1), 1);
    ::close(ends[0]);
    ::close(ends[1]);
  }
  ~Other() { kill(); }
  Other(const Other&) = delete;
  Other& operator=(const Other&) = delete;
  void kill() {
    if (pid_ < 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }

 private:
  pid_t pid_ = -1;
};

struct Leftovers : testing::Test {
  Leftovers() { ::setenv("TMPDIR", place.path().c_str(), 1); }
  ~Leftovers() override {
    if (before.empty()) {
      ::unsetenv("TMPDIR");
    } else {
      ::setenv("TMPDIR", before.c_str(), 1);
    }
  }
  std::vector<std::string> removed() const { return remove_leftovers(place.path().string()); }

  std::string before = std::getenv("TMPDIR") == nullptr ? "" : std::getenv("TMPDIR");
  Scratch place;
};

/// What a drill without --record makes.
struct Begun {
  std::string record_file = new_temporary_record();
  std::string record = fs::path(record_file).parent_path().string();
  std::string drill = new_drill_directory();

  /// As its driver, which lives for as long as the process.
  void drive() const {
    auto* state = new StateFile(record_file);  // ends with the process, as where it is killed
    state->write({.started_ns = 1, .epoch = 1, .plan = {}, .directory = drill});
  }
};

TEST_F(Leftovers, ADrillWhoseDriverIsKilledIsRemovedAndOneThatRunsIsNot) {
  const Begun begun;
  Other driver([&] { begun.drive(); });
  EXPECT_THAT(removed(), IsEmpty());
  driver.kill();
  EXPECT_THAT(removed(), ElementsAre(begun.record));
  EXPECT_FALSE(fs::exists(begun.record));
  EXPECT_FALSE(fs::exists(begun.drill));
}

TEST_F(Leftovers, TheAgentsOfADeadDriverKeepItsDirectoryUntilTheyEnd) {
  const Begun begun;
  Other driver([&] { begun.drive(); });
  Other agent([&] {
    auto* agent_place = new AgentPlace;
    ASSERT_FALSE(AgentPlace::take(begun.drill, 3, *agent_place));
  });
  driver.kill();
  EXPECT_THAT(removed(), IsEmpty());
  EXPECT_TRUE(fs::exists(begun.drill));
  agent.kill();
  EXPECT_THAT(removed(), ElementsAre(begun.record));
}

TEST_F(Leftovers, ADriverThatBeginsIsLeftAlone) {
  const Begun begun;
  EXPECT_THAT(removed(), IsEmpty()) << "no state yet";
  const StateFile state(begun.record_file);
  EXPECT_THAT(removed(), IsEmpty()) << "a state without bytes";
  EXPECT_TRUE(fs::exists(begun.record));
}

TEST_F(Leftovers, WhatNoDrillMadeStays) {
  const Begun begun;
  Other driver([&] { begun.drive(); });
  driver.kill();
  ASSERT_EQ(::chmod(begun.record.c_str(), 0755), 0);
  EXPECT_THAT(removed(), IsEmpty()) << "a mode that no drill gives";
  ASSERT_EQ(::chmod(begun.record.c_str(), 0700), 0);
  const std::string other = (place.path() / "record").string();
  fs::rename(begun.record, other);
  EXPECT_THAT(removed(), IsEmpty()) << "another name";
  fs::rename(other, begun.record);
  ::rename(begun.drill.c_str(), (place.path() / "drill").c_str());
  EXPECT_THAT(removed(), ElementsAre(begun.record)) << "its drill is gone already";
  EXPECT_TRUE(fs::exists(place.path() / "drill"));
}

}  // namespace
}  // namespace gauntlet
