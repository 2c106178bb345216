// Custom policies in whole replicas and studies: shipped policies behind the custom interfaces, and policies that break a rule.
#include "config/brought.hpp"
#include "core/record/codec.hpp"
#include "study/experiment.hpp"
#include "study/order_check.hpp"
#include "tests/policies/custom/twins.hpp"
#include "tests/study/points.hpp"
#include "tests/study/seeded_study.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <functional>

namespace gauntlet {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

constexpr std::uint64_t kSeed = 3;

std::shared_ptr<const Point> week(const Settings& settings = {}) {
  const PointSource source("scenarios/tiny-8.toml", {}, kSeed);
  LoadedPoint loaded = source.point(settings);
  if (!loaded.point) throw std::runtime_error(loaded.problems.at(0).text());
  return loaded.point;
}

using Checkpoints = CustomFactory<CustomCheckpoint>;

std::shared_ptr<const Point> week_with(const CustomPolicies& custom, const Settings& settings) {
  const BroughtPolicies brought(std::make_shared<const CustomPolicies>(custom));
  return week(settings);
}
std::shared_ptr<const Point> week_with(const Checkpoints& checkpoints) {
  return week_with({.checkpoints = {checkpoints}}, {{"policies.checkpoint", checkpoints.name}});
}
std::shared_ptr<const Point> week_with(const CustomFactory<CustomRecovery>& recovery,
                                       Settings settings = {}) {
  settings.push_back({"policies.recover", recovery.name});
  return week_with({.recoveries = {recovery}}, settings);
}

ByteBuffer bytes_of(const Record& record) {
  ByteBuffer bytes;
  for (const Observed& seen : record.observations) encode(seen, bytes);
  for (const RecordedOrder& order : record.orders) encode(order.order, bytes);
  return bytes;
}

void expect_the_same(const Point& shipped, const Point& twin) {
  Simulation first(shipped.scenario.world, shipped.scenario.policies);
  Simulation second(twin.scenario.world, twin.scenario.policies);
  std::size_t orders = 0;
  for (std::uint32_t replica = 0; replica < 20; ++replica) {
    const std::uint64_t fingerprint = first.run({.seed = kSeed, .replica = replica}).fingerprint;
    EXPECT_EQ(second.run({.seed = kSeed, .replica = replica}).fingerprint, fingerprint);
    EXPECT_EQ(bytes_of(second.record()), bytes_of(first.record())) << "replica " << replica;
    orders += first.record().orders.size();
  }
  EXPECT_GT(orders, 1000U);  // there was something to compare
}

TEST(CustomPolicies, ACheckpointPolicyGivesTheRecordOfItsShippedTwin) {
  const auto daly = week({{"policies.checkpoint", "daly"}});
  const auto twin = week_with(made_as<CustomCheckpoint, DalyTwin>("DalyTwin"));
  const std::string line = "checkpoint = \"daly\"";  // all that tells their scenarios apart
  const auto place = daly->text.find(line);
  ASSERT_NE(place, std::string::npos);
  EXPECT_EQ(twin->text, std::string(daly->text).replace(place, line.size(), "checkpoint = \"DalyTwin\""));
  EXPECT_FALSE(daly->scenario.policies.custom);
  expect_the_same(*daly, *twin);
}

TEST(CustomPolicies, ADetectorGivesTheRecordOfItsShippedTwin) {
  const auto hang = week({{"policies.detect", R"(["heartbeat", "hang", "exit", "log"])"}});
  const auto twin = week_with({.detectors = {made_as<CustomDetector, HangTwin>("HangTwin")}},
                              {{"policies.detect", R"(["heartbeat", "HangTwin", "exit", "log"])"}});
  expect_the_same(*hang, *twin);
}

TEST(CustomPolicies, ARecoveryGivesTheRecordOfItsShippedTwin) {
  for (const bool restarts_first : {false, true}) {
    const auto shipped = week(
        {{"policies.recover", restarts_first ? "restart-in-place" : "replace"}, {"detection.gather", "20s"}});
    const auto twin = week_with(made_as<CustomRecovery, RecoveryTwin>("RecoveryTwin", restarts_first),
                                {{"detection.gather", "20s"}});
    expect_the_same(*shipped, *twin);
  }
}

// --- rules that are broken -----------------------------------------------------------------------------------------------

/// A checkpoint policy that saves every hour, and does something else once training began for the second time.
class Misbehaves final : public CustomCheckpoint {
 public:
  using Deed = std::function<void(WatchId watch, Time now, Orders& out)>;
  explicit Misbehaves(Deed deed) : deed_(std::move(deed)) {}

