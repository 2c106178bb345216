// A study and its result directory on a disk that loses what was not synced, SQLite's files included: what each kind of study
// promises at its end, and power cuts at every call of three. study_slow_test.cpp cuts the power at every call of each
// kind, loses more, and lets every call fail.
#include "tests/files/lossy_studies.hpp"

#include <gtest/gtest.h>

namespace gauntlet {
namespace {

TEST(LossyStudies, WhatEachPromisesSurvivesAPowerCutAtItsEnd) {
  cut_at_the_end<StudyTrial<kFresh>>();
  cut_at_the_end<StudyTrial<kKept>>();
  cut_at_the_end<StudyTrial<kExtended>>();
  cut_at_the_end<StudyTrial<kExtendedAndKept>>();
  cut_at_the_end<StudyTrial<kReplaced>>();
  cut_at_the_end<StudyTrial<kResumed>>();
  cut_at_the_end<StudyTrial<kDiscarded>>();
}

// Closing the store brings it to the disk as well, and cannot say where that fails: the promise holds before.
TEST(LossyStudies, AKeptOneSurvivesAPowerCutAtAnyCall) { cut_at_every_call<StudyTrial<kKept>>(1); }
TEST(LossyStudies, AFreshOneSurvivesAPowerCutAtAnyCall) { cut_at_every_call<StudyTrial<kFresh>>(2); }
TEST(LossyStudies, OneThatReplacesResultsSurvivesAPowerCutAtAnyCall) {
  cut_at_every_call<StudyTrial<kReplacing>>(2);
}

// The earlier results are removed once the name of the new ones is on the disk, and not where that is not known.
TEST(LossyStudies, ASyncThatFailsLosesNoResultsThatAreReplaced) { fail_every_sync<StudyTrial<kReplacing>>(); }

}  // namespace
}  // namespace gauntlet
