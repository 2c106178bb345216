// Real ranks: gauntlet-trainer in as many processes as the job has ranks.
#include "core/layout.hpp"
#include "core/quantity.hpp"
#include "real/trainer/model/batch.hpp"
#include "real/trainer/model/stage.hpp"
#include "tests/real/scratch.hpp"
#include "tests/real/trainer_process.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace gauntlet {
namespace {

namespace fs = std::filesystem;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using Kind = RankLine::Kind;
using Ranks = std::vector<std::unique_ptr<TrainerProcess>>;

/// The same training in one process, which has the whole model and the whole batch: the model's hash.
std::uint64_t hash_of_one_process(const TrainerJob& job) {
  Stage model(job.seed, {});
  const Stage::Sum alone = [](std::span<Fixed>) {};
  for (std::int64_t step = 1; step <= job.steps; ++step) {
    const Samples samples = make_samples(job.seed, step, job.global_batch, 0, job.global_batch);
    Stage::Pass pass;
    std::vector<double> errors = model.forward(samples.inputs, pass, alone);
    for (std::size_t i = 0; i < errors.size(); ++i) errors[i] -= samples.targets[i];
    std::vector<Fixed> gradient(model.parameters().size());
    model.backward(pass, errors, gradient, alone);
    model.update(gradient, errors.size());
  }
  return model.hash();
}

/// Every replica ends with that model.
void expect_model(const std::vector<std::uint64_t>& hashes, const TrainerJob& job) {
  const Layout layout{.tp = job.tp, .pp = job.pp, .dp = job.dp};
  ASSERT_EQ(hashes.size(), layout.ranks());
  std::vector<std::uint64_t> models(job.dp);
  for (std::uint32_t rank = 0; rank < layout.ranks(); ++rank)
    models[layout.coordinates(rank).dp] += hashes[rank];
  EXPECT_EQ(models, std::vector<std::uint64_t>(job.dp, hash_of_one_process(job)));
}

class Trainer : public ::testing::Test {
 protected:
  TrainerJob job(const std::string& name = "job") const { return {.directory = scratch_.folder(name)}; }

  /// Every rank goes on after the same step, which it returns.
  static std::int64_t common_start(const Ranks& ranks) {
    std::set<std::int64_t> steps;
    for (const auto& rank : ranks)
      if (const auto up = rank->wait_for([](const RankLine& line) { return line.kind == Kind::up; }))
        steps.insert(up->step);
    EXPECT_EQ(steps.size(), 1U);
    return steps.empty() ? -1 : *steps.begin();
  }

