// Injectors of a host: each effect is there, is seen, and is gone after its undo, on processes and networks of the test's own.
#include "real/injectors/injector.hpp"
#include "real/signals/link_state.hpp"
#include "real/system/descriptor.hpp"
#include "real/system/process_name.hpp"
#include "real/watchdog/all_injectors.hpp"
#include "real/watchdog/group_files.hpp"
#include "tests/real/file_faults.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/inotify.h>
#include <sys/wait.h>
#include <unistd.h>

#include <climits>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

namespace gauntlet {
namespace {

using testing::HasSubstr;

namespace fs = std::filesystem;

/// What is run in a process of its own ends with 0 where `holds` says nothing; what that says goes to standard error.
int in_own_network(std::string (*holds)()) {
  const pid_t child = ::fork();
  if (child == 0) {
    if (::unshare(CLONE_NEWNET) != 0) ::_exit(2);
    const std::string why = holds();
    if (!why.empty()) std::fprintf(stderr, "%s\n", why.c_str());
    ::_exit(why.empty() ? 0 : 1);
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 3;
}

bool has_networks() {
  return in_own_network([] { return std::string(); }) == 0;
}

/// The kernel says so up to a second later (Documentation/networking/operstates.rst).
bool both_come_up() {
  return becomes([] { return link_state("data0") == LinkState::up && link_state("data1") == LinkState::up; });
}

bool make_interfaces() {
  return std::system(
             "ip link add data0 type veth peer name there0 && ip link add data1 type veth peer name there1 "
             "&& "
             "ip link set data0 up && ip link set data1 up && ip link set there0 up && ip link set there1 "
             "up") == 0 &&
         both_come_up();
}

const InjectionSite kSite = {.group = {}, .interfaces = {"data0", "data1"}};

TEST(HostEffects, APausedProcessGoesOnAndNoOtherIsTouched) {
  const pid_t child = ::fork();
  if (child == 0)
    for (;;) ::pause();
  const HostInjector& pause = host_injectors().at(InjectionKind::pause);
  std::string why;
  const std::string target =
      pause.target({}, {.kind = InjectionKind::pause}, {.processes = {child}, .bytes_per_second = {}}, why);
  EXPECT_EQ(why, "");
  EXPECT_FALSE(pause.observed(target));
  EXPECT_EQ(pause.inject(target), "");
  EXPECT_TRUE(pause.observed(target));
  // A name of an earlier process of that number.
  ProcessName earlier = *name_process(child);
  --earlier.started;
  EXPECT_EQ(pause.undo(to_text(earlier)), "");
  EXPECT_TRUE(pause.observed(target)) << "it was another process's pause";
  EXPECT_EQ(pause.undo(target), "");
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, WCONTINUED), child);
  EXPECT_TRUE(WIFCONTINUED(status));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_EQ(pause.undo(target), "") << "it is gone, and nothing is left to undo";
}

/// A host of a lab, which may have a hundredth of a processor, and what runs there.
class HostWithLittleTime {
 public:
  HostWithLittleTime() {
    fs::create_directories(host_);
    set_group_quota(host_, {.quota_us = 1'000, .period_us = 100'000});
  }
  ~HostWithLittleTime() {
    for (const pid_t each : processes_) {
      ::kill(each, SIGKILL);
      ::waitpid(each, nullptr, 0);
    }
    fs::remove(host_);
    fs::remove(host_.parent_path());
  }
  const fs::path& group() const { return host_; }
  template <class Work>
  pid_t run(Work work) {
    const pid_t process = ::fork();
    if (process == 0) {
      work();
      ::_exit(0);
    }
    processes_.push_back(process);
    move_to_group(process, host_);
    return process;
  }

 private:
  const fs::path host_ = "/sys/fs/cgroup/cpu/gauntlet-test-" + std::to_string(::getpid()) + "/host";
  std::vector<pid_t> processes_;
};

/// Hears of processes that move to a control group.
class Arrivals {
 public:
  explicit Arrivals(const fs::path& group)
      : watch_(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK)),
        member_(::inotify_add_watch(watch_.get(), (group / "cgroup.procs").c_str(), IN_MODIFY)) {}
  bool listens() const { return member_ >= 0; }
  bool any() const {
    alignas(inotify_event) char event[sizeof(inotify_event) + NAME_MAX + 1];
    return ::read(watch_.get(), event, sizeof event) > 0;
  }

