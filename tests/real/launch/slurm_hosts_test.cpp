#include "real/launch/slurm_hosts.hpp"

#include "tests/real/agent_harness.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
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
    return std::make_unique<SlurmHosts>(*slurm, 2, "a reason");
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

/// A driver, in a process of its own, that is killed while the command waits.
template <class Lead>
void kill_in_command(const SlurmDrills& drills, const std::string& words, Lead lead) {
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    lead(*SlurmDrills::driver());
    ::pause();
    ::_exit(0);
  }
  drills.await("calls", words);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  std::ofstream(drills.scratch.file("go")) << "the command of the first driver ends as well";
}
// Or for the end of the test, which removes its folder.
const std::string kWaitsForGo = "while [ ! -e go ] && [ -e bin ]; do sleep 0.01; done";

TEST_F(SlurmDrills, ResumeTheNodeWhoseResumeTheirDriverDidNotSeeEnd) {
  std::ofstream(scratch.file("slurm-hosts")) << "host 1 n2 7 1 4 - -\n";  // drained, without a replacement
  script("scontrol",
         "case \"$*\" in *hostnames*) echo n1; echo n2 ;; *state=resume*) " + kWaitsForGo + " ;; esac");
  kill_in_command(*this, "state=resume", [this](SlurmHosts& hosts) {
    hosts.begin(scratch.name());
    hosts.readmitted(host_1());
    ::pause();
  });
  EXPECT_THAT(text_of("slurm-hosts"), HasSubstr("host 1 n2 7 1 "));
  const auto next = driver();
  next->begin(scratch.name());
  await("slurm-hosts", "host 1 n2 7 0 ");
  next->readmitted(host_1());  // a driver that takes over may repeat it
  next->end(scratch.name());
  const std::string calls = text_of("calls"), resume = "scontrol update nodename=n2 state=resume\n";
  EXPECT_THAT(calls, HasSubstr(resume + "scontrol show hostnames n[1-2]\n" + resume));
  EXPECT_EQ(calls.find(resume, calls.find(resume) + resume.size()), calls.rfind(resume)) << calls;
  EXPECT_THAT(next->remarks(), testing::ElementsAre("host 1: node n2 was resumed after its repair"));
}

TEST_F(SlurmDrills, CancelTheJobWhoseCancellationTheirDriverDidNotSeeEnd) {
  std::ofstream(scratch.file("slurm-hosts")) << "job 8\n";
  script("scancel", kWaitsForGo);
  kill_in_command(*this, "scancel 8", [this](SlurmHosts& hosts) { hosts.end(scratch.name()); });
  EXPECT_THAT(text_of("slurm-hosts"), HasSubstr("job 8\n"));
  driver()->end(scratch.name());
  EXPECT_THAT(text_of("calls"), HasSubstr("scancel 8\nscontrol show hostnames n[1-2]\nscancel 8\n"));
  EXPECT_THAT(text_of("slurm-hosts"), Not(HasSubstr("job 8")));
}

TEST_F(SlurmDrills, FindTheJobThatTheirDriverSubmittedBeforeItDied) {
  std::ofstream(scratch.file("slurm-hosts")) << "host 1 n2 7 1 1 - -\ntask 1 1 n2 1\n";
  script("squeue", "echo 8");
  const auto next = driver();
  next->begin(scratch.name());
  await("slurm-hosts", "job 8");
  next->end(scratch.name());
  EXPECT_THAT(text_of("calls"), Not(HasSubstr("sbatch")));
  EXPECT_THAT(text_of("calls"), HasSubstr("scancel 8"));
}

TEST_F(SlurmDrills, LetANodeWhoseAgentDoesNotStartRestBetweenAttempts) {
  script("sbatch", "exit 1");
  const auto hosts = driver();
  hosts->begin(scratch.name());
  hosts->evicted(host_1());
  while (!hosts->is_back(host_1())) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_FALSE(hosts->is_back(host_1())) << "it was tried just now";
  hosts->readmitted(host_1());
  hosts->evicted(host_1());
  while (!hosts->is_back(host_1())) std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

TEST_F(SlurmDrills, HoldAReplacementWhileTheControllerDoesNotAnswer) {
  std::string why;
  const auto slurm = Slurm::of_environment(why);
  ASSERT_TRUE(slurm) << why;
  ASSERT_EQ(slurm->submit_replacement(scratch.name(), "spare", why), "8") << why;
  script("sleep", "");
  script("scontrol",
         "echo . >> looks\ncase $(grep -c . looks) in\n  1) echo JobState=RUNNING ;;\n"
         "  2) echo 'slurm_load_jobs error: Unable to contact slurm controller' >&2; exit 1 ;;\n"
         "  3) echo JobState=PENDING ;;\n  *) echo JobState=COMPLETED ;;\nesac");
  EXPECT_EQ(std::system(("sh " + scratch.file("replacement.sh")).c_str()), 0);
  EXPECT_EQ(text_of("looks"), ".\n.\n.\n.\n");
  EXPECT_FALSE(slurm->submit_replacement(scratch.file("no/such/place"), "spare", why));
  EXPECT_THAT(why, HasSubstr("replacement.sh cannot be written"));
}

}  // namespace
}  // namespace gauntlet
