#include "real/checkpoint/directory_storage.hpp"
#include "real/checkpoint/file_problem.hpp"
#include "real/checkpoint/host_memory.hpp"
#include "real/checkpoint/manifest.hpp"
#include "real/checkpoint/newest.hpp"
#include "real/checkpoint/shard.hpp"
#include "real/checkpoint/staged_copy.hpp"
#include "real/checkpoint/tier.hpp"
#include "real/checkpoint/writer.hpp"
#include "tests/real/scratch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace gauntlet {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr JobIdentity kJob{.seed = 7, .pp = 2, .dp = 2};

Shard shard_of(std::uint32_t rank, std::int64_t step) {
  std::string state = "rank " + std::to_string(rank) + " step " + std::to_string(step);
  state.resize(40, '.');
  return {.job = kJob, .rank = rank, .step = step, .state = state};
}

class Checkpoints : public ::testing::Test {
 protected:
  void write_shards(std::int64_t step, std::uint32_t ranks = kJob.ranks()) const {
    for (std::uint32_t rank = 0; rank < ranks; ++rank) ASSERT_FALSE(directory_.write(shard_of(rank, step)));
  }
  void make_whole(std::int64_t step) const {
    write_shards(step);
    ASSERT_FALSE(directory_.commit(step));
  }
  fs::path step(std::int64_t step) const { return path_ / ("gauntlet-step-" + std::to_string(step)); }

  std::set<std::string> names(const fs::path& within = {}) const {
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(path_ / within)) names.insert(entry.path().filename());
    return names;
  }

  Scratch scratch_;
  fs::path path_ = scratch_.folder("checkpoints");
  DirectoryStorage storage_{path_};
  CheckpointTier directory_{storage_, kJob};
};

RC_GTEST_PROP(Shards, ReadBackAsTheyWere, ()) {
  const auto size = [] { return *rc::gen::positive<std::uint32_t>(); };
  const JobIdentity job{
      .seed = *rc::gen::arbitrary<std::uint64_t>(), .pp = size(), .dp = size(), .tp = size()};
  // Any rank of the job. 64 bits hold the product of two sizes, and of three where two are small.
  const std::uint64_t replica = std::uint64_t{job.pp} * job.tp;
  const std::uint64_t ranks =
      replica > std::numeric_limits<std::uint32_t>::max() ? replica : replica * job.dp;
  const std::uint32_t rank = *rc::gen::arbitrary<std::uint32_t>();
  const Shard shard{.job = job,
                    .rank = static_cast<std::uint32_t>(rank % ranks),
                    .step = *rc::gen::arbitrary<std::int64_t>(),
                    .state = *rc::gen::arbitrary<std::string>()};
  const std::string bytes = shard_bytes(shard);
  const ReadShard read = read_shard(bytes);
  RC_ASSERT(read.shard.has_value());
  RC_ASSERT(*read.shard == shard);
}

TEST(Shards, NoByteCanBeLostOrChanged) {
  const std::string whole = shard_bytes(shard_of(1, 10));
  for (std::size_t place = 0; place < whole.size(); ++place) {
    std::string damaged = whole;
    damaged[place] = static_cast<char>(damaged[place] ^ 1);
    EXPECT_FALSE(read_shard(damaged).shard) << "byte " << place;
    EXPECT_FALSE(read_shard(whole.substr(0, place)).shard) << "cut to " << place;
  }
  EXPECT_FALSE(read_shard(whole + std::string(8, '\0')).shard);
}

/// The same with a checksum that is right.
std::string with_checksum(std::string bytes) {
  const std::uint64_t checksum =
      checksum_of(std::string_view(bytes).substr(0, bytes.size() - sizeof checksum));
  std::memcpy(bytes.data() + bytes.size() - sizeof checksum, &checksum, sizeof checksum);
  return bytes;
}

