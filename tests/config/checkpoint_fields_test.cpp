// Checkpoints, their storage, starts and evaluation as a scenario says them: what cannot be meant, and what seldom is.
#include "tests/config/scenario_texts.hpp"

#include <gmock/gmock.h>

namespace gauntlet {
namespace {

using testing::HasSubstr;

/// kSmall, 2 hosts and a window of 10d, with more of [storage] and other tables from line 19 on.
struct Case {
  std::string more, says;
};

void expect_mistakes(const std::vector<Case>& cases) {
  for (const Case& each : cases) {
    const LoadedScenario loaded = load_text(kSmall + each.more);
    EXPECT_EQ(problems_of(loaded), each.says.empty() ? "" : "test.toml:" + each.says + "\n") << each.more;
    EXPECT_EQ(loaded.scenario.has_value(), each.says.empty()) << each.more;
  }
}

/// All warnings, each on a line.
std::string warnings_with(const std::string& more) {
  const LoadedScenario loaded = load_text(kSmall + more);
  EXPECT_EQ(problems_of(loaded), "") << more;
  std::string out;
  for (const Problem& warning : loaded.warnings) out += warning.text() + "\n";
  return out;
}

void expect_warnings(const std::vector<Case>& cases) {
  for (const Case& each : cases)
    EXPECT_EQ(warnings_with(each.more), each.says.empty() ? "" : "test.toml:" + each.says + "\n")
        << each.more;
}

TEST(Storage, CopiesAreOnHostsOfTheirOwn) {
  const std::string peers = "[checkpoint]\npeers_interval = \"5min\"\n";
  expect_mistakes({
      {"copies = 1\n", "19:10: storage.copies = 1 is below 2"},
      {"copies = 0\n" + peers, "19:10: storage.copies = 0 is below 2"},
      {"copies = 3\n" + peers,
       "19:10: storage.copies = 3 is more than the 2 hosts of the job (cluster.hosts); each copy is on a "
       "host of its "
       "own: write less, or leave checkpoint.peers_interval out"},
      {"copies = 3\n", ""},  // nobody asks for them
      {"copies = 2\n" + peers, ""},
  });
}

TEST(Storage, HasRoomForWhatIsKept) {
  // 1.2e9 parameters of 14 bytes are 16.8GB.
  expect_mistakes({
      {"capacity = \"40GB\"\n",
       "19:12: storage.capacity = \"40GB\" has no room for storage.keep_last = 2 checkpoints and the next "
       "one, "
       "16.8GB each; write \"50.4GB\" or more, or keep less"},
      {"capacity = \"50.3GB\"\n",
       "19:12: storage.capacity = \"50.3GB\" has no room for storage.keep_last = 2 checkpoints and the next "
       "one, "
       "16.8GB each; write \"50.4GB\" or more, or keep less"},
      {"capacity = \"50.4GB\"\n", ""},
      {"capacity = \"34GB\"\nkeep_last = 1\n", ""},
      {"capacity = \"0B\"\n", "19:12: storage.capacity = \"0B\" is not above zero"},
      {"keep_last = 0\n", "19:13: storage.keep_last = 0 is below 1"},
      {"keep_every = -1\n", "19:14: storage.keep_every = -1 is below 0"},
  });
  // Every tenth of 30min: 48 in 10 days, beside 3.
  const std::string kept = "keep_every = 10\n";
  expect_warnings({
      {"capacity = \"840GB\"\n" + kept,
       "19:12: storage.capacity = \"840GB\" is full before the window of 10d is over: storage.keep_every = "
       "10 keeps "
       "checkpoints of 16.8GB forever; the simulation continues as if there were room; write more, or a "
       "larger "
       "keep_every"},
      {"capacity = \"860GB\"\n" + kept, ""},
      {kept, ""},
  });
}

TEST(Storage, HasABandwidth) {
  expect_mistakes({
      {"write = \"0GB/s\"\n", "19:9: storage.write = \"0GB/s\" is not above zero"},
      {"read = \"0GB/s\"\n", "19:8: storage.read = \"0GB/s\" is not above zero"},
      {"write_per_host = \"0GB/s\"\n", "19:18: storage.write_per_host = \"0GB/s\" is not above zero"},
      {"read_per_rank = \"-1GB/s\"\n", "19:17: storage.read_per_rank = \"-1GB/s\" is negative"},
      {"tenants = 1.0\n",
       "19:11: storage.tenants = 1.0 leaves no bandwidth for checkpoints; write less than 1, such as 0.5"},
      {"tenants = 1.1\n", "19:11: storage.tenants = 1.1 is above 1"},
      {"tenants = -0.1\n", "19:11: storage.tenants = -0.1 is below 0"},
      {"tenants = 0.99\n", ""},
      {"weight_bytes = 14.5\n",
       "19:16: storage.weight_bytes = 14.5 is above storage.bytes_per_parameter, of which it is a part; "
       "write what one "
       "weight takes, such as 2.0"},
      {"weight_bytes = -1.0\n", "19:16: storage.weight_bytes = -1.0 is below 0"},
      {"weight_bytes = 14.0\n", ""},
      {"memory = { stall = \"-1s\" }\n", "19:20: storage.memory.stall = \"-1s\" is negative"},
  });
}

// Of a state that is smaller than bf16 weights the weights are all.
TEST(Storage, HasNoMoreWeightsThanState) {
  const auto weights = [](const std::string& bytes) {
    const LoadedScenario loaded = load_text(with(kSmall, "bytes_per_parameter = 14.0", bytes));
    EXPECT_EQ(problems_of(loaded), "");
    return loaded.scenario ? loaded.scenario->world.storage.weight_bytes : -1;
  };
  EXPECT_EQ(weights("bytes_per_parameter = 14.0"), 2);
  EXPECT_EQ(weights("bytes_per_parameter = 1.5"), 1.5);
  EXPECT_EQ(weights("bytes_per_parameter = 14.0\nweight_bytes = 1.0"), 1);
  const std::string other = with(kSmall, "hosts = 2", "hosts = 0");
  EXPECT_EQ(problems_of(load_text(with(other, "bytes_per_parameter = 14.0", "bytes_per_parameter = 1.5"))),
            "test.toml:3:9: cluster.hosts = 0 is below 1\n")
      << "one mistake is no other";
}

// Those forever are more every day, and a bill by the month has one size.
TEST(Storage, IsBilledForWhatItKeepsAtATime) {
  expect_mistakes({
      {"keep_every = 4\n[cost]\ntb_month = \"3USD\"\n",
       "21:12: cost.tb_month = \"3USD\" is given, and what storage.keep_every = 4 keeps forever grows and "
       "is "
       "not in the cost; leave one of them out"},
      {"keep_every = 4\n[cost]\ntb_month = \"0USD\"\n", ""},
      {"[cost]\ntb_month = \"3USD\"\n", ""},
  });
}

TEST(Cost, HasPricesThatCanBeSummed) {
  for (const std::string field : {"gpu_hour", "idle_gpu_hour", "tb_month"})
    expect_mistakes({
        {"[cost]\n" + field + " = \"1e300USD\"\n",
         "20:" + std::to_string(field.size() + 4) + ": cost." + field + " = \"1e300USD\" is above 1e+09USD"},
        {"[cost]\n" + field + " = \"1e9USD\"\n", ""},
    });
}

TEST(Storage, MishapsLeaveSomethingToLoad) {
  expect_mistakes({
      {"corrupt = 1.0\n",
       "19:11: storage.corrupt = 1.0 lets no checkpoint be loaded; write less than 1, such as 0.01"},
      {"corrupt = 1.5\n", "19:11: storage.corrupt = 1.5 is above 1"},
      {"corrupt = 0.99\n", ""},
      {"slow_factor = 0.5\n", "19:15: storage.slow_factor = 0.5 is below 1"},
  });
  expect_warnings({
      {"slow_write = 0.5\n",
       "19:14: storage.slow_write = 0.5 is given, and slow_factor = 1 makes no write longer; slow_factor = "
       "5.0, or "
       "leave it out"},
      {"slow_factor = 3.0\n",
       "19:15: storage.slow_factor = 3.0 is given, and slow_write = 0 makes no write slow; slow_write = "
       "0.05, or leave "
       "it out"},
      {"slow_write = 0.5\nslow_factor = 3.0\n", ""},
  });
}

// A policy that is not `fixed` may start from any interval, and write as fast as it finds good.
TEST(Checkpoints, HaveIntervalsThatCanBe) {
  expect_mistakes({
      {"[checkpoint]\ninterval = \"0s\"\n", "20:12: checkpoint.interval = \"0s\" is not above zero"},
      {"stall = \"2s\"\npersist = \"58s\"\n[checkpoint]\ninterval = \"59s\"\n",
       "22:12: checkpoint.interval = \"59s\" is below the 1min that a checkpoint takes to be durable; write "
       "\"1min\" or "
       "more, or give storage more bandwidth"},
      {"stall = \"2s\"\npersist = \"58s\"\n[checkpoint]\ninterval = \"1min\"\n", ""},
      {"[checkpoint]\ninterval = \"10min\"\nmemory_interval = \"20min\"\n",
       "21:19: checkpoint.memory_interval = \"20min\" is not below checkpoint.interval = 10min; checkpoints "
       "that go "
       "further serve it too: leave it out, or write less"},
      {"[checkpoint]\ninterval = \"10min\"\npeers_interval = \"10min\"\n",
       "21:18: checkpoint.peers_interval = \"10min\" is not below checkpoint.interval = 10min; checkpoints "
       "that go "
       "further serve it too: leave it out, or write less"},
      {"[checkpoint]\nmemory_interval = \"0s\"\n",
       "20:19: checkpoint.memory_interval = \"0s\" is not above zero"},
      {"[policies]\nrestore = \"peers\"\n",  // who reads from storage; memory is read without being asked
       "20:11: policies.restore = \"peers\" is not a way to restore; known are \"one-reader\", "
       "\"every-rank\""},
  });
}

// A tier takes the next one when it has the last: what is asked for more often is not to be had.
TEST(Checkpoints, AreNoMoreFrequentThanATierTakesThem) {
  const std::string slow = "peers = { persist = \"5min\" }\nmemory = { persist = \"2min\" }\n[checkpoint]\n";
  expect_mistakes({
      {slow + "peers_interval = \"4min\"\n",
       "22:18: checkpoint.peers_interval = \"4min\" is below the 5min until that tier holds all of a "
       "checkpoint; write \"5min\" or more, or leave it out"},
      {slow + "memory_interval = \"1min\"\n",
       "22:19: checkpoint.memory_interval = \"1min\" is below the 2min until that tier holds all of a "
       "checkpoint; write \"2min\" or more, or leave it out"},
      {slow + "peers_interval = \"5min\"\nmemory_interval = \"2min\"\n", ""},
      {slow + "prior_weight = 0\n", "22:16: checkpoint.prior_weight = 0 is not above 0"},
  });
}

// sqrt(2 x 2s x 1h) = 2min, which is less than storage takes.
TEST(Checkpoints, BeginWithAnIntervalThatStorageKeepsUpWith) {
  const auto begins = [](const std::string& policy, const std::string& persist, const std::string& more) {
    return "stall = \"2s\"\npersist = \"" + persist + "\"\n[policies]\ncheckpoint = \"" + policy +
           "\"\n[checkpoint]\nprior_mtbf = \"1h\"\n" + more;
  };
  expect_warnings({
      {begins("young", "121s", ""),
       "23:1: checkpoint.prior_cost = \"2s\", by default, and prior_mtbf let policies.checkpoint = \"young\" "
       "begin with an interval of 2min, below the 2min1s until a checkpoint is durable; one is saved every "
       "2min1s in its place; give storage more bandwidth, or write shortest = \"2min1s\""},
      {begins("young", "2min", ""), ""},
      {begins("young", "121s", "shortest = \"121s\"\n"), ""},
      {begins("fixed", "121s", ""), ""},
  });
  for (const std::string policy : {"daly", "exact", "two-level"})
    EXPECT_THAT(warnings_with(begins(policy, "10min", "")), HasSubstr("below the 10min until")) << policy;
}

TEST(Checkpoints, OfSaferTiersFallTogetherWithQuickerOnes) {
  const auto every = [](const std::string& memory, const std::string& storage) {
    return "[checkpoint]\nmemory_interval = \"" + memory + "\"\ninterval = \"" + storage + "\"\n";
  };
  expect_warnings({
      {every("9min", "10min"),
       "21:12: checkpoint.interval = \"10min\" becomes 18min: checkpoints that go further are taken with "
       "every so many of "
       "those each 9min; write a multiple of 9min"},
      {every("5min", "10min"), ""},
  });
}

TEST(Checkpoints, AreKeptAsFarBackAsRecoveryGoes) {
  const std::string back = "[recovery]\nroll_back = ";
  expect_warnings({
      {back + "2\n",
       "20:13: recovery.roll_back = 2 is further back than storage.keep_last = 2 checkpoints reach; the job "
       "then goes on from the oldest of them: write keep_last = 3 or more"},
      {back + "1\n", ""},
      {"keep_last = 3\n" + back + "2\n", ""},
      {"keep_every = 9\n" + back + "2\n", ""},
  });
}

// Whichever tier a checkpoint goes to, training waits for it.
TEST(Checkpoints, ThatStallAsLongAsAHangAreTakenForOne) {
  const std::string text = with(kSmall, "window = \"10d\"", "window = \"10d\"\nstep_time = \"5s\"");
  const auto says = [&](const std::string& tier, const std::string& more) {
    return problems_of(load_text(text + tier + " = { stall = \"10min\" }\n" + more));
  };
  const std::string hang =
      "detection.hang_timeout = \"10min\", by default, is not above a step and the stall "
      "of a checkpoint together, 10min5s";
  EXPECT_EQ(says("peers", ""), "") << "nobody asks for them";
  EXPECT_EQ(says("memory", ""), "");
  EXPECT_THAT(says("peers", "[checkpoint]\npeers_interval = \"20min\"\n"), HasSubstr(hang));
  EXPECT_THAT(says("memory", "[checkpoint]\nmemory_interval = \"20min\"\n"), HasSubstr(hang));
  EXPECT_THAT(says("memory", "[policies]\ncheckpoint = \"two-level\"\n"), HasSubstr(hang));
}

TEST(Starts, GrowFromAScale) {
  const std::string growth = "[job.start.growth]\ncommunicator_init = ";
  expect_mistakes({
      {growth + "1.0\n",
       "19:1: job.start.at_gpus = 0, by default, is missing, and growth says how phases grow from there; "
       "write at_gpus "
       "= 2048, the scale at which they were measured"},
      {growth + "9\n", "20:21: job.start.growth.communicator_init = 9 is above 4"},
      {growth + "nan\n", "20:21: job.start.growth.communicator_init = nan is not a finite number"},
      {"[job.start]\nat_gpus = -1\n", "20:11: job.start.at_gpus = -1 is below 0"},
      {"[job.start]\nat_gpus = 2048\ngrowth = { communicator_init = 1.0 }\n", ""},
      {growth + "0.0\n", ""},
  });
  expect_warnings({
      {"[job.start]\nat_gpus = 2048\n",
       "20:11: job.start.at_gpus = 2048 is given, and no phase grows from there; growth = { "
       "communicator_init = 1.0 }, "
       "or leave it out"},
      {"[job.start]\nat_gpus = 2048\ngrowth = { warm_up = -0.5 }\n", ""},
  });
}

TEST(Evaluation, HasARhythmAndALength) {
  expect_mistakes({
      {"[job.evaluation]\nevery = 100\n",
       "19:1: job.evaluation.time = \"0s\", by default, is zero, and every asks for evaluations; write time "
       "= \"2min\", "
       "or leave every out"},
      {"[job.evaluation]\ntime = \"2min\"\n",
       "19:1: job.evaluation.every = 0, by default, is zero, and time is given; write every = 1_000, or "
       "leave time "
       "out"},
      {"[job.evaluation]\nevery = -1\ntime = \"2min\"\n", "20:9: job.evaluation.every = -1 is below 0"},
  });
}

// No step completes meanwhile, and that is all that these detectors watch.
TEST(Evaluation, ThatLastsAsLongAsAHangIsTakenForOne) {
  const auto warnings = [](const std::string& time, const std::string& detector) {
    const std::string text = with(kSmall, "window = \"10d\"", "window = \"10d\"\nstep_time = \"5s\"");
    const LoadedScenario loaded = load_text(text + "[policies]\ndetect = [\"" + detector +
                                            "\"]\n[detection]\nhang_timeout = \"10min\"\n" +
                                            "[job.evaluation]\nevery = 100\ntime = \"" + time + "\"\n");
    EXPECT_EQ(problems_of(loaded), "");
    std::string out;
    for (const Problem& warning : loaded.warnings) out += warning.text() + "\n";
    return out;
  };
  EXPECT_EQ(warnings("9min54s", "hang"), "");
  EXPECT_EQ(
      warnings("9min55s", "hang"),
      "test.toml:23:16: detection.hang_timeout = \"10min\" is not above an evaluation and a step together, "
      "10min; "
      "every evaluation (job.evaluation) would be taken for a hang, and the job stopped: write \"20min\"\n");
  EXPECT_EQ(warnings("30min", "exit"), "");
  EXPECT_EQ(warnings("50s", "learned-hang"), "");
  EXPECT_THAT(
      warnings("2min", "learned-hang"),
      HasSubstr(
          "detection.learned_hang.floor = \"1min\", by default, is not above an evaluation and a step"));
}

TEST(Repairs, ThatNeverHoldAreSaidToBe) {
  const std::string repair = "[repair]\ntime = \"1h\"\n";
  expect_warnings({
      {repair + "silent_failure = 1.0\n",
       "21:18: repair.silent_failure = 1.0 and manual.silent_failure let no repair hold: hosts come back "
       "with their "
       "faults; write less than 1, such as 0.2"},
      {repair + "silent_failure = 0.99\n", ""},
      {repair + "silent_failure = 1.0\nmanual = { needed = 0.5, time = \"1d\" }\n", ""},
      {repair + "burn_in_finds = 0.5\n",
       "21:17: repair.burn_in_finds = 0.5 is given, and nothing is tested; write burn_in = \"1h\", or leave "
       "it "
       "out"},
  });
  expect_mistakes({
      {repair + "burn_in_finds = 1.1\n", "21:17: repair.burn_in_finds = 1.1 is above 1"},
      {repair + "manual = { needed = 2.0, time = \"1d\" }\n", "21:21: repair.manual.needed = 2.0 is above 1"},
      {repair + "silent_failure = nan\n", "21:18: repair.silent_failure = nan is not a finite number"},
  });
}

TEST(Repairs, AreOfFaultsThatNeedOne) {
  const auto warnings = [](const std::string& remedy) {
    return warnings_with("[repair]\ntime = \"1h\"\nby_cause = { a = { time = \"2h\" } }\n" +
                         with("[faults.a]\nmtbf = \"9d\"\n" + kCrash, "\"restart\"", "\"" + remedy + "\""));
  };
  const std::string says =
      "test.toml:21:18: repair.by_cause.a has no effect: faults.a.remedy is not a repair; write "
      "remedy = \"repair\" there, or leave it out\n";
  EXPECT_EQ(warnings("restart"), says);
  EXPECT_EQ(warnings("person"), says);
  EXPECT_EQ(warnings("repair"), "");
}

TEST(Spares, NeedACluster) {
  EXPECT_EQ(problems_of(load_text(with(kSmall, "hosts = 2", "hosts = 0") + "[spares]\ncount = 3\n")),
            "test.toml:3:9: cluster.hosts = 0 is below 1\n");
  EXPECT_EQ(problems_of(load_text(with(kSmall, "hosts = 2\n", "") + "[spares]\npolicy = \"quantile\"\n")),
            "test.toml:2:1: cluster.hosts is missing; write hosts = 128\n");
}

}  // namespace
}  // namespace gauntlet
