#include "real/launch/slurm_answers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gauntlet {
namespace {

using State = SlurmJob::State;

TEST(SlurmAnswers, OfAJobSayHowItStandsAndWhereItRuns) {
  const auto job = [](const std::string& shown) {
    return slurm_job("JobId=42 JobName=x " + shown + " EndTime=Unknown\n");
  };
  EXPECT_EQ(job("JobState=RUNNING NodeList=node-7")->state, State::running);
  EXPECT_EQ(job("JobState=RUNNING NodeList=node-7")->node, "node-7");
  EXPECT_EQ(job("JobState=PENDING NodeList=(null)")->state, State::pending);
  EXPECT_EQ(job("JobState=CONFIGURING NodeList=node-7")->node, "") << "it does not run there yet";
  EXPECT_EQ(job("JobState=CANCELLED NodeList=node-7")->state, State::over);
  EXPECT_EQ(slurm_job("slurm_load_jobs error: Invalid job id specified")->state, State::over);
}

// An agent would be started on a node without a name.
TEST(SlurmAnswers, OfAJobThatRunsNowhereSayNothing) {
  EXPECT_FALSE(slurm_job("JobState=RUNNING NodeList="));
  EXPECT_FALSE(slurm_job("JobState=RUNNING NodeList=(null)"));
  EXPECT_FALSE(slurm_job("JobState=RUNNING"));
  EXPECT_FALSE(slurm_job(""));
  EXPECT_FALSE(slurm_job("slurm_load_jobs error: Unable to contact slurm controller"));
}

TEST(SlurmAnswers, NameTheSubmittedJobAndTheStepsOfAName) {
  EXPECT_EQ(slurm_submitted_job("42;cluster\n"), "42");
  EXPECT_EQ(slurm_submitted_job("42\n"), "42");
  EXPECT_FALSE(slurm_submitted_job("sbatch: error: Batch job submission failed"));
  EXPECT_FALSE(slurm_submitted_job(""));
  EXPECT_THAT(slurm_steps("42.0 a\n42.1 b\n42.2 a\n42.batch", "a"), testing::ElementsAre("42.0", "42.2"));
}

}  // namespace
}  // namespace gauntlet
