#include "real/checkpoint/damage.hpp"

#include "real/checkpoint/directory_storage.hpp"
#include "real/checkpoint/newest.hpp"
#include "real/checkpoint/tier.hpp"
#include "real/watchdog/all_injectors.hpp"
#include "tests/real/scratch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <string>

namespace gauntlet {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

/// Checkpoints of a job of four ranks.
class DamagedCheckpoints : public ::testing::Test {
 protected:
  void make_whole(std::int64_t step) {
    for (std::uint32_t rank = 0; rank < kOfJob.ranks(); ++rank)
      ASSERT_FALSE(tier_.write({.job = kOfJob, .rank = rank, .step = step, .state = std::string(64, 's')}));
    ASSERT_FALSE(tier_.commit(step));
  }
  /// What a restore goes on from; 0: from the beginning.
  std::int64_t restored() {
    const NewestCheckpoint newest = load_newest({&tier_}, 0);
    return newest.shard ? newest.shard->step : 0;
  }
  DriverInject damage(std::uint64_t injection) const {
    return {.injection = injection, .kind = InjectionKind::damage, .directory = path_};
  }

  static constexpr JobIdentity kOfJob{.seed = 7, .pp = 2, .dp = 2};
  Scratch scratch_;
  std::string path_ = scratch_.folder("checkpoints");
  DirectoryStorage storage_{path_};
  CheckpointTier tier_{storage_, kOfJob};
};

TEST_F(DamagedCheckpoints, AreNotWholeAndTheOneBeforeIsRestored) {
  for (std::uint32_t how = 0; how < kDamages; ++how) {
    SCOPED_TRACE(how);
    make_whole(10);
    make_whole(20);
    EXPECT_EQ(newest_whole(path_), 20);
    EXPECT_EQ(damage_checkpoint(path_, 20, static_cast<Damage>(how)), "");
    EXPECT_FALSE(is_whole(path_, 20));
    EXPECT_EQ(newest_whole(path_), 10);
    const bool lost = static_cast<Damage>(how) == Damage::lost_directory;
    EXPECT_EQ(tier_.survey().damaged.size(), lost ? 0U : 1U);
    EXPECT_EQ(restored(), 10);
    fs::remove_all(path_ + "/gauntlet-step-20");
  }
}

TEST_F(DamagedCheckpoints, EachFaultTakesTheNewestThatIsLeft) {
  const HostInjector& injector = host_injectors().at(InjectionKind::damage);
  for (std::int64_t step = 10; step <= 40; step += 10) make_whole(step);
  std::string why;
  for (std::uint64_t fault = 0; fault < kDamages; ++fault) {
    const std::string target = injector.target({}, damage(fault), {}, why);
    EXPECT_EQ(why, "");
    EXPECT_FALSE(injector.observed(target));
    EXPECT_EQ(injector.inject(target), "");
    EXPECT_TRUE(injector.observed(target));
    EXPECT_EQ(injector.undo(target), "");
    EXPECT_TRUE(injector.observed(target)) << "nothing undoes it";
    EXPECT_EQ(restored(), 30 - 10 * static_cast<std::int64_t>(fault));
  }
  injector.target({}, damage(4), {}, why);
  EXPECT_THAT(why, HasSubstr("holds no complete checkpoint"));
}

TEST_F(DamagedCheckpoints, NoFileElsewhereIsTouched) {
  make_whole(10);
  const std::string shard = path_ + "/gauntlet-step-10/rank-0.shard",
                    elsewhere = scratch_.path() / "elsewhere";
  fs::rename(shard, elsewhere);
  fs::create_symlink(elsewhere, shard);
  const std::string before = bytes_of(elsewhere);
  EXPECT_THAT(damage_checkpoint(path_, 10, Damage::flipped_bit), HasSubstr("cannot be damaged"));
  EXPECT_THAT(damage_checkpoint(path_, 10, Damage::cut_shard), HasSubstr("cannot be damaged"));
  EXPECT_EQ(bytes_of(elsewhere), before);
  EXPECT_THAT(damage_checkpoint(path_, 20, Damage::lost_directory), HasSubstr("cannot be damaged"));
}

}  // namespace
}  // namespace gauntlet
