// Studies that begin anew, go on and are replaced, on a disk that fails at every call or loses what was not synced.
#include "tests/files/lossy_studies.hpp"

#include <gtest/gtest.h>

namespace gauntlet {

// The writers of single files run in the unit tests, by these cases; studies have cases of their own.
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(OnLossyDisks);

namespace {

TEST(LossyStudies, EachSurvivesAPowerCutAtAnyCall) {
  cut_at_every_call<StudyTrial<kFresh>>();
  cut_at_every_call<StudyTrial<kInterrupted>>();
  cut_at_every_call<StudyTrial<kExtended>>();
  cut_at_every_call<StudyTrial<kReplaced>>();
  cut_at_every_call<StudyTrial<kReplacing>>();
  cut_at_every_call<StudyTrial<kResumed>>();
  cut_at_every_call<StudyTrial<kDiscarded>>();
}

TEST(LossyStudies, AFailingCallLosesNothingOfAnInterruptedOne) {
  fail_every_call<StudyTrial<kInterrupted>>();
}
TEST(LossyStudies, AFailingCallLosesNothingOfAnExtendedOne) { fail_every_call<StudyTrial<kExtended>>(); }
TEST(LossyStudies, AFailingCallLosesNothingOfAReplacedOne) { fail_every_call<StudyTrial<kReplaced>>(); }
TEST(LossyStudies, AFailingCallLosesNothingOfResultsThatAreReplaced) {
  fail_every_call<StudyTrial<kReplacing>>();
}
TEST(LossyStudies, AFailingCallLosesNothingOfADiscardedOne) { fail_every_call<StudyTrial<kDiscarded>>(); }

}  // namespace
}  // namespace gauntlet
