// Studies that begin anew, go on and are replaced, on a disk that fails at every call or loses what was not synced.
#include "tests/files/lossy_studies.hpp"

#include <gtest/gtest.h>

namespace gauntlet {
namespace {

TEST(LossyStudies, EachSurvivesAPowerCutAtAnyCall) {
  cut_at_every_call<FreshStudy>("a fresh study");
  cut_at_every_call<InterruptedStudy>("an interrupted study");
  cut_at_every_call<ExtendedStudy>("an extended study");
  cut_at_every_call<ReplacedStudy>("a replaced study");
  cut_at_every_call<ResumedStudy>("a killed study that goes on");
  cut_at_every_call<DiscardedStudy>("a killed study that is discarded");
}

TEST(LossyStudies, AFailingCallLosesNothingOfAnInterruptedOne) {
  fail_every_call<InterruptedStudy>("an interrupted study");
}
TEST(LossyStudies, AFailingCallLosesNothingOfAReplacedOne) {
  fail_every_call<ReplacedStudy>("a replaced study");
}
TEST(LossyStudies, AFailingCallLosesNothingOfADiscardedOne) {
  fail_every_call<DiscardedStudy>("a killed study that is discarded");
}

}  // namespace
}  // namespace gauntlet
