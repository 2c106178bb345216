#include "real/launch/given_hosts.hpp"

#include "tests/real/agent_harness.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>

namespace gauntlet {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

/// Two hosts of a drill. Commands are scripts that note how they were called.
struct GivenDrills : testing::Test {
  GivenDrills() {
    file.hosts = {{"n0", "10.0.0.10:7400"}, {"n1", "10.0.0.11:7400"}};
    file.commands = {.evict = {script("evict", ""), "{host}", "{reason}"},
                     .acquire = {script("acquire", "echo looking >&2; echo n9 10.0.0.19:7400"), "{host}"},
                     .readmit = {script("readmit", ""), "{host}"}};
  }
  std::string script(const std::string& name, const std::string& body) const {
    const std::string path = scratch.file(name);
    std::ofstream(path) << "#!/bin/sh\ncd " << scratch.name() << "\necho " << name << " \"$@\" >> calls\n"
                        << body << "\n";
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return path;
  }
  std::string text_of(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(scratch.file(name)).rdbuf();
    return text.str();
  }
  std::unique_ptr<GivenHosts> driver() const {
    auto hosts = std::make_unique<GivenHosts>(file, 2, "a reason");
    hosts->begin(scratch.name());
    return hosts;
  }
  void await_back(GivenHosts& hosts) const {
    while (!hosts.is_back(host_1())) std::this_thread::sleep_for(5ms);
  }
  void await(const std::string& name, const std::string& words) const {
    while (text_of(name).find(words) == std::string::npos) std::this_thread::sleep_for(5ms);
  }
  AgentName host_1() const { return {scratch.name(), 1}; }