  Scratch scratch_;
};

TEST_F(Trainer, AnyLayoutTrainsAsOneProcessWould) {
  struct Shape {
    std::uint32_t tp, pp, dp;
  };
  // All of dp 1, 2, 4 with tp 1, 2 and pp 1, 2 within eight ranks; sizes that divide neither the units nor the blocks; micro-batches of two.
  for (const Shape shape : {Shape{1, 1, 1}, Shape{1, 1, 2}, Shape{1, 1, 4}, Shape{1, 2, 1}, Shape{1, 2, 2},
                            Shape{1, 2, 4}, Shape{2, 1, 1}, Shape{2, 1, 2}, Shape{2, 1, 4}, Shape{2, 2, 1},
                            Shape{2, 2, 2}, Shape{1, 3, 1}, Shape{3, 1, 1}, Shape{1, 1, 3}, Shape{1, 4, 1}}) {
    TrainerJob job =
        this->job(std::to_string(shape.tp) + "x" + std::to_string(shape.pp) + "x" + std::to_string(shape.dp));
    SCOPED_TRACE(job.directory);
    job.tp = shape.tp;
    job.pp = shape.pp;
    job.dp = shape.dp;
    job.micro_batch = shape.dp == 2 ? 2 : 1;
    job.steps = 5;
    expect_model(final_hashes(job.start_all()), job);
  }
}

TEST_F(Trainer, TheBytesAreTheSameOnAnyMachine) {
  // As g++ 12 and clang 14 both had them when the model was written; no other source.
  TrainerJob job = this->job();
  const std::uint64_t hash = hash_of_one_process(job);
  EXPECT_EQ(hash, 0x27dfc591a652dbc3U);
  job.seed = 2;
  EXPECT_NE(hash_of_one_process(job), hash);
}

TEST_F(Trainer, LinesTellWhatHappened) {
  TrainerJob job = this->job();
  job.checkpoint_every = 4;
  job.step_time = "2ms";
  const Ranks ranks = job.start_all();
  expect_model(final_hashes(ranks), job);  // with checkpoints as without
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    SCOPED_TRACE("rank " + std::to_string(rank));
    std::vector<std::string> said;
    std::int64_t before = 0, segments = 0, losses = 0;
    for (const RankLine& line : ranks[rank]->lines()) {
      EXPECT_GE(line.at_ns, before);
      before = line.at_ns;
      if (line.kind == Kind::step) {
        EXPECT_GE(line.took_ns, 2'000'000);
      }
      if (line.kind == Kind::segment) {
        EXPECT_TRUE(line.pattern == "forward" || line.pattern == "backward") << line.pattern;
        segments += line.pattern == "forward" ? 1 : 0;
        continue;
      }
      if (line.kind == Kind::loss) {
        EXPECT_EQ(rank, 2U) << "the first rank of the last stage speaks for all";
        EXPECT_EQ(line.step, ++losses);
        EXPECT_GT(line.value, 0);
        continue;
      }
      if (line.kind != Kind::saved) said.push_back(to_line(line).substr(to_line(line).find(' ') + 1));
      if (line.kind == Kind::step || line.kind == Kind::stall)
        said.back() = said.back().substr(0, said.back().rfind(' '));
    }
    said.back() = said.back().substr(0, said.back().rfind(' '));
    // A checkpoint after every fourth step, and none after the last.
    EXPECT_THAT(said, ::testing::ElementsAre("phase process_start", "phase communicator_init", "up 0",
                                             "step 1", "step 2", "step 3", "step 4", "stall 4", "step 5",
                                             "step 6", "step 7", "step 8", "stall 8", "step 9", "step 10",
                                             "step 11", "step 12", "finished 12"));
    EXPECT_EQ(segments, job.steps);
    EXPECT_EQ(losses, rank == 2 ? job.steps : 0);
    std::vector<std::int64_t> saved;
    for (const RankLine& line : ranks[rank]->lines())
      if (line.kind == Kind::saved) saved.push_back(line.step);
    EXPECT_EQ(saved, rank == 0 ? std::vector<std::int64_t>({4, 8}) : std::vector<std::int64_t>());
  }
}

/// The ranks but `lost` hang on it until the timeout, and not for less.
void expect_hang(const Ranks& ranks, std::size_t lost, Duration timeout) {
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    if (rank == lost) continue;
    SCOPED_TRACE("rank " + std::to_string(rank));
    EXPECT_EQ(ranks[rank]->wait_for_exit(), kExitCollectiveTimeout) << ranks[rank]->standard_error();
    const auto& lines = ranks[rank]->lines();
    ASSERT_GE(lines.size(), 2U);
    const RankLine& last = lines.back();
    EXPECT_EQ(last.kind, Kind::log);
    EXPECT_EQ(last.pattern, "collective_timeout");
    EXPECT_THAT(last.text, HasSubstr("waited " + to_text(timeout) + " for rank "));
    // It began to wait after it had said what it said before.
    const RankLine& before =
        *std::find_if(lines.rbegin(), lines.rend(), [](const RankLine& l) { return l.kind == Kind::step; });
    EXPECT_GE(last.at_ns - before.at_ns, timeout.count());
  }
}

TEST_F(Trainer, ALostRankHangsTheOthersAndTheRestartGoesOnFromTheCheckpoint) {
  constexpr auto kTimeout = std::chrono::seconds(3);  // the wait for it is the length of this test
  TrainerJob job = this->job();
  job.steps = 60;
  job.checkpoint_every = 3;
  job.step_time = "50ms";
  job.collective_timeout = to_text(kTimeout);
  TrainerJob other = job;
  other.directory = scratch_.folder("other");
  {
    const Ranks ranks = job.start_all(), others = other.start_all();
    ASSERT_TRUE(ranks[0]->wait_for(Kind::saved, 6));
    ranks[3]->signal(SIGKILL);
    ASSERT_TRUE(others[1]->wait_for(Kind::step, 2));
    others[1]->signal(SIGSTOP);
    expect_hang(ranks, 3, kTimeout);
    expect_hang(others, 1, kTimeout);
    EXPECT_EQ(ranks[3]->wait_for_exit(), 128 + SIGKILL);
  }
  job.step_time = "0s";
  job.collective_timeout = "60s";
  const Ranks ranks = job.start_all();
  const std::int64_t start = common_start(ranks);
  EXPECT_GE(start, 6);
  EXPECT_EQ(start % 3, 0);
  expect_model(final_hashes(ranks), job);
}

