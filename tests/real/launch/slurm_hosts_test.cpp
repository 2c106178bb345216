#include "real/launch/slurm_hosts.hpp"

#include "tests/real/agent_harness.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <thread>

namespace gauntlet {
namespace {

using testing::HasSubstr;
using testing::Not;

/// Slurm's commands as scripts: job 7 has nodes n1 and n2, and job 8 is a replacement, which waits until it is given n3.
struct SlurmDrills : testing::Test {
  SlurmDrills() {
    script("scontrol",
           "case \"$*\" in\n"
           "  *hostnames*) echo n1; echo n2 ;;\n"
           "  *'show job 8'*) if [ -e given ]; then echo JobState=RUNNING NodeList=n3; else echo "
           "JobState=PENDING; fi ;;\nesac");
    script("sbatch", "echo 8");
    script("scancel", "");
    setenv("PATH", (bin() + ":" + path).c_str(), 1);
    setenv("SLURM_JOB_ID", "7", 1);
    setenv("SLURM_JOB_NODELIST", "n[1-2]", 1);
  }
  ~SlurmDrills() override {
    setenv("PATH", path.c_str(), 1);
    unsetenv("SLURM_JOB_ID");
    unsetenv("SLURM_JOB_NODELIST");
  }
  std::string bin() const { return scratch.file("bin"); }
  void script(const std::string& name, const std::string& body) const {
    std::filesystem::create_directories(bin());
    std::ofstream(bin() + "/" + name)
        << "#!/bin/sh\ncd " << scratch.name() << "\necho " << name << " \"$@\" >> calls\n"
        << body << "\n";
    std::filesystem::permissions(bin() + "/" + name, std::filesystem::perms::owner_all);
  }
  std::string text_of(const std::string& file) const {
    std::ostringstream text;
    text << std::ifstream(scratch.file(file)).rdbuf();
    return text.str();
  }
  static std::unique_ptr<SlurmHosts> driver() {
    std::string why;
    auto slurm = Slurm::of_environment(why);
    EXPECT_TRUE(slurm) << why;
    return std::make_unique<SlurmHosts>(*slurm, 2, "a reason", [](const std::string&) {});
  }
  void await(const std::string& file, const std::string& words) const {
    while (text_of(file).find(words) == std::string::npos)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  AgentName host_1() const { return {scratch.name(), 1}; }

  OwnDirectory scratch;
  const std::string path = std::getenv("PATH");
};

TEST_F(SlurmDrills, GoOnWithTheReplacementThatAnEarlierDriverAskedFor) {
  auto first = driver();
  first->begin(scratch.name());
  first->evicted(host_1());
  await("slurm-hosts", "job 8");
  first.reset();

  auto second = driver();
  second->begin(scratch.name());
  second->evicted(host_1());  // a driver that takes over may repeat it
  EXPECT_FALSE(second->is_back(host_1()));
  std::ofstream(scratch.file("given")) << "n3";
  while (!second->is_back(host_1())) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_EQ(second->node_of(1), (SlurmNode{.name = "n3", .job = "8"}));
  second->end(scratch.name());
  const std::string calls = text_of("calls");
  EXPECT_EQ(calls.find("sbatch"), calls.rfind("sbatch")) << calls;
  EXPECT_THAT(calls, HasSubstr("scancel 8"));
}

TEST_F(SlurmDrills, ThatAreOverHaveTheJobsOfAnEarlierDriverCancelled) {
  auto first = driver();
  first->begin(scratch.name());
  first->evicted(host_1());
  await("slurm-hosts", "job 8");
  first.reset();
  EXPECT_THAT(text_of("calls"), Not(HasSubstr("scancel")));
  driver()->end(scratch.name());
  EXPECT_THAT(text_of("calls"), HasSubstr("scancel 8"));
}

TEST_F(SlurmDrills, HoldAReplacementWhileTheControllerDoesNotAnswer) {
  std::string why;
  const auto slurm = Slurm::of_environment(why);
  ASSERT_TRUE(slurm) << why;
  ASSERT_EQ(slurm->submit_replacement(scratch.name(), why), "8") << why;
  script("sleep", "");
  script("scontrol",
         "echo . >> looks\ncase $(grep -c . looks) in\n  1) echo JobState=RUNNING ;;\n"
         "  2) echo 'slurm_load_jobs error: Unable to contact slurm controller' >&2; exit 1 ;;\n"
         "  3) echo JobState=PENDING ;;\n  *) echo JobState=COMPLETED ;;\nesac");
  EXPECT_EQ(std::system(("sh " + scratch.file("replacement.sh")).c_str()), 0);
  EXPECT_EQ(text_of("looks"), ".\n.\n.\n.\n");
  EXPECT_FALSE(slurm->submit_replacement(scratch.file("no/such/place"), why));
  EXPECT_THAT(why, HasSubstr("replacement.sh cannot be written"));
}

}  // namespace
}  // namespace gauntlet
