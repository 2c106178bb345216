// What comes so often that no run could keep it is refused.
#include "core/most_fault_kinds.hpp"
#include "tests/config/scenario_texts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace gauntlet {
namespace {

using testing::HasSubstr;

std::string problems(const std::vector<std::string>& sets, const std::string& more = {}) {
  return problems_of(load_text(kSmall + more, sets));
}

TEST(Rates, KindsThatNoTableHasRoomFor) {
  const auto with_kinds = [](std::size_t count) {
    std::string more;
    for (std::size_t i = 0; i < count; ++i)
      more += "[faults.kind" + std::to_string(i) +
              "]\ncomponent = \"gpu\"\neffect = \"crash\"\nremedy = \"restart\"\nmtbf = \"never\"\n";
    return problems({}, more);
  };
  EXPECT_EQ(with_kinds(kMostFaultKinds), "");
  EXPECT_THAT(
      with_kinds(kMostFaultKinds + 1),
      HasSubstr("faults has 96 kinds; results have room for 95; merge kinds with the same effect into one"));
}

// 10 days are 864,000 s.
TEST(Rates, EvaluationsOfAWindow) {
  const auto with_evaluations_of = [](const std::string& time) {
    return problems({"job.step_time=125ms", "job.evaluation.every=1", "job.evaluation.time=" + time});
  };
  EXPECT_THAT(with_evaluations_of("31250us"), HasSubstr("job.evaluation.every = 1 comes 5529600 times in "
                                                        "10d; make it less frequent: a run can have at most "
                                                        "5000000 of one kind"));
  EXPECT_EQ(with_evaluations_of("100ms"), "");
}

TEST(Rates, EvaluationsOfTheWork) {
  const auto with_steps = [](const std::string& steps, const std::string& window) {
    return problems({"job.step_time=100ms", "job.evaluation.every=2", "job.evaluation.time=1s",
                     "job.window=" + window, "job.steps=" + steps});
  };
  EXPECT_THAT(with_steps("10000002", "0s"),
              HasSubstr("job.evaluation.every = 2 comes 5000001 times in 10000002 steps"));
  EXPECT_EQ(with_steps("10000000", "0s"), "");
  EXPECT_EQ(with_steps("10000002", "10d"), "");  // the window is over before
}

TEST(Rates, FaultsOfAWindow) {
  const auto with_mtbf = [](const std::string& mtbf) {
    return problems({}, "[faults.f]\n" + kCrash + "mtbf = \"" + mtbf + "\"\n");
  };
  EXPECT_THAT(with_mtbf("0.3s"), HasSubstr("faults.f comes 5760000 times in 10d"));
  // The limit that is named is the one that holds, however often it comes.
  EXPECT_THAT(with_mtbf("1ms"),
              HasSubstr("make it less frequent: a run can have at most 5000000 of one kind"));
  EXPECT_EQ(with_mtbf("0.4s"), "");
}

// A job without a window is looked at for a hundred times its work, and for a year at most.
TEST(Rates, FaultsOfAJobWithoutAWindow) {
  const auto with_steps = [](const std::string& steps) {
    return problems({"job.window=0s", "job.step_time=1s", "job.steps=" + steps},
                    "[faults.f]\n" + kCrash + "mtbf = \"1s\"\n");
  };
  EXPECT_EQ(with_steps("20000"), "");
  EXPECT_THAT(with_steps("30000"), HasSubstr("faults.f comes 6000000 times in 34d17h20min"));
  EXPECT_THAT(with_steps("1000000"), HasSubstr("faults.f comes 63072000 times in 365d"));
}

}  // namespace
}  // namespace gauntlet
