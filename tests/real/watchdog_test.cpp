// Faults that are undone whoever dies: the watchdog, over an injector that makes a file and removes it.
#include "real/watchdog/watchdog.hpp"

#include "real/system/process_name.hpp"
#include "real/watchdog/undo_journal.hpp"
#include "tests/real/file_faults.hpp"
#include "tests/real/scratch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

namespace gauntlet {
namespace {

using namespace std::chrono_literals;
using testing::AnyOf;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct Watchdogs : testing::Test {
  std::string folder() const { return scratch.path().string(); }
  std::string journal() const { return folder() + "/journal"; }
  std::string fault(int number) const { return folder() + "/fault-" + std::to_string(number); }
  InjectionSite site() const { return {.group = folder(), .interfaces = {}}; }

  /// An agent that injects fault 1 under a lease, says so in a file, and waits for its end.
  pid_t agent_with_fault(Duration lease) const {
    const pid_t agent = ::fork();
    if (agent != 0) return agent;
    Watchdog watchdog(journal(), site(), file_faults());
    const std::string why = watchdog.inject(down(1), {}, lease);
    put_bytes(folder() + "/watchdog", std::to_string(watchdog.process()));
    put_bytes(folder() + "/ready", why.empty() ? "injected" : why);
    for (;;) ::pause();
  }
  std::string await_ready() const {
    EXPECT_TRUE(becomes([&] { return !bytes_of(folder() + "/ready").empty(); }));
    return bytes_of(folder() + "/ready");
  }

  Scratch scratch;
};

TEST_F(Watchdogs, AFaultIsUndoneWhenAskedAndItsEndIsTold) {
  Watchdog watchdog(journal(), site(), file_faults());
  EXPECT_EQ(watchdog.inject(down(1), {}, 1h), "");
  EXPECT_TRUE(exists(fault(1)));
  EXPECT_THAT(watchdog.take_ends(), IsEmpty());
  watchdog.undo(1);
  EXPECT_THAT(ends_of(watchdog), ElementsAre(FaultEnd{1, ""}));
  EXPECT_FALSE(exists(fault(1)));
}

TEST_F(Watchdogs, AFaultEndsAfterItsTimeAndWithTheLease) {
  Watchdog watchdog(journal(), site(), file_faults());
  EXPECT_EQ(watchdog.inject(down(1, 50ms), {}, 1h), "");
  EXPECT_TRUE(becomes([&] { return !exists(fault(1)); }));
  EXPECT_EQ(watchdog.inject(down(2), {}, 50ms), "");
  EXPECT_TRUE(becomes([&] { return !exists(fault(2)); })) << "nobody renewed the lease";
  EXPECT_EQ(watchdog.inject(down(3), {}, 1h), "");
  watchdog.renew(50ms);
  EXPECT_TRUE(becomes([&] { return !exists(fault(3)); })) << "the last lease counts";
}

TEST_F(Watchdogs, WhatCannotBeInjectedOrIsNotSeenIsSaid) {
  Watchdog watchdog(journal(), site(), file_faults());
  DriverInject other = down(1);
  other.target = 1;
  EXPECT_EQ(watchdog.inject(other, {}, 1h), "this host has one file");
  EXPECT_THAT(watchdog.inject({.injection = 2, .kind = InjectionKind::slow}, {}, 1h),
              HasSubstr("does not show its effect"));
  EXPECT_THAT(watchdog.inject({.injection = 3, .kind = InjectionKind::kill}, {}, 1h),
              HasSubstr("no injector"));
}

TEST_F(Watchdogs, TheDeathOfTheAgentUndoesItsFaults) {
  const pid_t agent = agent_with_fault(1h);
  ASSERT_EQ(await_ready(), "injected");
  EXPECT_TRUE(exists(fault(1)));
  ::kill(agent, SIGKILL);
  ::waitpid(agent, nullptr, 0);
  EXPECT_TRUE(becomes([&] { return !exists(fault(1)); }));
  EXPECT_TRUE(becomes([&] { return bytes_of(journal()).find("undone 1\n") != std::string::npos; }));
}

TEST_F(Watchdogs, AnAgentThatIsStoppedLosesItsFaultsWithTheLease) {
  const pid_t agent = agent_with_fault(300ms);
  ASSERT_EQ(await_ready(), "injected");
  ::kill(agent, SIGSTOP);
  EXPECT_TRUE(becomes([&] { return !exists(fault(1)); }));
  ::kill(agent, SIGKILL);
  ::waitpid(agent, nullptr, 0);
}

/// As file_faults(), and each end is a letter of a file beside the folder.
const HostInjectors& ordered_faults() {
  static const HostInjectors all = [] {
    HostInjectors faults = {{InjectionKind::link_down, file_faults().at(InjectionKind::link_down)}};
    faults.at(InjectionKind::link_down).undo = [](const std::string& target) {
      std::ofstream(std::filesystem::path(target).parent_path().parent_path() / "order", std::ios::app)
          << target.back();
      return file_faults().at(InjectionKind::link_down).undo(target);
    };
    return faults;
  }();
  return all;
}

// The lease of the second agent ends a second later than that of the first: whatever else the machine does, its fault ends later.
TEST_F(Watchdogs, AFaultOfAnAgentThatIsStoppedIsUndoneWithinASecondOfItsLease) {
  std::vector<pid_t> agents;
  const auto place = [&](int number) { return folder() + "/" + std::to_string(number); };
  const auto file = [&](int number) { return place(number) + "/fault-" + std::to_string(number); };
  for (const int number : {1, 2}) {
    std::filesystem::create_directory(place(number));
    agents.push_back(::fork());
    if (agents.back() != 0) {
      ASSERT_TRUE(becomes([&] { return exists(file(number)); }));
      ::kill(agents.back(), SIGSTOP);
      continue;
    }
    Watchdog watchdog(place(number) + "/journal", {.group = place(number), .interfaces = {}},
                      ordered_faults());
    static_cast<void>(watchdog.inject(down(static_cast<std::uint64_t>(number)), {}, number * 1s));
    for (;;) ::pause();
  }
  EXPECT_TRUE(becomes([&] { return !exists(file(1)) && !exists(file(2)); }));
  EXPECT_EQ(bytes_of(folder() + "/order"), "12");
  for (const pid_t agent : agents) {
    ::kill(agent, SIGKILL);
    ::waitpid(agent, nullptr, 0);
  }
}

TEST_F(Watchdogs, AProcessThatTwoFaultsPauseGoesOnAfterBoth) {
  const pid_t child = ::fork();
  if (child == 0)
    for (;;) ::pause();
  Watchdog watchdog(journal(), site());
  const InjectionSubject subject{.processes = {child}, .bytes_per_second = {}};
  const HostInjector& pause = host_injectors().at(InjectionKind::pause);
  const std::string target = to_text(*name_process(child));
  for (const std::uint64_t injection : {1U, 2U})
    EXPECT_EQ(watchdog.inject({.injection = injection, .kind = InjectionKind::pause}, subject, 1h), "");
  watchdog.undo(1);
  EXPECT_THAT(ends_of(watchdog), ElementsAre(FaultEnd{1, ""}));
  EXPECT_TRUE(pause.observed(target)) << "the second holds it";
  watchdog.undo(2);
  EXPECT_THAT(ends_of(watchdog), ElementsAre(FaultEnd{2, ""}));
  EXPECT_FALSE(pause.observed(target));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
}

TEST_F(Watchdogs, TheNextStartUndoesWhatTheDeathOfBothHasLeft) {
  const pid_t agent = agent_with_fault(1h);
  ASSERT_EQ(await_ready(), "injected");
  ::kill(agent, SIGSTOP);  // it cannot see the end of the watchdog
  ::kill(std::stoi(bytes_of(folder() + "/watchdog")), SIGKILL);
  ::kill(agent, SIGKILL);
  ::waitpid(agent, nullptr, 0);
  EXPECT_TRUE(exists(fault(1)));
  Watchdog next(journal(), site(), file_faults());
  EXPECT_TRUE(becomes([&] { return !exists(fault(1)); }));
  EXPECT_THAT(ends_of(next), ElementsAre(FaultEnd{1, ""}));
}

TEST_F(Watchdogs, TheAgentUndoesWhatAWatchdogThatWasKilledHasLeft) {
  Watchdog watchdog(journal(), site(), file_faults());
  ASSERT_EQ(watchdog.inject(down(1), {}, 1h), "");
  ::kill(watchdog.process(), SIGKILL);
  EXPECT_THAT(ends_of(watchdog), ElementsAre(FaultEnd{1, ""}));
  EXPECT_FALSE(exists(fault(1)));
  EXPECT_THAT(watchdog.take_remarks(), ElementsAre(HasSubstr("its watchdog was killed")));
  EXPECT_THAT(watchdog.take_remarks(), IsEmpty());
  EXPECT_EQ(watchdog.inject(down(2), {}, 1h), "the watchdog of this host is gone");
}

TEST_F(Watchdogs, WhatCannotBeUndoneIsToldAndTriedAgain) {
  for (const bool killed : {false, true}) {
    Watchdog watchdog(journal(), site(), file_faults());
    ASSERT_EQ(watchdog.inject(down(1), {}, 1h), "");
    ASSERT_EQ(watchdog.inject(down(2), {}, 1h), "");
    put_bytes(fault(1) + "-held", "");
    if (killed) ::kill(watchdog.process(), SIGKILL);
    watchdog.undo(1);
    watchdog.undo(2);
    // The end of the second is told twice where it was undone at the watchdog's death, before it was asked for.
    const FaultEnd held{1, "it is held"}, undone{2, ""};
    std::vector<FaultEnd> ends;
    while (std::ranges::count(ends, held) == 0 || std::ranges::count(ends, undone) == 0) {
      const std::vector<FaultEnd> more = ends_of(watchdog);
      ASSERT_FALSE(more.empty());
      ends.insert(ends.end(), more.begin(), more.end());
    }
    EXPECT_EQ(std::ranges::count(ends, held), 1);
    EXPECT_THAT(ends, Each(AnyOf(held, undone)));
    EXPECT_TRUE(exists(fault(1)));
    EXPECT_FALSE(exists(fault(2)));
    ::unlink((fault(1) + "-held").c_str());
    EXPECT_THAT(ends_of(watchdog), ElementsAre(FaultEnd{1, ""}));
    EXPECT_FALSE(exists(fault(1)));
  }
}

TEST_F(Watchdogs, WhatWasBegunBeforeABootIsGone) {
  ASSERT_EQ(UndoJournal(journal()).begin(1, {.kind = InjectionKind::link_down, .target = fault(1)}), "");
  std::string text = bytes_of(journal());
  ASSERT_EQ(UndoJournal(journal()).open().size(), 1U);
  text.replace(text.find(boot_id()), boot_id().size(), "another-boot");
  put_bytes(journal(), text);
  EXPECT_TRUE(UndoJournal(journal()).open().empty());
}

// Plain directories take the files of control groups, so that what is written to them can be seen.
TEST_F(Watchdogs, AProcessThatHasAnothersNumberIsNotTouched) {
  const auto own = name_process(::getpid());
  ASSERT_TRUE(own);
  EXPECT_TRUE(is_alive(*own));
  EXPECT_EQ(parse_process_name(to_text(*own)), own);
  ProcessName earlier = *own;
  --earlier.started;
  EXPECT_FALSE(is_alive(earlier));
  const HostInjector& quota = host_injectors().at(InjectionKind::slow);
  const auto target = [&](const std::string& group, const ProcessName& process) {
    return folder() + "/" + group + " 1000 10000 " + to_text(process);
  };
  std::filesystem::create_directory(folder() + "/agent");
  put_bytes(folder() + "/agent/cgroup.procs", std::to_string(::getpid()));
  EXPECT_EQ(quota.inject(target("recycled", earlier)), "");
  EXPECT_FALSE(exists(folder() + "/recycled/cgroup.procs"));
  EXPECT_FALSE(quota.observed(target("recycled", earlier)));
  EXPECT_THAT(quota.inject(target("living", *own)), HasSubstr("does not hold all"))
      << "a file keeps its members";
  EXPECT_EQ(bytes_of(folder() + "/living/cgroup.procs"), std::to_string(::getpid()));
  EXPECT_FALSE(quota.observed(target("living", *own)));
  put_bytes(folder() + "/agent/cgroup.procs", "");
  EXPECT_TRUE(quota.observed(target("living", *own)));
  // In no group of this host: the drill did not start it.
  put_bytes(folder() + "/living/cgroup.procs", "");
  EXPECT_EQ(quota.inject(target("living", *own)), "");
  EXPECT_EQ(bytes_of(folder() + "/living/cgroup.procs"), "");
  EXPECT_FALSE(quota.observed(target("living", *own)));
}

TEST_F(Watchdogs, ASlowRankIsSlowWithAllThatItHasStarted) {
  const pid_t child = ::fork();
  if (child == 0)
    for (;;) ::pause();
  std::filesystem::create_directory(folder() + "/agent");
  const std::string own = std::to_string(::getpid()), other = std::to_string(child);
  put_bytes(folder() + "/agent/cgroup.procs", own + "\n" + other);
  const HostInjector& quota = host_injectors().at(InjectionKind::slow);
  const std::string target = folder() + "/slow 1000 10000 " + to_text(*name_process(::getpid()));
  quota.inject(target);  // names the process that was there before it forked
  EXPECT_EQ(bytes_of(folder() + "/slow/cgroup.procs"), other) << "the last one that was moved";
  put_bytes(folder() + "/slow/cgroup.procs", own);
  put_bytes(folder() + "/agent/cgroup.procs", other);
  EXPECT_FALSE(quota.observed(target)) << "a process of the rank is as fast as before";
  put_bytes(folder() + "/agent/cgroup.procs", "");
  EXPECT_TRUE(quota.observed(target));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
}

TEST(HostInjectorsTest, OnlyWhatALabMadeIsTouched) {
  for (const auto& [kind, injector] : host_injectors()) {
    if (kind == InjectionKind::pause) continue;   // of ranks, which the agent itself has started
    if (kind == InjectionKind::damage) continue;  // of checkpoints, which the drill itself has written
    std::string why;
    injector.target({}, {.injection = 1, .kind = kind, .value = 0.1}, {.processes = {::getpid()}}, why);
    EXPECT_THAT(why, HasSubstr("lab"));
  }
  std::string why;
  host_injectors()
      .at(InjectionKind::link_down)
      .target({.group = {}, .interfaces = {"data0"}}, {.kind = InjectionKind::link_down, .target = 1}, {},
              why);
  EXPECT_EQ(why, "this host has no data interface 1");
}

}  // namespace
}  // namespace gauntlet
