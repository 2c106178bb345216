// Hosts that a drill evicts, and their commands, on a disk that fails or whose power is cut: the next driver finishes what is left.
#include "real/launch/given_hosts.hpp"
#include "real/launch/slurm_hosts.hpp"
#include "tests/files/lossy_run.hpp"
#include "tests/real/scratch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace gauntlet {
namespace {

using testing::Contains;
using testing::HasSubstr;

/// Commands as scripts of a directory that is first in PATH. Each notes how it was called.
class NotedCommands {
 public:
  NotedCommands() { setenv("PATH", (place_.path().string() + ":" + path_).c_str(), 1); }
  ~NotedCommands() { setenv("PATH", path_.c_str(), 1); }
  NotedCommands(const NotedCommands&) = delete;
  NotedCommands& operator=(const NotedCommands&) = delete;

  void add(const std::string& name, const std::string& body) const {
    std::ofstream(place_.path() / name)
        << "#!/bin/sh\ncd " << place_.path().string() << "\necho " << name << " \"$@\" >> calls\n"
        << body << "\n";
    std::filesystem::permissions(place_.path() / name, std::filesystem::perms::owner_all);
  }
  std::vector<std::string> calls() const {
    std::ifstream in(place_.path() / "calls");
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
  }
  /// Of the calls with these words: their number.
  int count(const std::string& words) const { return number_with(words, calls()); }
  static int number_with(const std::string& words, const std::vector<std::string>& lines) {
    int number = 0;
    for (const std::string& each : lines) number += each.find(words) == std::string::npos ? 0 : 1;
    return number;
  }
  void forget() const {
    for (const char* name : {"calls", "submitted"}) std::filesystem::remove(place_.path() / name);
  }