  void start(const CheckpointAssignment& given, Time, WatchIds& ids, Orders& out) override {
    watch_ = ids.take();
    out.add(CheckpointEvery{given.job, 1h});
  }
  void training_began(Time now, Orders& out) override {
    if (++starts_ == 2) deed_(watch_, now, out);
  }

 private:
  Deed deed_;
  WatchId watch_;
  int starts_ = 0;
};

std::shared_ptr<const Point> misbehaving(Misbehaves::Deed deed) {
  return week_with(made_as<CustomCheckpoint, Misbehaves>("Misbehaves", std::move(deed)));
}

std::optional<PolicyError> error_of(const Point& point, std::uint32_t replica = 7) {
  Simulation simulation(point.scenario.world, point.scenario.policies);
  try {
    simulation.run({.seed = kSeed, .replica = replica});
  } catch (const PolicyError& error) {
    return error;
  }
  return std::nullopt;
}

struct Broken {
  Misbehaves::Deed deed;
  const char* end;  // of the message
};

TEST(CustomPolicies, AMessageNamesPolicyReplicaObservationAndRule) {
  const std::vector<Broken> cases = {
      {[](WatchId, Time, Orders& out) {
         out.add(CheckpointEvery{JobId{0}, -1s});
       },
       ": the interval of periodic checkpoints must be above zero; it ordered CheckpointEvery{job=0 "
       "interval=-1000000000ns tier=storage}"},
      {[](WatchId, Time now, Orders& out) { out.add(Wake{now - 1s}); },
       ": a wake must not be in the past; it "},
      {[](WatchId, Time, Orders& out) { out.add(Evict{HostId{2}}); },
       ": a checkpoint policy must order only CheckpointEvery, Checkpoint, Watch, Unwatch, Wake and Cancel; "
       "it "
       "ordered Evict{host=2}"},
      {[](WatchId, Time, Orders& out) { out.add(Cancel{OrderId{1}}); },
       ": a policy must cancel only an order of its own without an outcome; it ordered Cancel{order=1}"},
      {[](WatchId watch, Time, Orders& out) {
         for (int i = 0; i < 2; ++i)
           out.add(Watch{watch, Signal::loss, Scope::all(ComponentKind::job), Sample{1}});
       },
       ": a watch must be taken back before another one with its id is ordered; it ordered Watch{"},
      {[](WatchId, Time now, Orders& out) {
         for (std::size_t i = 0; i <= PolicyGuard::kMostAtOnce; ++i) out.add(Wake{now});
       },
       ": a policy must give at most 10,000 orders at one time; it ordered Wake{"},
      {[](WatchId, Time, Orders&) { throw std::runtime_error("no such figure"); },
       ": a policy must not raise an exception; no such figure"},
  };
  for (const Broken& each : cases) {
    const auto error = error_of(*misbehaving(each.deed));
    ASSERT_TRUE(error);
    EXPECT_THAT(error->what(), StartsWith("checkpoint policy Misbehaves, replica 7 (seed 3), after "));
    EXPECT_THAT(error->what(), HasSubstr(" ns), answering Outcome{order="));
    EXPECT_THAT(error->what(), HasSubstr(each.end));
  }
}

/// Every wake is answered by another one at the same time: time would stand still.
class NeverEnds final : public CustomCheckpoint {
 public:
  void start(const CheckpointAssignment&, Time now, WatchIds&, Orders& out) override { out.add(Wake{now}); }
  void on(const Outcome&, Time now, Orders& out) override { out.add(Wake{now}); }
  using CustomCheckpoint::on;
};

TEST(CustomPolicies, APolicyThatStopsTimeIsEnded) {
  const auto point = week_with(made_as<CustomCheckpoint, NeverEnds>("NeverEnds"));
  const auto error = error_of(*point);
  ASSERT_TRUE(error);
  EXPECT_THAT(error->what(), HasSubstr("a policy must give at most 10,000 orders at one time"));
  ASSERT_TRUE(error->observation());
  EXPECT_EQ(error->observation()->at, kStart);
  // All of the policy's orders before that one were carried out.
  const auto& orders = error->record().orders;
  const auto wakes = std::count_if(orders.begin(), orders.end(), [](const RecordedOrder& each) {
    return std::holds_alternative<Wake>(each.order.what);
  });
  EXPECT_EQ(wakes, PolicyGuard::kMostAtOnce);
}

TEST(CustomPolicies, AWatchThatAgentsDoNotProvideIsAnError) {
  class Deaf final : public CustomDetector {
   public:
    void start(const Assignment&, Time, WatchIds& ids, Orders& out) override {
      out.add(Watch{ids.take(), Signal::heartbeat, Scope::all(ComponentKind::host), Silence{5s}});
    }
    void on(const Seen&, Time, Orders&, Suspicions&) override {}
    using CustomDetector::on;
  };
  const auto error = error_of(*week_with({.detectors = {made_as<CustomDetector, Deaf>("Deaf")}},
                                         {{"policies.detect", R"(["exit", "Deaf"])"}}));
  ASSERT_TRUE(error);
  EXPECT_THAT(error->what(), HasSubstr("detector Deaf, replica 7"));
  EXPECT_THAT(error->what(), HasSubstr("a watch must be one that the agents provide"));
}

TEST(CustomPolicies, APolicyThatCannotBeMadeIsAnError) {
  const Checkpoints fails = {
      "Fails", []() -> std::unique_ptr<CustomCheckpoint> { throw std::runtime_error("no memory of that"); }};
  auto error = error_of(*week_with(fails));
  ASSERT_TRUE(error);
  EXPECT_STREQ(error->what(),
               "checkpoint policy Fails, replica 7 (seed 3), before its first observation: a policy must not "
               "raise an exception; no memory of that");
  error = error_of(*week_with(Checkpoints{"None", [] { return nullptr; }}));
  ASSERT_TRUE(error);
  EXPECT_THAT(error->what(), HasSubstr("a policy must be made for each replica; nothing was made"));
}

/// Decides once for something that it may not.
class BadDecision final : public CustomRecovery {
 public:
  explicit BadDecision(RecoveryDecision decision) : decision_(std::move(decision)) {}
  RecoveryDecision stopped(const FaultStop&) override { return decision_; }
  RecoveryDecision found_nothing(const FaultStop&) override { return decision_; }