 private:
  Descriptor watch_;
  int member_;
};

[[noreturn]] void wait_for_ever() {
  for (;;) ::pause();
}

TEST(HostEffects, TheKernelKillsARankThatHasNoMemoryLeft) {
  const HostInjector& memory = host_injectors().at(InjectionKind::memory);
  const std::string unfit = ::geteuid() != 0 ? "needs root" : memory.unfit();
  if (!unfit.empty() || ::access("/sys/fs/cgroup/memory", W_OK) != 0)
    GTEST_SKIP() << "needs a control group that limits memory, of version 1, and root";
  HostWithLittleTime host;
  const pid_t rank = host.run(wait_for_ever), other = host.run(wait_for_ever);
  std::string why;
  const std::string target = memory.target({.group = host.group(), .interfaces = {}},
                                           {.injection = 3, .kind = InjectionKind::memory},
                                           {.processes = {rank, other}, .bytes_per_second = {}}, why);
  EXPECT_EQ(why, "");
  EXPECT_FALSE(memory.observed(target));
  const Arrivals at_the_lab(host.group().parent_path());
  ASSERT_TRUE(at_the_lab.listens());
  // Of the host, too, as its watchdog is.
  const pid_t watchdog = host.run([&] {
    if (!memory.inject(target).empty() || !memory.observed(target)) ::_exit(1);
  });
  siginfo_t ended{};
  EXPECT_EQ(::waitid(P_PID, static_cast<id_t>(watchdog), &ended, WEXITED | WNOWAIT), 0);
  EXPECT_TRUE(ended.si_code == CLD_EXITED && ended.si_status == 0) << "the rank has not ended";
  EXPECT_TRUE(at_the_lab.any())
      << "what takes the memory has the lab's processor time: the rank needs some of its host's to end";
  EXPECT_TRUE(memory.observed(target));
  EXPECT_EQ(memory.undo(target), "");
  EXPECT_NE(::access(target.substr(0, target.find(' ')).c_str(), F_OK), 0) << "its group is gone";
  EXPECT_EQ(memory.undo(target), "") << "a second time";
  siginfo_t killed{};
  EXPECT_EQ(::waitid(P_PID, static_cast<id_t>(rank), &killed, WEXITED | WNOWAIT), 0);
  EXPECT_TRUE(killed.si_code == CLD_KILLED && killed.si_status == SIGKILL);
  siginfo_t lives{};
  EXPECT_EQ(::waitid(P_PID, static_cast<id_t>(other), &lives, WEXITED | WNOWAIT | WNOHANG), 0);
  EXPECT_EQ(lives.si_pid, 0) << "the other one lives";
}

TEST(HostEffects, EveryInterfaceOfAHostIsSetDownAndUp) {
  if (!has_networks()) GTEST_SKIP() << "needs the right to make a network namespace (root)";
  const auto holds = [] {
    if (!make_interfaces()) return std::string("ip cannot make interfaces");
    const HostInjector& link = host_injectors().at(InjectionKind::link_down);
    std::string why;
    const std::string target =
        link.target(kSite, {.kind = InjectionKind::link_down, .target = kEveryTarget}, {}, why);
    if (link.observed(target)) return std::string("the links are down before");
    if (why = link.inject(target); !why.empty()) return why;
    if (!link.observed(target)) return std::string("the links are not down");
    if (why = link.undo(target); !why.empty()) return why;
    return std::string(both_come_up() ? "" : "the links are not up again");
  };
  EXPECT_EQ(in_own_network(holds), 0);
}