TEST_F(Trainer, ObeysItsAgentAtAStepBoundary) {
  TrainerJob job = this->job();
  job.tp = 2;
  job.steps = 100'000;
  job.step_time = "2ms";
  const Ranks ranks = job.start_all();
  ASSERT_TRUE(ranks[0]->wait_for(Kind::step, 3));
  ranks[0]->tell("checkpoint");  // out of turn: none was due
  const auto first = ranks[0]->wait_for([](const RankLine& line) { return line.kind == Kind::saved; });
  ASSERT_TRUE(first);
  EXPECT_GE(first->step, 3);
  ranks[0]->tell("cadence 7");
  for (int i = 0; i < 2; ++i) {
    const auto next = ranks[0]->wait_for([](const RankLine& line) { return line.kind == Kind::saved; });
    ASSERT_TRUE(next);
    EXPECT_EQ(next->step % 7, 0);
  }
  ranks[0]->tell("stop");
  std::vector<std::uint64_t> hashes = final_hashes(ranks);
  job.steps = ranks[0]->lines().back().step;
  EXPECT_LT(job.steps, 100'000);
  expect_model(hashes, job);
}

TEST_F(Trainer, AStepTakesItsTimeInWorkAndWaiting) {
  TrainerJob job = this->job();
  job.pp = job.dp = 1;
  job.steps = 10;
  job.step_time = "40ms";
  const auto rank = job.start(0);
  ASSERT_EQ(rank->wait_for_exit(), kExitFinished);
  Duration segments{};
  std::int64_t steps = 0;
  for (const RankLine& line : rank->lines()) {
    if (line.kind == Kind::step) {
      EXPECT_GE(Duration(line.took_ns), std::chrono::milliseconds(40));
      ++steps;
    }
    if (line.kind == Kind::segment) segments += Duration(line.took_ns);
  }
  // Of each step 0.8 are segments, and at least the half of them that is waited for: the other half is as long as the core needs.
  EXPECT_EQ(steps, 10);
  EXPECT_GE(segments, std::chrono::milliseconds(10 * 40 * 8 / 10 / 2));
}

TEST_F(Trainer, AStopThatEndsInTimeLeavesNoTrace) {
  TrainerJob job = this->job();
  job.step_time = "5ms";
  const Ranks ranks = job.start_all();
  ASSERT_TRUE(ranks[2]->wait_for(Kind::step, 2));
  ranks[2]->signal(SIGSTOP);
  siginfo_t stopped{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(ranks[2]->pid()), &stopped, WSTOPPED), 0);
  ranks[2]->signal(SIGCONT);
  expect_model(final_hashes(ranks), job);
}

TEST_F(Trainer, WithoutAReaderARankEnds) {
  TrainerJob alone = job("alone");
  alone.pp = alone.dp = 1;
  alone.steps = 1'000'000;
  alone.step_time = "1ms";
  const auto training = alone.start(0);
  ASSERT_TRUE(training->wait_for(Kind::up, 0));
  training->stop_reading();
  EXPECT_EQ(training->wait_for_exit(), kExitFailed);

  TrainerJob first = job("waiting");
  first.collective_timeout = "1h";      // not what ends it
  const auto waiting = first.start(0);  // for the other three, which never come
  waiting->stop_reading();
  EXPECT_EQ(waiting->wait_for_exit(), kExitFailed);

  TrainerJob pair = job("pair");
  pair.pp = 1;
  pair.steps = 1'000'000;
  pair.step_time = "1ms";
  pair.collective_timeout = "1h";  // not what ends it
  const Ranks ranks = pair.start_all();
  ASSERT_TRUE(ranks[0]->wait_for(Kind::step, 1));
  ranks[1]->signal(SIGKILL);
  EXPECT_EQ(ranks[1]->wait_for_exit(), 128 + SIGKILL);
  ranks[0]->stop_reading();  // it hangs on the other, or is about to
  EXPECT_EQ(ranks[0]->wait_for_exit(), kExitFailed);
}

TEST_F(Trainer, ADamagedCheckpointIsPassedOverByAllRanks) {
  TrainerJob job = this->job();
  job.checkpoint_every = 3;
  const auto hashes = final_hashes(job.start_all());
  flip(job.checkpoints() / "gauntlet-step-9" / "rank-2.shard", 100);
  fs::create_directories(job.checkpoints() / "gauntlet-step-11");
  put_bytes(job.checkpoints() / "gauntlet-step-11" / "rank-1.shard.tmp", "of a dead run");

  const Ranks ranks = job.start_all();
  const auto log = ranks[2]->wait_for_log("checkpoint_damaged");  // which read it
  ASSERT_TRUE(log);
  EXPECT_THAT(
      log->text,
      HasSubstr("the checkpoint of step 9 is damaged and is set aside, training goes on after step 6"));
  EXPECT_THAT(log->text, HasSubstr("gauntlet-step-9/rank-2.shard: has another checksum"));
  EXPECT_EQ(common_start(ranks), 6);
  EXPECT_EQ(final_hashes(ranks), hashes);
  EXPECT_THAT(ranks[2]->standard_error(), HasSubstr("warning: " + log->text));
  EXPECT_TRUE(fs::exists(job.checkpoints() / "gauntlet-damaged-9"));
  EXPECT_FALSE(fs::exists(job.checkpoints() / "gauntlet-step-11"));
  EXPECT_TRUE(fs::exists(job.checkpoints() / "gauntlet-step-9" / "manifest"));  // taken again
}