TEST(Shards, ARankBeyondEveryRankIsRefused) {
  std::string bytes = shard_bytes(shard_of(1, 10));
  ASSERT_TRUE(read_shard(with_checksum(bytes)).shard);
  bytes[3 * 8] = 4;  // the lower half of the fourth word: of four ranks, the fifth
  const ReadShard read = read_shard(with_checksum(bytes));
  EXPECT_FALSE(read.shard);
  EXPECT_EQ(read.why, "is of rank 4, which its job (seed 7, tp 1, pp 2, dp 2) does not have");
  bytes[3 * 8] = 0;
  bytes[3 * 8 + 4] = 0;  // the upper half: of a job without a rank
  EXPECT_FALSE(read_shard(with_checksum(bytes)).shard);
}

TEST(Manifests, NoByteCanBeLostOrChanged) {
  const Manifest manifest{.job = {.seed = std::numeric_limits<std::uint64_t>::max(), .pp = 1, .dp = 3},
                          .step = 20,
                          .shards = {{100, 1}, {200, 2}, {0, std::numeric_limits<std::uint64_t>::max()}}};
  const std::string whole = manifest_text(manifest);
  ASSERT_EQ(parse_manifest(whole), manifest);
  for (std::size_t place = 0; place < whole.size(); ++place) {
    std::string damaged = whole;
    damaged[place] = static_cast<char>(damaged[place] ^ 1);
    EXPECT_FALSE(parse_manifest(damaged)) << "byte " << place;
    EXPECT_FALSE(parse_manifest(whole.substr(0, place))) << "cut to " << place;
  }
  EXPECT_FALSE(parse_manifest(whole + "\n"));
}