TEST(HostEffects, AnInterfaceSendsLess) {
  if (!has_networks()) GTEST_SKIP() << "needs the right to make a network namespace (root)";
  const HostInjector& rate = host_injectors().at(InjectionKind::rate);
  if (const std::string unfit = rate.unfit(); !unfit.empty()) GTEST_SKIP() << unfit;
  const auto holds = [] {
    if (!make_interfaces()) return std::string("ip cannot make interfaces");
    const HostInjector& slow = host_injectors().at(InjectionKind::rate);
    const DriverInject what{.kind = InjectionKind::rate, .target = 1, .value = 2};
    std::string why;
    slow.target(kSite, what, {}, why);
    if (why.find("nobody knows what it sends") == std::string::npos) return "a rate of nothing: " + why;
    why.clear();
    const std::string target =
        slow.target(kSite, what, {.processes = {}, .bytes_per_second = {{"data1", 1e6}}}, why);
    if (!target.starts_with("500000 |")) return "the target is " + target;
    if (why = slow.inject(target); !why.empty()) return why;
    if (!slow.observed(target)) return std::string("no rate is seen");
    if (std::system(
            "tc qdisc show dev data1 | grep -q 'rate 4Mbit' && ! tc qdisc show dev data0 | grep -q tbf") != 0)
      return std::string("the rate is another one");
    if (why = slow.undo(target); !why.empty()) return why;
    if (slow.observed(target)) return std::string("the rate stays");
    return slow.undo(target);  // a second time
  };
  EXPECT_EQ(in_own_network(holds), 0);
}

bool drops_a_quarter() {
  return std::system(
             "nft list table netdev gauntlet_loss_data0 | grep -c numgen | grep -qx 1 && nft list table "
             "netdev "
             "gauntlet_loss_data0 | grep -q 'numgen random mod 10000 < 2500 drop'") == 0;
}

TEST(HostEffects, AnInterfaceLosesPackets) {
  if (!has_networks()) GTEST_SKIP() << "needs the right to make a network namespace (root)";
  const HostInjector& loss = host_injectors().at(InjectionKind::packet_loss);
  if (const std::string unfit = loss.unfit(); !unfit.empty()) GTEST_SKIP() << unfit;
  const auto holds = [] {
    if (!make_interfaces()) return std::string("ip cannot make interfaces");
    const HostInjector& lossy = host_injectors().at(InjectionKind::packet_loss);
    std::string why;
    lossy.target(kSite, {.kind = InjectionKind::packet_loss, .target = 0, .value = 0}, {}, why);
    if (why.find("share of packets") == std::string::npos) return "no loss is a loss: " + why;
    why.clear();
    const std::string target =
        lossy.target(kSite, {.kind = InjectionKind::packet_loss, .target = 0, .value = 0.25}, {}, why);
    if (lossy.observed(target)) return std::string("packets are lost before");
    for (int twice = 0; twice < 2; ++twice)
      if (why = lossy.inject(target); !why.empty()) return why;
    if (!lossy.observed(target)) return std::string("no loss is seen");
    if (!drops_a_quarter()) return std::string("another share is lost");
    if (why = lossy.undo(target); !why.empty()) return why;
    if (lossy.observed(target)) return std::string("packets are lost on");
    return lossy.undo(target);  // a second time
  };
  EXPECT_EQ(in_own_network(holds), 0);
}

// --- which fault has which injector ------------------------------------------------------------------------------------

FaultKind crash_of(ComponentKind component) {
  FaultKind kind;
  kind.component = component;
  kind.effect = Effect::crash;
  return kind;
}

TEST(InjectorRules, AHostThatIsLostTakesItsAgentWithIt) {
  FaultKind kind = crash_of(ComponentKind::rack);
  EXPECT_EQ(injection_of(kind), InjectionKind::kill);
  kind.symptoms.heartbeat_lost = true;
  EXPECT_EQ(injection_of(kind), InjectionKind::host_lost);
  kind.component = ComponentKind::gpu;
  EXPECT_EQ(injection_of(kind), std::nullopt) << "a GPU has no heartbeat";
}

TEST(InjectorRules, WhatNobodyBringsAboutHasAReason) {
  FaultKind kind = crash_of(ComponentKind::job);
  kind.same_step = true;
  EXPECT_THAT(std::string(injector_of(kind).does), HasSubstr("at the step"));
  kind = crash_of(ComponentKind::gpu);
  kind.effect = Effect::corrupt;
  EXPECT_THAT(std::string(injector_of(kind).does), HasSubstr("checkpoints"));
  kind.effect = Effect::crash;
  kind.symptoms.log = PatternId{0};
  EXPECT_EQ(injection_of(kind), InjectionKind::kill);
  kind.symptoms.log_delay = Law::constant(3);
  EXPECT_EQ(injection_of(kind), std::nullopt);
  kind = crash_of(ComponentKind::aggregation);
  EXPECT_THAT(std::string(injector_of(kind).does), HasSubstr("no injector"));
}