// The shards of a second replica are read by its ranks alone.
TEST_F(Trainer, OneReaderOfEachGroupReadsAndBroadcastsOrEveryRankReads) {
  TrainerJob job = this->job();
  job.dp = 3;
  job.checkpoint_every = 3;
  const auto hashes = final_hashes(job.start_all());
  flip(job.checkpoints() / "gauntlet-step-9" / "rank-1.shard", 100);
  job.checkpoint_every = 0;  // the directory stays as it is

  job.restore = "one-reader";
  const Ranks broadcast = job.start_all();
  EXPECT_EQ(common_start(broadcast), 9);
  EXPECT_EQ(final_hashes(broadcast), hashes);

  job.restore = "every-rank";
  const Ranks each = job.start_all();
  EXPECT_EQ(common_start(each), 6);
  EXPECT_EQ(final_hashes(each), hashes);

  // More replicas than the checkpoint has, and fewer.
  for (const std::uint32_t replicas : {4U, 2U, 1U}) {
    job.dp = replicas;
    for (const char* restore : {"one-reader", "every-rank"}) {
      job.restore = restore;
      const Ranks other = job.start_all();
      EXPECT_EQ(common_start(other), replicas <= 1 || job.restore == "one-reader" ? 9 : 6)
          << replicas << ' ' << restore;
      expect_model(final_hashes(other), job);
    }
  }
}

// No rank wrote anything to storage when all were killed: the next start goes on from what their host still has in memory.
TEST_F(Trainer, ACheckpointInMemoryOutlivesItsRanksAndNotItsHost) {
  TrainerJob job = this->job();
  job.pp = 1;
  job.steps = 1000;
  job.checkpoint_every = 900;
  job.memory_every = 2;
  job.step_time = "5ms";
  job.staged = (job.directory / "staged-").string();
  {
    const Ranks ranks = job.start_all();
    ASSERT_TRUE(ranks[0]->wait_for(Kind::step, 9));
    for (const auto& rank : ranks) rank->signal(SIGKILL);
  }
  std::vector<std::int64_t> begun;
  for (int start = 0; start < 2; ++start) {
    ++job.number;
    const Ranks ranks = job.start_all();
    begun.push_back(common_start(ranks));
    EXPECT_GE(begun.back(), 8);
    EXPECT_EQ(begun.back() % 2, 0);
    for (const auto& rank : ranks) rank->signal(SIGKILL);  // before it has made any
  }
  EXPECT_EQ(begun[0], begun[1]) << "what was loaded stays in memory";

  job.steps = begun[1] + 5;
  ++job.number;
  const Ranks last = job.start_all();
  EXPECT_EQ(common_start(last), begun[1]);
  expect_model(final_hashes(last), job);

  fs::remove(job.staged + "1-0");
  fs::remove(job.staged + "1-1");
  ++job.number;
  EXPECT_EQ(common_start(job.start_all()), 0);
}

TEST_F(Trainer, AWriteThatFailsLosesThatCheckpointAlone) {
  TrainerJob job = this->job();
  job.pp = job.dp = 1;
  job.steps = 2000;
  job.checkpoint_every = 1;
  job.step_time = "5ms";
  {
    const auto rank = job.start(0);
    ASSERT_TRUE(rank->wait_for(Kind::saved, 1));
    const auto limit_files = [&](rlim_t bytes) {
      const rlimit limit{.rlim_cur = bytes, .rlim_max = RLIM_INFINITY};
      ASSERT_EQ(::prlimit(rank->pid(), RLIMIT_FSIZE, &limit, nullptr), 0);
    };
    limit_files(0);  // as a disk that fills up
    const auto log = rank->wait_for_log("checkpoint_failed");
    ASSERT_TRUE(log);
    // Of the shard, or of the manifest where the shard was written before the limit.
    EXPECT_THAT(log->text, testing::AnyOf(HasSubstr("/rank-0.shard.tmp: "), HasSubstr("/manifest.tmp: ")));
    EXPECT_THAT(log->text, HasSubstr(".tmp: cannot be written (File too large); free some space"));
    limit_files(RLIM_INFINITY);
    ASSERT_TRUE(rank->wait_for([](const RankLine& line) { return line.kind == Kind::saved; }));
  }
  job.step_time = "0s";
  job.checkpoint_every = 0;
  const Ranks ranks = job.start_all();
  EXPECT_GT(common_start(ranks), 1);
  expect_model(final_hashes(ranks), job);
}

