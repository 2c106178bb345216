// For how long a job had given its hosts back.
#include "score/released.hpp"

#include "tests/score/hand_made_run.hpp"

namespace gauntlet {
namespace {

TEST(Released, RunsFromAReleaseThatWasCarriedOutToTheNextStart) {
  HandMadeRun run;
  run.started(60s);
  run.trains(60s, 460s);
  run.strikes(460s, kCrash, 1);
  run.stops(480s);
  run.answer(500s, run.order(500s, Release{JobId{0}}), {}, Status::failed);
  run.carried_out(600s, Release{JobId{0}});
  run.carried_out(650s, Release{JobId{0}});  // they are back already
  EXPECT_EQ(HandMadeRun(run).finishes(1000s).released, 400s);
  run.order(700s, Start{JobId{0}, 600s});
  EXPECT_EQ(run.finishes(1000s).released, 100s);
}

TEST(Released, AddsUpOverAllReleases) {
  HandMadeRun run;
  run.started(60s);
  run.trains(60s, 460s);
  run.strikes(460s, kCrash, 1);
  run.stops(480s);
  run.carried_out(600s, Release{JobId{0}});
  run.order(700s, Start{JobId{0}, 600s});  // fails
  run.carried_out(750s, Release{JobId{0}});
  run.order(780s, Start{JobId{0}, 600s});
  EXPECT_EQ(run.finishes(1000s).released, 100s + 30s);
}

}  // namespace
}  // namespace gauntlet
