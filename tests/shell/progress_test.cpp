#include "shell/progress.hpp"

#include <gtest/gtest.h>

namespace gauntlet {
namespace {

TEST(ProgressText, HasABarACountARateAndTheTimeLeft) {
  EXPECT_EQ(progress_text({.done = 50, .left = 150, .in_all = 50}, 0.5),
            "[######                  ]  50/200 replicas, 100/s, 2 s left");
  EXPECT_EQ(progress_text({.done = 200, .left = 0, .in_all = 200}, 2),
            "[########################] 200/200 replicas, 100/s, 0 s left");
}

TEST(ProgressText, SaysNothingOfARateBeforeThereIsOne) {
  EXPECT_EQ(progress_text({.done = 0, .left = 8, .in_all = 0}, 3), "[                        ] 0/8 replicas");
  EXPECT_EQ(progress_text({.done = 1, .left = 7, .in_all = 1}, 0), "[###                     ] 1/8 replicas");
  EXPECT_EQ(progress_text({}, 0), "[                        ] 0/0 replicas");
}

TEST(ProgressText, CountsWhatWasDoneBeforeTheseReplicas) {
  EXPECT_EQ(progress_text({.done = 10, .left = 10, .in_all = 1234}, 1234),
            "[############            ] 10/20 replicas, 1/s, 10 s left, 1234 done in all");
}

}  // namespace
}  // namespace gauntlet