 private:
  RecoveryDecision decision_;
};

TEST(CustomPolicies, DecisionsAreChecked) {
  using What = RecoveryDecision::What;
  const std::vector<std::pair<RecoveryDecision, const char*>> cases = {
      {{What::replace}, "a decision to replace must name hosts; it names none"},
      {{What::restart, {HostId{1}}}, "only a decision to replace must name hosts; another one names 1"},
      {{What::replace, {HostId{8}}}, "a host that is to be replaced must carry the job; host 8 does not"},
      {{What::examine},
       "after an examination that found nothing, a recovery must decide for restart, replace or ask; it "
       "decided "
       "for examine"},
  };
  for (const auto& [decision, rule] : cases) {
    const auto point = week_with(made_as<CustomRecovery, BadDecision>("BadDecision", decision));
    std::optional<PolicyError> error;
    for (std::uint32_t replica = 0; replica < 40 && !error; ++replica) error = error_of(*point, replica);
    ASSERT_TRUE(error) << rule;
    EXPECT_THAT(error->what(), StartsWith("recovery BadDecision, replica "));
    EXPECT_THAT(error->what(), HasSubstr(rule));
  }
}

// --- recordings ----------------------------------------------------------------------------------------------------------

TEST(CustomPolicies, TheRecordingOfAnErrorReplaysToIt) {
  const auto point = misbehaving([](WatchId, Time, Orders& out) {
    out.add(Wake{kNever});
    out.add(Evict{HostId{2}});
  });
  auto error = error_of(*point);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->breach().before.size(), 1U);  // the wake
  error->scenario = point->text;
  const std::string path = testing::TempDir() + "custom_policy_error.gauntlet";
  std::filesystem::remove(path);
  ASSERT_FALSE(error->write_recording(path));

  const ReadRecording read = read_recording(path);
  ASSERT_TRUE(read.recording);
  EXPECT_EQ(read.recording->header.scenario, point->text);
  EXPECT_EQ(bytes_of(read.recording->record), bytes_of(error->record()));
  try {
    replay(read.recording->record, point->scenario.policies, error->replica());
    ADD_FAILURE() << "the policy broke no rule";
  } catch (const PolicyError& again) {
    EXPECT_STREQ(again.what(), error->what());
    EXPECT_EQ(bytes_of(again.record()), bytes_of(error->record()));
  }
  // A policy that was mended comes to the end of the recording.
  const auto mended = misbehaving([](WatchId, Time, Orders& out) { out.add(Wake{kNever}); });
  const Replayed replayed = replay(read.recording->record, mended->scenario.policies, error->replica());
  EXPECT_TRUE(replayed.ran_past_the_end);
  std::filesystem::remove(path);
}

