// Checkpoints in a storage without rename that fails at every change in turn.
#include "tests/files/object_store.hpp"
#include "tests/files/saving_job.hpp"

#include <gtest/gtest.h>

#include <string>

namespace gauntlet {
namespace {

using Kind = StoreFault::Kind;

/// A run on a store with this fault, and what must hold after each promise and at the end. Returns how many changes there were.
std::uint64_t run_on_store(StoreFault fault) {
  ObjectStore store(fault), healthy(store.live());
  SavingJob job(store, healthy, [&] { return store.is_off(); });
  const auto check = [&] {
    auto objects = store.left();
    ObjectStore left(objects);
    job.model.check(left, fault.kind == Kind::lie);
  };
  job.after_each_promise = check;
  job.run();
  check();
  if (fault.kind == Kind::none) {
    EXPECT_EQ(job.problems, 0);
    job.model.check_all(healthy);
  }
  return store.changes();
}

TEST(ObjectStores, AFaultAtAnyChangeCostsNothingThatWasSaved) {
  const std::uint64_t changes = run_on_store({});
  ASSERT_GT(changes, 0u);
  for (const Kind kind : {Kind::kill_before, Kind::kill_after, Kind::full, Kind::lie})
    for (std::uint64_t at = 1; at <= changes && !testing::Test::HasFailure(); ++at) {
      SCOPED_TRACE("fault " + std::to_string(static_cast<int>(kind)) + " at change " + std::to_string(at));
      run_on_store({.kind = kind, .at = at});
    }
}

TEST(ObjectStores, ADeathWhileADamagedOneIsSetAsideLeavesNothingToRead) {
  for (std::uint64_t at = 1; at <= 8; ++at) {
    ObjectStore objects;
    const CheckpointTier tier(objects, kSavedJob);
    for (const std::int64_t step : {10, 20}) {
      for (std::uint32_t rank = 0; rank < kSavedJob.ranks(); ++rank)
        ASSERT_FALSE(tier.write(saved_shard(rank, step)));
      ASSERT_FALSE(tier.commit(step));
    }
    objects.live().at({"gauntlet-step-20", "rank-1.shard"}).back() ^= 1;
    ObjectStore dying({.kind = Kind::kill_after, .at = at});
    dying.live() = objects.live();
    const CheckpointTier first(dying, kSavedJob);
    const bool failed = first.tidy(first.survey()).has_value();
    EXPECT_EQ(failed, dying.is_off());
    ObjectStore again(dying.live());
    const CheckpointTier second(again, kSavedJob);
    EXPECT_EQ(second.survey().newest(), 10);
    EXPECT_FALSE(second.tidy(second.survey()));
    EXPECT_EQ(second.survey().whole, std::vector<std::int64_t>{10});
    EXPECT_TRUE(dying.live().contains({"gauntlet-damaged-20", "manifest"}));
  }
}

}  // namespace
}  // namespace gauntlet