TEST(InjectorRules, ASlowSegmentIsAMock) {
  FaultKind kind = crash_of(ComponentKind::host);
  kind.effect = Effect::slow;
  EXPECT_EQ(injector_of(kind).differs, "");
  kind.segment = Segment::forward;
  EXPECT_THAT(std::string(injector_of(kind).differs), HasSubstr("every segment"));
}

TEST(InjectorRules, ACauseIsMadeOfTheModelThatNamesIt) {
  FaultKind kind = crash_of(ComponentKind::host);
  for (const auto& [model, made] :
       {std::pair("disk_full", InjectionKind::disk_full),
        std::pair("mount_lost", InjectionKind::disk_failing),
        std::pair("memory_pressure", InjectionKind::memory), std::pair("nccl_error", InjectionKind::kill)}) {
    kind.model = model;
    EXPECT_EQ(injection_of(kind), made) << model;
    EXPECT_EQ(has_cause(made), made != InjectionKind::kill);
  }
}

TEST(InjectorRules, ADamagedCheckpointIsOverAtOnce) {
  World world;
  FaultKind& kind = world.faults.emplace_back(crash_of(ComponentKind::job));
  kind.effect = Effect::none;
  kind.tampers = Tampering::checkpoint;
  EXPECT_EQ(injection_of(kind), InjectionKind::damage);
  EXPECT_EQ(lasts(world, {.at = kStart, .kind = FaultKindId{0}, .component = {}}), Duration::zero());
  kind.symptoms.log = PatternId{0};
  EXPECT_EQ(injection_of(kind), InjectionKind::damage);
  kind.symptoms.loss = 3;
  EXPECT_EQ(injection_of(kind), std::nullopt) << "it would have to be two";
}

TEST(InjectorRules, WhatIsTamperedWithHasAnInjectorOfItsOwn) {
  FaultKind kind = crash_of(ComponentKind::host);
  kind.effect = Effect::none;
  const auto injected = [&](Tampering tampers) {
    kind.tampers = tampers;
    return injection_of(kind);
  };
  EXPECT_EQ(injected(Tampering::clock), InjectionKind::clock_step);
  EXPECT_EQ(injected(Tampering::late_heartbeats), InjectionKind::late_heartbeats);
  EXPECT_EQ(injected(Tampering::repeated_heartbeats), InjectionKind::repeated_heartbeats);
  EXPECT_EQ(injected(Tampering::partition), InjectionKind::partition);
  kind.symptoms.log = PatternId{0};
  EXPECT_EQ(injected(Tampering::partition), InjectionKind::partition) << "the line comes with it";
  kind.symptoms.loss = 3;
  EXPECT_EQ(injected(Tampering::partition), std::nullopt);
}

TEST(InjectorRules, OneModelLosesPacketsAndOthersSendLess) {
  FaultKind kind = crash_of(ComponentKind::nic);
  kind.effect = Effect::degrade;
  EXPECT_EQ(injection_of(kind), InjectionKind::rate);
  kind.model = "lossy_link";
  EXPECT_EQ(injection_of(kind), InjectionKind::packet_loss);
}

TEST(InjectorRules, MorePacketsAreLostForALargerFactor) {
  double before = 0;
  for (const double factor : {1.1, 1.8, 3.0, 10.0, 40.0, 320.0}) {
    EXPECT_GT(lost_share(factor), before) << factor;
    before = lost_share(factor);
  }
  EXPECT_DOUBLE_EQ(lost_share(1.8), 0.01);
  EXPECT_DOUBLE_EQ(lost_share(16), 0.05);
  EXPECT_DOUBLE_EQ(lost_share(1e6), 0.2) << "no more was measured";
}

TEST(InjectorRules, EveryKindStandsWhereItsNumberSays) {
  for (const InjectionTraits& each : kInjectionTraits) EXPECT_EQ(&traits_of(each.kind), &each) << each.name;
}

}  // namespace
}  // namespace gauntlet
