// A study and its result directory on a disk that loses what was not synced, SQLite's files included. study_slow_test.cpp has the
// other ways to begin one, more of what is lost, and calls that fail.
#include "tests/files/lossy_studies.hpp"

#include <gtest/gtest.h>

namespace gauntlet {
namespace {

TEST(LossyStudies, AFreshOneSurvivesAPowerCutAtAnyCall) { cut_at_every_call<FreshStudy>("a fresh study", 3); }
TEST(LossyStudies, AReplacedOneSurvivesAPowerCutAtAnyCall) {
  cut_at_every_call<ReplacedStudy>("a replaced study", 1);
}

}  // namespace
}  // namespace gauntlet