TEST(Manifests, OfAJobWithoutRanksAreRefused) {
  const auto manifest = [](std::uint32_t pp, std::uint32_t dp, std::size_t shards) {
    return Manifest{.job = {.seed = 7, .pp = pp, .dp = dp}, .step = 20, .shards = {shards, {100, 1}}};
  };
  EXPECT_TRUE(parse_manifest(manifest_text(manifest(2, 1, 2))));
  EXPECT_FALSE(parse_manifest(manifest_text(manifest(2, 1, 0))));
  EXPECT_FALSE(parse_manifest(manifest_text(manifest(0, 3, 0))));
  EXPECT_FALSE(parse_manifest(manifest_text(manifest(65'536, 65'536, 0)))) << "2^32 ranks, 0 in 32 bits";
  EXPECT_FALSE(parse_manifest(manifest_text(manifest(65'536, 65'537, 65'536)))) << "65,536 in 32 bits";
}

TEST_F(Checkpoints, AnEmptyDirectoryHoldsNone) {
  EXPECT_EQ(directory_.survey().newest(), 0);
  EXPECT_FALSE(directory_.survey().problem);
}

TEST_F(Checkpoints, TheNewestWholeOneIsLoadedByEveryRank) {
  make_whole(10);
  make_whole(9);  // as numbers, not as text
  make_whole(20);
  const auto survey = directory_.survey();
  EXPECT_THAT(survey.whole, ElementsAre(20, 10, 9));
  for (std::uint32_t rank = 0; rank < kJob.ranks(); ++rank)
    EXPECT_EQ(directory_.load(survey.newest(), rank).shard, shard_of(rank, 20));
}

TEST_F(Checkpoints, AJobWithAnotherNumberOfReplicasGoesOnFromThem) {
  make_whole(10);
  const auto expect_loads = [&](std::uint32_t replicas, const std::vector<std::uint32_t>& from) {
    const CheckpointTier other(storage_, {.seed = 7, .pp = 2, .dp = replicas});
    EXPECT_THAT(other.survey().whole, ElementsAre(10));
    for (std::uint32_t rank = 0; rank < from.size(); ++rank)
      EXPECT_EQ(other.load(10, rank).shard, shard_of(from[rank], 10))
          << replicas << " replicas, rank " << rank;
  };
  expect_loads(1, {0, 2});
  expect_loads(3, {0, 1, 0, 2, 3, 2});
  const CheckpointTier others(storage_, {.seed = 7, .pp = 4, .dp = 1});
  EXPECT_TRUE(others.survey().problem) << "its stages are others";
}

// Whatever happens to the newest checkpoint, it is left for the older whole one.
TEST_F(Checkpoints, ADamagedOneIsPassedOver) {
  struct Damage {
    const char* what;
    std::function<void(const fs::path&)> inflict;
    std::string says;  // where it had a manifest
    bool had_manifest = true;
  };
  const auto shorten = [](const fs::path& file, std::size_t by) {
    fs::resize_file(file, fs::file_size(file) - by);
  };
  const auto replace = [](const fs::path& file, const fs::path& with) {
    fs::copy_file(with, file, fs::copy_options::overwrite_existing);
  };
  const fs::path older = step(10);
  const std::vector<Damage> damages{
      {"torn manifest", [&](const fs::path& p) { shorten(p / "manifest", 20); }, "manifest: is torn"},
      {"empty manifest", [](const fs::path& p) { fs::resize_file(p / "manifest", 0); }, "manifest: is torn"},
      {"flipped byte in the manifest", [](const fs::path& p) { flip(p / "manifest", 50); },
       "manifest: is torn"},
      {"manifest of another step", [&](const fs::path& p) { replace(p / "manifest", older / "manifest"); },
       "manifest: is torn"},
      {"manifest never written", [](const fs::path& p) { fs::remove(p / "manifest"); }, "", false},
      {"manifest only under its temporary name",
       [](const fs::path& p) { fs::rename(p / "manifest", p / "manifest.tmp"); }, "", false},
      // 6 words before 40 bytes of state, 1 behind: 96 bytes.
      {"truncated shard", [&](const fs::path& p) { shorten(p / "rank-3.shard", 8); },
       "rank-3.shard: has 88 bytes where the manifest lists 96"},
      {"flipped byte", [](const fs::path& p) { flip(p / "rank-0.shard", 70); },
       "rank-0.shard: has another checksum"},
      {"flipped byte in a shard's checksum", [](const fs::path& p) { flip(p / "rank-2.shard", 95); },
       "rank-2.shard: has another checksum"},
      {"missing shard", [](const fs::path& p) { fs::remove(p / "rank-1.shard"); },
       "rank-1.shard: cannot be read"},
      {"shard of another rank", [&](const fs::path& p) { replace(p / "rank-1.shard", p / "rank-0.shard"); },
       "rank-1.shard: has another checksum"},
      {"good shard of another step",
       [&](const fs::path& p) { replace(p / "rank-1.shard", older / "rank-1.shard"); },
       "rank-1.shard: has another checksum"},
  };
  make_whole(10);
  for (const Damage& damage : damages) {
    SCOPED_TRACE(damage.what);
    fs::remove_all(step(20));
    make_whole(20);
    ASSERT_EQ(directory_.survey().newest(), 20);
    damage.inflict(step(20));

    const auto survey = directory_.survey();
    EXPECT_FALSE(survey.problem);
    EXPECT_THAT(survey.whole, ElementsAre(10));
    EXPECT_EQ(survey.unfinished.size(), damage.had_manifest ? 0U : 1U);
    if (damage.had_manifest) {
      ASSERT_EQ(survey.damaged.size(), 1U);
      EXPECT_THAT(survey.damaged[0].second.text(), HasSubstr(damage.says));
    }

    // In order again: the steps can be taken once more, and what was whole once is kept for whoever wants to know.
    EXPECT_FALSE(directory_.tidy(survey));
    EXPECT_FALSE(fs::exists(step(20)));
    EXPECT_EQ(fs::exists(path_ / "gauntlet-damaged-20"), damage.had_manifest);
    fs::remove_all(path_ / "gauntlet-damaged-20");
  }
}

// Opening a FIFO would wait for whoever writes to it, forever.
TEST_F(Checkpoints, WhatIsNotARegularFileIsDamagedAndKeepsNobodyWaiting) {
  for (const std::string name : {"manifest", "rank-1.shard"}) {
    SCOPED_TRACE(name);
    fs::remove_all(step(20));
    make_whole(20);
    fs::remove(step(20) / name);
    ASSERT_EQ(::mkfifo((step(20) / name).c_str(), 0600), 0);
    const auto survey = directory_.survey();
    ASSERT_EQ(survey.damaged.size(), 1U);
    EXPECT_THAT(survey.damaged[0].second.text(),
                HasSubstr(name + ": cannot be read (it is not a regular file)"));
    EXPECT_FALSE(directory_.tidy(survey));
    EXPECT_THAT(names(), ElementsAre("gauntlet-damaged-20"));
  }
  fs::create_directories(step(30));
  ASSERT_EQ(::mkfifo((step(30) / "rank-0.shard.tmp").c_str(), 0600), 0);
  EXPECT_FALSE(directory_.write(shard_of(0, 30))) << "a FIFO under the temporary name is removed";
}

TEST_F(Checkpoints, WhereNoneIsWholeTrainingBeginsAnew) {
  make_whole(10);
  make_whole(20);
  flip(step(10) / "rank-1.shard", 0);
  fs::remove(step(20) / "rank-0.shard");
  EXPECT_EQ(directory_.survey().newest(), 0);
  EXPECT_EQ(directory_.survey().damaged.size(), 2U);
}

TEST_F(Checkpoints, LeftoverTemporariesAreHarmlessAndGo) {
  make_whole(10);
  put_bytes(step(10) / "rank-2.shard.tmp", "half a sh");
  put_bytes(step(10) / "manifest.tmp", "half a m");
  fs::create_directories(step(15));
  put_bytes(step(15) / "rank-2.shard.tmp", "half a sh");
  const auto survey = directory_.survey();
  EXPECT_THAT(survey.whole, ElementsAre(10));
  EXPECT_FALSE(directory_.tidy(survey));
  EXPECT_THAT(names(), ElementsAre("gauntlet-step-10"));
  EXPECT_THAT(names("gauntlet-step-10"),
              ElementsAre("manifest", "rank-0.shard", "rank-1.shard", "rank-2.shard", "rank-3.shard"));
  EXPECT_EQ(directory_.survey().newest(), 10);
}

TEST_F(Checkpoints, TidyKeepsTwoAndWhatIsNotOurs) {
  for (const std::int64_t step : {10, 20, 30}) make_whole(step);
  write_shards(40, 3);
  put_bytes(path_ / "notes.txt", "mine");
  fs::create_directories(path_ / "step-10");
  put_bytes(step(40) / "notes.txt", "mine");
  EXPECT_FALSE(directory_.tidy(directory_.survey()));
  EXPECT_THAT(names(), ElementsAre("gauntlet-step-20", "gauntlet-step-30", "gauntlet-step-40", "notes.txt",
                                   "step-10"));
  EXPECT_THAT(names("gauntlet-step-40"), ElementsAre("notes.txt"));
  EXPECT_THAT(directory_.survey().whole, ElementsAre(30, 20));
}

TEST_F(Checkpoints, PruneKeepsTheNewestAndOneBefore) {
  for (const std::int64_t step : {10, 20}) make_whole(step);
  write_shards(25, 2);  // an older one that failed
  make_whole(30);
  write_shards(40, 1);  // the next one, begun by a rank that is ahead
  EXPECT_FALSE(directory_.prune(30));
  EXPECT_THAT(names(), ElementsAre("gauntlet-step-20", "gauntlet-step-30", "gauntlet-step-40"));
}

TEST_F(Checkpoints, TheNewestOfSeveralTiersIsLoaded) {
  constexpr JobIdentity alone{.seed = 7};
  DirectoryStorage quick_storage(scratch_.folder("quick")), durable_storage(scratch_.folder("durable"));
  const CheckpointTier quick(quick_storage, alone), durable(durable_storage, alone);
  const auto save = [&](const CheckpointTier& tier, std::int64_t step, const std::string& state) {
    ASSERT_FALSE(tier.write({.job = alone, .rank = 0, .step = step, .state = state}));
    ASSERT_FALSE(tier.commit(step));
  };
  const auto newest = [&] { return load_newest({&quick, &durable}, 0); };
  EXPECT_FALSE(newest().shard);
  save(durable, 10, "durable 10");
  save(durable, 20, "durable 20");
  save(quick, 20, "quick 20");
  save(quick, 30, "quick 30");
  EXPECT_EQ(newest().shard->state, "quick 30");

  flip(scratch_.path() / "quick/gauntlet-step-30/rank-0.shard", 50);
  EXPECT_EQ(newest().shard->state, "quick 20") << "of one step, the first tier has it";
  EXPECT_EQ(newest().passed_over.size(), 1U);
  flip(scratch_.path() / "quick/gauntlet-step-20/manifest", 50);
  EXPECT_EQ(newest().shard->state, "durable 20");
  fs::remove(scratch_.path() / "durable/gauntlet-step-20/rank-0.shard");
  EXPECT_EQ(newest().shard->state, "durable 10");
  EXPECT_EQ(newest().passed_over.size(), 3U);
  flip(scratch_.path() / "durable/gauntlet-step-10/rank-0.shard", 50);
  EXPECT_FALSE(newest().shard);
  EXPECT_FALSE(newest().problem);
}

TEST_F(Checkpoints, OfAnotherJobAreRefusedAndLeftAlone) {
  make_whole(10);
  const CheckpointTier other(storage_, {.seed = 8, .pp = 2, .dp = 2});
  const auto survey = other.survey();
  ASSERT_TRUE(survey.problem);
  EXPECT_THAT(survey.problem->text(),
              HasSubstr("is of another job (seed 7, tp 1, pp 2, dp 2, where this one has seed 8"));
  EXPECT_EQ(directory_.survey().newest(), 10);
}

TEST_F(Checkpoints, ATornShardIsNotCommitted) {
  write_shards(10);
  flip(step(10) / "rank-3.shard", 90);
  const auto problem = directory_.commit(10);
  ASSERT_TRUE(problem);
  EXPECT_THAT(problem->text(), HasSubstr("rank-3.shard: does not match its checksum"));
  EXPECT_FALSE(fs::exists(step(10) / "manifest"));
}

TEST_F(Checkpoints, AProbeLeavesNothing) {
  EXPECT_FALSE(directory_.probe(0, 4096));
  EXPECT_THAT(names(), IsEmpty());
  DirectoryStorage missing(path_ / "missing");
  const CheckpointTier nowhere(missing, kJob);
  const auto problem = nowhere.probe(0, 4096);
  ASSERT_TRUE(problem);
  EXPECT_THAT(problem->text(), HasSubstr("missing: cannot hold checkpoints"));
  EXPECT_THAT(problem->text(), HasSubstr("create it"));
}

TEST_F(Checkpoints, EveryNthIsKeptForever) {
  const CheckpointTier tier(storage_, kJob, {.keep = 1, .every = 3});
  for (std::int64_t step = 10; step <= 80; step += 10) {
    write_shards(step);
    ASSERT_FALSE(tier.commit(step));
    ASSERT_FALSE(tier.prune(step));
  }
  EXPECT_THAT(tier.manifests().whole, ElementsAre(80, 60, 30));
  EXPECT_EQ(tier.number_of(80), 8u);
  EXPECT_FALSE(tier.tidy(tier.survey()));
  EXPECT_THAT(tier.survey().whole, ElementsAre(80, 60, 30));
}

// What a writer said, and a wait for it.
class Heard {
 public:
  CheckpointWriter::Listener listener() {
    return {
        .saved = [this](std::int64_t step) { add("saved " + std::to_string(step)); },
        .failed = [this](std::int64_t step,
                         const Problem& why) { add("failed " + std::to_string(step) + ": " + why.text()); },
        .not_removed = [this](const Problem& why) { add("not removed: " + why.text()); }};
  }
  std::vector<std::string> all() {
    const std::lock_guard lock(mutex_);
    return lines_;
  }

 private:
  void add(std::string line) {
    const std::lock_guard lock(mutex_);
    lines_.push_back(std::move(line));
  }
  std::mutex mutex_;
  std::vector<std::string> lines_;
};

StagedCopy::Settings staged_of(HostMemory& memory) {
  return {.memory = memory, .state_bytes = shard_of(0, 0).state.size()};
}

TEST_F(Checkpoints, RankZeroSaysSavedWhenAllShardsAreThere) {
  Heard zero, others;
  LockedMemory memory;
  {
    std::vector<std::unique_ptr<CheckpointWriter>> writers;
    for (std::uint32_t rank = 0; rank < kJob.ranks(); ++rank)
      writers.push_back(std::make_unique<CheckpointWriter>(directory_, rank, staged_of(memory),
                                                           std::chrono::minutes(1),
                                                           rank == 0 ? zero.listener() : others.listener()));
    for (const std::int64_t step : {10, 20, 30})
      for (std::uint32_t rank = 0; rank < kJob.ranks(); ++rank)
        writers[rank]->write(step, {shard_of(rank, step).state});
    for (const auto& writer : writers) writer->wait_until_idle();
  }
  EXPECT_THAT(zero.all(), ElementsAre("saved 10", "saved 20", "saved 30"));
  EXPECT_THAT(others.all(), IsEmpty());
  EXPECT_THAT(names(), ElementsAre("gauntlet-step-20", "gauntlet-step-30"));
  EXPECT_THAT(directory_.survey().whole, ElementsAre(30, 20));
}

TEST_F(Checkpoints, AShardThatDoesNotComeLosesThatCheckpointAlone) {
  Heard heard;
  LockedMemory memory;
  CheckpointWriter writer(directory_, 0, staged_of(memory), std::chrono::milliseconds(20), heard.listener());
  writer.write(10, {shard_of(0, 10).state});
  writer.wait_until_idle();
  EXPECT_THAT(heard.all(), ElementsAre("failed 10: the shard of rank 1 did not come within 20ms"));
  EXPECT_EQ(directory_.survey().newest(), 0);

  for (std::uint32_t rank = 1; rank < kJob.ranks(); ++rank)
    ASSERT_FALSE(directory_.write(shard_of(rank, 20)));
  writer.write(20, {shard_of(0, 20).state});
  writer.wait_until_idle();
  EXPECT_EQ(heard.all().back(), "saved 20");
  EXPECT_THAT(names(), ElementsAre("gauntlet-step-20"));
}

// What a rank leaves when it is killed: its copy is complete, or is none.
TEST_F(Checkpoints, ACopyOutlivesItsRank) {
  const std::string path = scratch_.path() / "staged-1";
  const std::string state = shard_of(1, 10).state;
  const CopyKey key{.step = 10, .start = 3};
  {
    LockedMemory memory(path);
    StagedCopy copy({.memory = memory, .state_bytes = state.size(), .start = 3});
    EXPECT_FALSE(copy_in(path)) << "nothing was staged";
    copy.stage(kJob, 1, 10, {state.substr(0, 7), state.substr(7)});
  }
  EXPECT_EQ(copy_in(path), key);
  EXPECT_FALSE(read_copy(path, {.step = 10, .start = 2})) << "of another start";
  const auto shard = read_copy(path, key);
  ASSERT_TRUE(shard);
  EXPECT_EQ(read_shard(*shard).shard, shard_of(1, 10));
  {
    LockedMemory memory(path);
    StagedCopy again({.memory = memory, .state_bytes = state.size(), .start = 4});
    EXPECT_EQ(again.key(), key) << "its successor has it until it makes another";
    again.open();
    EXPECT_FALSE(copy_in(path)) << "half a copy is none";
    again.stage(kJob, 1, 20, {state});
    EXPECT_EQ(copy_in(path), (CopyKey{.step = 20, .start = 4}));
  }
  fs::resize_file(path, fs::file_size(path) - 1);
  EXPECT_FALSE(copy_in(path));
  EXPECT_FALSE(copy_in(scratch_.path() / "none"));
}

// With two copies one is complete at any time, also after the next start has begun to make its own.
TEST_F(Checkpoints, AWriterReplacesItsOldestCopy) {
  Heard heard;
  const std::string paths[] = {scratch_.path() / "staged-0", scratch_.path() / "staged-1"};
  const auto keys = [&] {
    std::set<std::int64_t> steps;
    for (const std::string& path : paths)
      if (const auto key = copy_in(path)) steps.insert(key->step);
    return steps;
  };
  for (std::uint64_t start = 1; start <= 2; ++start) {
    LockedMemory memories[] = {LockedMemory(paths[0]), LockedMemory(paths[1])};
    std::vector<StagedCopy::Settings> copies;
    for (LockedMemory& each : memories)
      copies.push_back({.memory = each, .state_bytes = shard_of(0, 0).state.size(), .start = start});
    CheckpointWriter writer(
        std::make_unique<OwnStageTwo>(directory_, OwnStageTwo::Settings{}, heard.listener()), kJob, 0,
        copies);
    const auto first = static_cast<std::int64_t>(start * 100);
    for (std::int64_t step = first; step < first + 3; ++step) {
      writer.write(step, {shard_of(0, step).state}, Tier::memory);
      if (step > 100) {
        EXPECT_EQ(keys(), (std::set{step == 200 ? 102 : step - 1, step}));
      }
    }
  }
  EXPECT_THAT(heard.all(), IsEmpty());
  EXPECT_THAT(names(), IsEmpty()) << "nothing goes to storage";
}

#ifndef GAUNTLET_SANITIZED  // a sanitizer locks nothing, and says that it did
TEST_F(Checkpoints, MemoryThatCannotBeLockedIsUsedAndSaidSo) {
  const rlimit none{.rlim_cur = 0, .rlim_max = 0};
  EXPECT_EXIT(
      {
        if (::geteuid() == 0 && ::setresuid(65534, 65534, 65534) != 0)
          std::_Exit(1);  // root may lock all the same
        ::setrlimit(RLIMIT_MEMLOCK, &none);
        LockedMemory memory;
        const HostMemory::Block block = memory.allocate(1 << 20);
        std::memset(block.bytes.data(), 1, block.bytes.size());
        const bool told = block.problem && block.problem->text().find("RLIMIT_MEMLOCK") != std::string::npos;
        memory.release(block.bytes);
        std::_Exit(told ? 0 : 2);
      },
      ::testing::ExitedWithCode(0), "");
}
#endif

TEST_F(Checkpoints, AWriterThatEndsDoesNotWaitForOthers) {
  Heard heard;
  LockedMemory memory;
  {
    CheckpointWriter writer(directory_, 0, staged_of(memory), std::chrono::hours(1), heard.listener());
    writer.write(10, {shard_of(0, 10).state});
  }
  EXPECT_THAT(heard.all(), IsEmpty());
  EXPECT_EQ(names("gauntlet-step-10"), std::set<std::string>{"rank-0.shard"});  // its own was seen through
  EXPECT_THAT(directory_.survey().unfinished, ElementsAre(10));
}

}  // namespace
}  // namespace gauntlet