  OwnDirectory scratch;
  HostFile file;
};

TEST_F(GivenDrills, HandAnEvictedHostOutAndContinueOnWhatIsAcquired) {
  const auto hosts = driver();
  EXPECT_TRUE(hosts->is_back(host_1())) << "it never left";
  hosts->evicted(host_1());
  await_back(*hosts);
  EXPECT_EQ(hosts->host(1), (GivenHost{"n9", "10.0.0.19:7400"}));
  EXPECT_EQ(hosts->host(0).name, "n0");
  hosts->readmitted(host_1());
  hosts->end(scratch.name());
  EXPECT_EQ(text_of("calls"), "evict n1 a reason\nacquire n1\n") << "n1 stays evicted";
  EXPECT_THAT(hosts->remarks(), ElementsAre("host 1: n1 was drained, with the reason \"a reason\"",
                                            "host 1: n1 is replaced by n9 at 10.0.0.19:7400"));
}

TEST_F(GivenDrills, TakeAFurtherHostOfTheFileBeforeTheyAcquireOne) {
  file.hosts.push_back({"n2", "10.0.0.12:7400"});
  const auto hosts = driver();
  for (const char* expected : {"n2", "n9"}) {
    hosts->evicted(host_1());
    await_back(*hosts);
    hosts->readmitted(host_1());
    EXPECT_EQ(hosts->host(1).name, expected);
  }
  hosts->end(scratch.name());
  EXPECT_EQ(text_of("calls"), "evict n1 a reason\nevict n2 a reason\nacquire n2\n");
}

TEST_F(GivenDrills, TakeAHostBackThatNothingReplaces) {
  script("acquire", "echo no host is free; exit 3");
  const auto hosts = driver();
  hosts->evicted(host_1());
  await_back(*hosts);
  EXPECT_EQ(hosts->host(1).name, "n1");
  hosts->readmitted(host_1());
  hosts->readmitted(host_1());
  hosts->end(scratch.name());
  EXPECT_EQ(text_of("calls"), "evict n1 a reason\nacquire n1\nreadmit n1\n");
  ASSERT_EQ(hosts->remarks().size(), 3U);
  EXPECT_THAT(hosts->remarks()[1], HasSubstr("no replacement was acquired, and n1 itself comes back"));
  EXPECT_THAT(hosts->remarks()[1], HasSubstr("ended with 3; it last said: no host is free"));
  EXPECT_EQ(hosts->remarks()[2], "host 1: n1 was readmitted after its repair");
}

TEST_F(GivenDrills, OnlyExcludeAHostThatCannotBeHandedOut) {
  script("evict", "echo denied; exit 1");
  script("acquire", "exit 1");
  const auto hosts = driver();
  hosts->evicted(host_1());
  await_back(*hosts);
  hosts->readmitted(host_1());
  hosts->end(scratch.name());
  EXPECT_THAT(text_of("calls"), Not(HasSubstr("readmit"))) << "what was not drained is not readmitted";
  EXPECT_THAT(hosts->remarks().front(),
              HasSubstr("n1 was not drained and is only excluded from this drill: "));
  EXPECT_THAT(hosts->remarks().front(), HasSubstr("it last said: denied"));
}

TEST_F(GivenDrills, EndACommandThatTakesTooLong) {
  file.commands.timeout = 50ms;
  script("acquire", "sleep 100");
  const auto hosts = driver();
  hosts->evicted(host_1());
  await_back(*hosts);
  EXPECT_THAT(hosts->remarks().back(), HasSubstr("did not end within 50ms"));
}

TEST_F(GivenDrills, TakeNothingElseFromAcquireThanANewHost) {
  for (const auto& [printed, why] : {std::pair("n7", "in place of a name and an address"),
                                     {"n7 10.0.0.17", "in place of a name and an address"},
                                     {"n7 10.0.0.17:1 n8", "in place of a name and an address"},
                                     {"../n7 10.0.0.17:1", "in place of a name and an address"},
                                     {"n0 10.0.0.17:1", "which the drill has already"},
                                     {"n7 10.0.0.10:7400", "which the drill has already"}}) {
    script("acquire", std::string("echo ") + printed);
    const auto hosts = driver();
    hosts->evicted(host_1());
    await_back(*hosts);
    EXPECT_THAT(hosts->remarks().back(), HasSubstr(why)) << printed;
    EXPECT_EQ(hosts->host(1).name, "n1");
    hosts->end(scratch.name());
    std::filesystem::remove(scratch.file("given-hosts"));
  }
}

TEST_F(GivenDrills, WithoutCommandsAreFinished) {
  file.commands = {};
  const auto hosts = driver();
  hosts->evicted(host_1());
  await_back(*hosts);
  hosts->readmitted(host_1());
  hosts->end(scratch.name());
  EXPECT_THAT(hosts->remarks(), ElementsAre(HasSubstr("has no evict command"),
                                            HasSubstr("no further host and no acquire command")));
}

// --- a driver that takes over ------------------------------------------------------------------------------------------

TEST_F(GivenDrills, GoOnWithTheReplacementOfAnEarlierDriver) {
  auto first = driver();
  first->evicted(host_1());
  await("given-hosts", "used n9");
  first.reset();
  const auto second = driver();
  second->evicted(host_1());  // a driver that takes over may repeat it
  await_back(*second);
  EXPECT_EQ(second->host(1).name, "n9");
  second->end(scratch.name());
  EXPECT_EQ(text_of("calls"), "evict n1 a reason\nacquire n1\n");
}

// Its driver died while it ran, and it may have been done.
TEST_F(GivenDrills, RunNoCommandTwice) {
  for (const auto& [task, done] :
       {std::pair("task 0 1 n1 1\ntask 1 1 n1 0\n", "acquire n1\n"), {"task 1 1 n1 1\n", "readmit n1\n"}}) {
    const bool evicting = done == std::string("acquire n1\n");
    std::ofstream(scratch.file("given-hosts"))
        << "host 0 n0 10.0.0.10:7400 0 0 - -\nhost 1 n1 10.0.0.11:7400 1 " << !evicting << " - -\n"
        << task;
    const auto hosts = driver();
    await_back(*hosts);
    EXPECT_EQ(hosts->host(1).name, evicting ? "n9" : "n1");
    EXPECT_THAT(hosts->remarks().front(), HasSubstr("it is not run again: look at n1"));
    hosts->readmitted(host_1());
    hosts->end(scratch.name());
    EXPECT_EQ(text_of("calls"), done);
    for (const char* each : {"given-hosts", "calls"}) std::filesystem::remove(scratch.file(each));
  }
}

// Its next driver finds what it left.
TEST_F(GivenDrills, ToldToStopEndTheCommandThatRunsAndBeginNoOther) {
  file.commands.timeout = 1h;
  script("evict", "exec sleep 3600");
  std::atomic<bool> stop = false;
  {
    GivenHosts hosts(file, 2, "a reason", &stop);
    hosts.begin(scratch.name());
    hosts.evicted(host_1());
    await("calls", "evict n1");
    stop = true;
    hosts.leave();
    const std::string left =
        ": the driver was told to stop; it is left for the driver that continues the drill";
    EXPECT_THAT(hosts.take_new_remarks(),
                ElementsAre("host 1: the evict command for n1 was stopped before it ended" + left,
                            "host 1: the acquire command in place of n1 was not run" + left));
    EXPECT_THAT(hosts.take_new_remarks(), ElementsAre());
  }
  const auto next = driver();
  await_back(*next);
  EXPECT_EQ(text_of("calls"), "evict n1 a reason\nacquire n1\n");
  EXPECT_THAT(next->remarks().front(), HasSubstr("it is not run again: look at n1"));
}

TEST_F(GivenDrills, ThatAreOverAndToldToStopNameWhatIsNotRun) {
  std::ofstream(scratch.file("given-hosts")) << "task 0 1 n1 0\ntask 1 1 n1 0\n";
  const std::atomic<bool> stop = true;
  GivenHosts hosts(file, 2, "a reason", &stop);
  hosts.end(scratch.name());
  EXPECT_EQ(text_of("calls"), "");
  EXPECT_THAT(hosts.remarks(),
              ElementsAre("host 1: the evict command for n1 was not run: the driver was told to stop"));
}

TEST_F(GivenDrills, KeepTheRemarksOfEarlierDriversForTheReport) {
  auto first = driver();
  first->evicted(host_1());
  await("given-hosts", "remark host 1: n1 is replaced by n9");
  first.reset();
  const auto second = driver();
  EXPECT_THAT(second->remarks(), ElementsAre(HasSubstr("n1 was drained"), HasSubstr("replaced by n9")));
  EXPECT_THAT(second->take_new_remarks(), ElementsAre());
}

TEST_F(GivenDrills, BeginNothingWhereNobodyKnowsWhereTheirHostsAre) {
  std::filesystem::create_directory(scratch.file("given-hosts"));
  GivenHosts hosts(file, 2, "a reason");
  EXPECT_THROW(hosts.begin(scratch.name()), std::runtime_error);
  hosts.end(scratch.name());
  EXPECT_THAT(hosts.remarks(), ElementsAre(HasSubstr("given-hosts cannot be read (Is a directory)")));
}

// A drill that is over needs no host, and what it evicted is to be handed out.
TEST_F(GivenDrills, AreEndedByWhoeverFindsThemOver) {
  std::ofstream(scratch.file("given-hosts"))
      << "host 1 n1 10.0.0.11:7400 1 0 - -\ntask 0 1 n1 0\ntask 1 1 n1 0\n";
  GivenHosts hosts(file, 2, "a reason");
  hosts.end(scratch.name());
  EXPECT_EQ(text_of("calls"), "evict n1 a reason\n");
}

}  // namespace
}  // namespace gauntlet
