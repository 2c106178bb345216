// Which half-widths of --precision go on with a store.
#include "study/store/same_study.hpp"

#include <gtest/gtest.h>

#include <string>

namespace gauntlet {
namespace {

StudyDifference resumed(const std::string& then, const std::string& now) {
  const auto study = [](const std::string& options) {
    return StudyIdentity{.command = "run",
                         .arguments = "gauntlet run sample" + options,
                         .version = "0.1.0",
                         .seed = 1,
                         .scenario = "sample",
                         .text = "name = \"sample\"\n"};
  };
  return difference(study(then), study(now), {.most = 100, .all = 100});
}

TEST(SameStudy, GoesOnWithASmallerHalfWidth) {
  EXPECT_EQ(resumed(" --precision 0.05%", " --precision 0.05%").what, "");
  EXPECT_EQ(resumed(" --precision 0.05%", " --precision 0.01%").what, "");
  EXPECT_EQ(resumed(" --precision 0.05%", " --precision ettr=0.0005").what, "");
  EXPECT_EQ(resumed(" --precision wall_time_s=1h", " --precision wall_time_s=30min").what, "");
  EXPECT_EQ(resumed(" --precision wall_time_s=1h", " --precision wall_time_s=1800 --precision 1%").what, "");
}

TEST(SameStudy, RefusesALargerHalfWidthAndNamesTheOneThatGoesOn) {
  const StudyDifference larger = resumed(" --precision 0.05%", " --precision 0.1%");
  EXPECT_EQ(larger.what, "holds a study with --precision 0.05%, and --precision 0.1% asks for less");
  EXPECT_EQ(larger.go_on, "continue with --precision 0.05%, or with a smaller half-width");
  const StudyDifference one = resumed(" --precision 0.05% --precision wall_time_s=1h", " --precision 0.05%");
  EXPECT_EQ(
      one.what,
      "holds a study with --precision 0.05% --precision wall_time_s=1h, and --precision 0.05% asks for less");
  EXPECT_EQ(one.go_on,
            "continue with --precision 0.05% --precision wall_time_s=1h, or with a smaller half-width");
}

TEST(SameStudy, APrecisionIsNotAskedForWhereThereWasNone) {
  EXPECT_NE(resumed(" --precision 0.05%", "").what, "");
  EXPECT_NE(resumed("", " --precision 0.05%").what, "");
}

}  // namespace
}  // namespace gauntlet