// --- studies -------------------------------------------------------------------------------------------------------------

TEST(CustomPolicies, AnErrorEndsAStudyOnThreads) {
  const PointSource source("scenarios/tiny-8.toml", {}, kSeed);
  for (const unsigned threads : {1U, 4U}) {
    SeededStudy study(source, kSeed, threads);
    const PointNumber point =
        study.experiment.add(misbehaving([](WatchId, Time, Orders& out) { out.add(Evict{HostId{2}}); }));
    try {
      study.experiment.ensure({{point}}, 64);
      ADD_FAILURE() << "the study was not ended";
    } catch (const PolicyError& error) {
      EXPECT_THAT(error.what(), HasSubstr("checkpoint policy Misbehaves, replica 0 (seed 3)"));
      EXPECT_EQ(error.scenario, study.experiment.point(point).text);
    }
  }
}

/// Replicas up to the first where training begins a second time go well.
TEST(CustomPolicies, AnErrorOfALaterReplicaEndsAStudyToo) {
  const PointSource source("scenarios/tiny-8.toml", {}, kSeed);
  SeededStudy study(source, kSeed, 4);
  const auto late = misbehaving([](WatchId, Time now, Orders& out) {
    if (now > kStart + 50h) out.add(Evict{HostId{2}});
  });
  const PointNumber point = study.experiment.add(late);
  EXPECT_THROW(study.experiment.ensure({{point}}, 2000), PolicyError);
}

/// Saves less often in each replica that follows in this process.
class Leaks final : public CustomCheckpoint {
 public:
  explicit Leaks(std::shared_ptr<std::atomic<int>> replicas) : replicas_(std::move(replicas)) {}
  void start(const CheckpointAssignment& given, Time, WatchIds&, Orders& out) override {
    out.add(CheckpointEvery{given.job, std::chrono::minutes(10 + ++*replicas_)});
  }

 private:
  std::shared_ptr<std::atomic<int>> replicas_;
};

TEST(CustomPolicies, StateThatOutlivesAReplicaIsFound) {
  const PointSource source("scenarios/tiny-8.toml", {}, kSeed);
  SeededStudy study(source, kSeed);
  const auto leaks = made_as<CustomCheckpoint, Leaks>("Leaks", std::make_shared<std::atomic<int>>(0));
  const PointNumber point = study.experiment.add(week_with(leaks));
  try {
    study.experiment.ensure({{point}}, 2);
    ADD_FAILURE() << "the policy was taken for one that keeps no state";
  } catch (const PolicyError& error) {
    EXPECT_THAT(
        error.what(),
        StartsWith("checkpoint policy Leaks, replica 0 (seed 3), after 0s (0 ns), answering Started{"));
    // The first of the study alone, its two replicas, and the repetition.
    EXPECT_THAT(error.what(),
                HasSubstr("a policy must give the same orders for the same observations in each replica; the "
                          "first time: CheckpointEvery{job=0 interval=660000000000ns tier=storage}; now: "
                          "CheckpointEvery{job=0 interval=840000000000ns tier=storage}; it keeps state"));
  }
}

TEST(CustomPolicies, AStudyComparesShippedAndCustomPolicies) {
  const PointSource source("scenarios/tiny-8.toml", {}, kSeed);
  SeededStudy study(source, kSeed, 2);
  const CustomPolicies custom = {.checkpoints = {made_as<CustomCheckpoint, DalyTwin>("DalyTwin")}};
  const BroughtPolicies brought(std::make_shared<const CustomPolicies>(custom));
  const PointSource base("scenarios/tiny-8.toml", {}, kSeed);
  const PointNumber shipped = study.experiment.add(base.point().point);
  const Settings settings = {{"policies.checkpoint", "DalyTwin"}};
  const PointNumber twin = study.experiment.add(base.point(settings).point);
  EXPECT_NE(shipped, twin);
  EXPECT_EQ(study.experiment.add(base.point(settings).point), twin);
  ASSERT_TRUE(study.experiment.ensure({{shipped, twin}}, 32));
  const auto values = [&](PointNumber point) {
    std::vector<std::optional<double>> out;
    for (const Fraction& each : study.experiment.values(point, "goodput_tokens_per_s", 32))
      out.push_back(each.value());
    return out;
  };
  EXPECT_EQ(values(shipped), values(twin));
  // Another policy of that name would be taken for the first one.
  EXPECT_THROW(study.experiment.add(week_with(custom, settings)), std::invalid_argument);
}

}  // namespace
}  // namespace gauntlet