 private:
  const Scratch place_;
  const std::string path_ = std::getenv("PATH");
};

constexpr const char* kNotWritten = "cannot be written";

/// The driver's calls for a host that is evicted and comes back, from the one that an earlier driver may have made before it died.
struct HostLife {
  int calls = 0;  // begun
  void lead(HostSupply& hosts, const AgentName& host) {
    const auto dead = [&] { return NotedCommands::number_with(kNotWritten, hosts.remarks()) > 0; };
    if (calls <= 1) {
      calls = 1;
      hosts.evicted(host);
    }
    if (dead()) return;
    calls = std::max(calls, 2);
    for (; !hosts.is_back(host); std::this_thread::sleep_for(std::chrono::milliseconds(1)))
      if (dead()) return;
    calls = 3;
    hosts.readmitted(host);
  }
};

/// Leads a host through its life on a disk whose power is cut at each sync in turn, and again on what is left of it. Then `check` sees the
/// remarks of both drivers.
template <class MakeHosts, class Check>
void lead_two_lives(const NotedCommands& commands, MakeHosts make, Check check) {
  const auto lead = [&](LossyPlace& place, HostLife& life, bool to_the_end) {
    const auto hosts = make(place.files);
    hosts->begin(place.path());
    life.lead(*hosts, {place.path(), 1});
    to_the_end ? hosts->end(place.path()) : hosts->leave();
  };
  LossyPlace undisturbed;
  HostLife whole;
  lead(undisturbed, whole, true);
  for (std::uint64_t at = 1; at <= undisturbed.disk.calls(); ++at) {
    if (!undisturbed.disk.is_sync(at)) continue;
    for (const std::uint64_t seed : {0U, 1U}) {  // what may be lost is, or is not
      SCOPED_TRACE("power cut at call " + std::to_string(at) + ", seed " + std::to_string(seed));
      commands.forget();
      LossyPlace place({.kind = DiskFault::Kind::power_cut, .at = at});
      HostLife life;
      lead(place, life, false);
      const Memory left;
      place.disk.disk.cut_power(seed, left.path());
      const auto second = make(system_files());
      second->begin(left.path());
      life.lead(*second, {left.path(), 1});
      second->end(left.path());
      check(second->remarks());
      if (testing::Test::HasFailure()) return;
    }
  }
}

HostFile host_file() {
  return {
      .hosts = {{"n0", "10.0.0.10:7400"}, {"n1", "10.0.0.11:7400"}},
      .commands = {
          .evict = {"evict", "{host}"}, .acquire = {"acquire", "{host}"}, .readmit = {"readmit", "{host}"}}};
}

struct HostsOnLossyDisks : testing::Test {
  NotedCommands commands;
};

// Of a command that was begun nobody may know what became of it, which is said.
TEST_F(HostsOnLossyDisks, EveryCommandOfAHostFileIsRunOnceOrNamedWhereverTheDriverDies) {
  commands.add("evict", "");
  commands.add("acquire", "exit 1");
  commands.add("readmit", "");
  const auto make = [](Files& files) {
    return std::make_unique<GivenHosts>(host_file(), 2, "a reason", nullptr, files);
  };
  lead_two_lives(commands, make, [&](const std::vector<std::string>& remarks) {
    for (const std::string each : {"evict", "acquire", "readmit"}) {
      const int run = commands.count(each + " n1");
      EXPECT_LE(run, 1) << each;
      if (run > 0) continue;
      EXPECT_THAT(remarks, Contains(testing::AllOf(HasSubstr("the " + each + " command"),
                                                   HasSubstr("it is not run again: look at n1"))));
    }
  });
}

/// Job 7 has nodes n1 and n2.
struct SlurmOnLossyDisks : HostsOnLossyDisks {
  SlurmOnLossyDisks() {
    setenv("SLURM_JOB_ID", "7", 1);
    setenv("SLURM_JOB_NODELIST", "n[1-2]", 1);
    commands.add(
        "scontrol",
        "case \"$*\" in\n  *hostnames*) echo n1; echo n2 ;;\n  *'show job 8'*) echo JobState=RUNNING "
        "NodeList=n3 ;;\nesac");
    commands.add("squeue", "if [ -e submitted ]; then echo 8; fi");
    commands.add("sbatch", "touch submitted; echo 8");
    commands.add("scancel", "");
    std::string why;
    slurm = Slurm::of_environment(why);
    EXPECT_TRUE(slurm) << why;
  }
  ~SlurmOnLossyDisks() override {
    unsetenv("SLURM_JOB_ID");
    unsetenv("SLURM_JOB_NODELIST");
  }
  auto driver() const {
    return
        [this](Files& files) { return std::make_unique<SlurmHosts>(*slurm, 2, "a reason", nullptr, files); };
  }
  std::optional<Slurm> slurm;
};

TEST_F(SlurmOnLossyDisks, ANodeIsDrainedAndThenResumedWhereverTheDriverDies) {
  commands.add("sbatch", "exit 1");
  lead_two_lives(commands, driver(), [&](const std::vector<std::string>&) {
    EXPECT_GE(commands.count("nodename=n2 state=drain"), 1);
    ASSERT_GE(commands.count("nodename=n2 state=resume"), 1);
    std::string last;
    for (const std::string& each : commands.calls())
      if (each.find("nodename=n2") != std::string::npos) last = each;
    EXPECT_THAT(last, HasSubstr("state=resume"));
  });
}

TEST_F(SlurmOnLossyDisks, OneReplacementIsSubmittedAndCancelledWhereverTheDriverDies) {
  lead_two_lives(commands, driver(), [&](const std::vector<std::string>&) {
    EXPECT_EQ(commands.count("sbatch"), 1);
    EXPECT_GE(commands.count("scancel 8"), 1);
    EXPECT_EQ(commands.count("state=resume"), 0) << "n2 was replaced";
  });
}

TEST_F(HostsOnLossyDisks, OnAFullDiskNoCommandIsRunAndTheRemarkSaysWhy) {
  for (const char* each : {"evict", "acquire", "readmit"}) commands.add(each, "");
  LossyPlace place({.kind = DiskFault::Kind::full_disk, .at = 1});
  GivenHosts hosts(host_file(), 2, "a reason", nullptr, place.files);
  hosts.begin(place.path());
  hosts.evicted({place.path(), 1});
  hosts.end(place.path());
  EXPECT_FALSE(hosts.is_back({place.path(), 1}));
  EXPECT_THAT(commands.calls(), testing::IsEmpty());
  EXPECT_THAT(
      hosts.remarks(),
      testing::ElementsAre(
          HasSubstr("given-hosts cannot be written (No space left on device): commands for hosts wait"),
          testing::AllOf(HasSubstr("host 1: the evict command for n1 was not run: "),
                         HasSubstr("No space left on device"))));
}

TEST_F(HostsOnLossyDisks, ACommandThatWaitedForADiskIsRunOnceThereIsSpace) {
  for (const char* each : {"evict", "acquire", "readmit"}) commands.add(each, "");
  LossyPlace read;
  GivenHosts(host_file(), 2, "a reason", nullptr, read.files).begin(read.path());
  LossyPlace place({.kind = DiskFault::Kind::error, .at = read.disk.calls() + 1, .error = ENOSPC});
  GivenHosts hosts(host_file(), 2, "a reason", nullptr, place.files);
  hosts.begin(place.path());
  hosts.evicted({place.path(), 1});
  EXPECT_THAT(hosts.remarks(), testing::ElementsAre(HasSubstr(kNotWritten)));
  while (!hosts.is_back({place.path(), 1})) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_THAT(commands.calls(), testing::ElementsAre("evict n1", "acquire n1"));
}

}  // namespace
}  // namespace gauntlet