TEST_F(Trainer, WhereNoCheckpointCanBeWrittenNothingStarts) {
  TrainerJob job = this->job();
  job.checkpoint_every = 3;
  const auto full = job.start(0, [] {
    const rlimit none{.rlim_cur = 0, .rlim_max = 0};
    ::setrlimit(RLIMIT_FSIZE, &none);
  });
  EXPECT_EQ(full->wait_for_exit(), kExitFailed);
  EXPECT_THAT(full->standard_error(),
              HasSubstr("checkpoints: cannot hold checkpoints: it is not writable (File "
                        "too large); free some space there, or name another directory"));

  fs::permissions(job.checkpoints(), fs::perms::owner_read | fs::perms::owner_exec);
  // The superuser may write into a read-only directory, unless it gives that up.
  const auto read_only = job.start(0, [] { ::prctl(PR_CAPBSET_DROP, CAP_DAC_OVERRIDE); });
  EXPECT_EQ(read_only->wait_for_exit(), kExitFailed);
  EXPECT_THAT(
      read_only->standard_error(),
      HasSubstr("checkpoints: cannot hold checkpoints: it is not writable (Permission denied); let this"));
  fs::permissions(job.checkpoints(), fs::perms::owner_all);

  fs::remove(job.checkpoints());
  TrainerProcess missing(job.arguments(0), job.environment());
  EXPECT_EQ(missing.wait_for_exit(), kExitFailed);
  EXPECT_THAT(missing.standard_error(), HasSubstr("(No such file or directory); create it"));
}

TEST_F(Trainer, CheckpointsThatCannotBeGoneOnFromAreRefused) {
  TrainerJob job = this->job();
  job.pp = job.dp = 1;
  job.checkpoint_every = 5;
  final_hashes(job.start_all());

  TrainerJob other = job;
  other.seed = 2;
  const auto foreign = other.start(0);
  EXPECT_EQ(foreign->wait_for_exit(), kExitFailed);
  EXPECT_THAT(foreign->standard_error(),
              HasSubstr("is of another job (seed 1, tp 1, pp 1, dp 1, where this one has seed 2"));

  job.steps = 7;
  const auto shorter = job.start(0);
  EXPECT_EQ(shorter->wait_for_exit(), kExitFailed);
  EXPECT_THAT(shorter->standard_error(), HasSubstr("holds step 10 where training is to end at step 7"));
}

TEST_F(Trainer, WrongArgumentsAreNamed) {
  struct Case {
    const char* option;
    const char* value;
    const char* says;
  };
  const TrainerJob job = this->job();
  for (const Case& wrong :
       {Case{"--rank", "4", "--rank 4 is not among 1 x 2 x 2 ranks"}, Case{"--pp", "0", "--pp"},
        Case{"--dp", "-1", "--dp"}, Case{"--dp", "4096", "more than 4096"}, Case{"--steps", "0", "--steps"},
        Case{"--steps", "many", "--steps"}, Case{"--checkpoint-every", "-1", "--checkpoint-every"},
        Case{"--step-time", "200", "\"200\" has no unit"},
        Case{"--collective-timeout", "0s", "--collective-timeout: must be above zero"},
        Case{"--tp", "17", "--tp"}, Case{"--global-batch", "3", "--global-batch 3 is not a multiple of 2"},
        Case{"--bogus", "1", "--bogus"}}) {
    SCOPED_TRACE(std::string(wrong.option) + " " + wrong.value);
    std::vector<std::string> arguments = job.arguments(0);
    const auto place = std::find(arguments.begin(), arguments.end(), wrong.option);
    if (place == arguments.end())
      arguments.insert(arguments.end(), {wrong.option, wrong.value});
    else
      *(place + 1) = wrong.value;
    TrainerProcess process(arguments, job.environment());
    EXPECT_EQ(process.wait_for_exit(), kExitUsage);
    EXPECT_THAT(process.standard_error(), HasSubstr(wrong.says));
  }
}

}  // namespace
}  // namespace gauntlet
