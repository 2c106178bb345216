#include "study/store/store.hpp"

#include "study/store/scenario_difference.hpp"
#include "study/summary/metrics.hpp"
#include "tests/study/store/random_figures.hpp"
#include "tests/study/store/sample_study.hpp"

#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>

namespace gauntlet {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string> kFaults = {"gpu", "nic", "disk"};

StudyIdentity sample_identity() {
  return {.command = "sweep",
          .arguments = "gauntlet sweep sample --vary checkpoint.interval=5min,10min",
          .version = "0.1.0",
          .seed = 18446744073709551615U,  // seeds have all 64 bits
          .scenario = "sample",
          .text = "name = \"sample\"\n\n[checkpoint]\ninterval = \"10min\"\nlevels = [\n  1,\n]\n"};
}

/// Point 0 has two kinds of faults, point 1 one that the other does not have.
StoredPoint sample_point(std::uint32_t number) {
  StoredPoint point{.label = "it's \"p\"",
                    .settings = {{"checkpoint.interval", std::to_string(number) + "min"}, {"a", "2"}},
                    .text = "point = " + std::to_string(number) + "\n",
                    .facts = sample_facts()};
  point.facts.version = sample_identity().version;
  point.facts.seed = sample_identity().seed;
  if (number == 1) point.facts.faults = {"disk"};
  return point;
}
std::uint32_t kinds_of(std::uint32_t point) { return point == 1 ? 1 : 2; }

/// A replica, the same whenever it is asked for; only the first three keep their incidents.
Figures replica_of(std::uint32_t point, std::uint32_t replica) {
  return random_figures(1000 * point + replica, kinds_of(point), replica < 3 ? replica + 1 : 0);
}
void add(Store& store, std::uint32_t point, std::uint32_t count) {
  std::vector<Figures> figures;
  const std::uint32_t first = store.replicas(point);
  for (std::uint32_t i = 0; i < count; ++i) figures.push_back(replica_of(point, first + i));
  store.add(point, first, figures);
}

std::string bytes_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

class ResultsStore : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "gauntlet-store-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    scratch_ = name;
    file_ = scratch_ / "results.sqlite";
  }
  void TearDown() override { fs::remove_all(scratch_); }

  std::unique_ptr<Store> create(const fs::path& file) {
    auto opened = Store::create(file, sample_identity(), kFaults);
    EXPECT_TRUE(opened.store) << opened.problem->text();
    return std::move(opened.store);
  }
  std::unique_ptr<Store> resume(const fs::path& file) {
    auto opened = Store::resume(file, sample_identity(), kFaults);
    EXPECT_TRUE(opened.store) << opened.problem->text();
    return std::move(opened.store);
  }
  std::string refusal(const StudyIdentity& study) {
    const auto opened = Store::resume(file_, study, kFaults);
    EXPECT_FALSE(opened.store);
    return opened.problem ? opened.problem->text() : "";
  }
  std::string canonical(Store& store) {
    const fs::path file = scratch_ / "canonical";
    store.write_canonical(file);
    EXPECT_FALSE(store.problem()) << store.problem()->text();
    return bytes_of(file);
  }
  /// 40 replicas of point 0 and 20 of point 1, added in one piece each, with a summary.
  std::string whole() {
    const auto store = create(scratch_ / "whole");
    store->add_point(sample_point(0));
    store->add_point(sample_point(1));
    add(*store, 0, 40);
    add(*store, 1, 20);
    store->put_summary(0, sample_summary(3));
    return canonical(*store);
  }
  void execute(const fs::path& file, const char* sql) {
    sqlite3* database = nullptr;
    ASSERT_EQ(sqlite3_open(file.c_str(), &database), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(database, sql, nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(database);
    sqlite3_close(database);
  }

  fs::path scratch_, file_;
};

TEST_F(ResultsStore, GivesBackEveryMetricBitForBit) {
  const auto store = create(file_);
  for (std::uint32_t point = 0; point < 2; ++point) {
    EXPECT_EQ(store->add_point(sample_point(point)), point);
    add(*store, point, 25);
  }
  for (std::uint32_t point = 0; point < 2; ++point) {
    const std::vector<Metric> metrics = metrics_of(sample_point(point).facts);
    std::uint32_t next = 5;
    store->read(point, 5, 20, [&](std::uint32_t replica, const Figures& figures) {
      const Figures wanted = replica_of(point, next);
      EXPECT_EQ(replica, next++);
      EXPECT_EQ(figures.fingerprint, wanted.fingerprint);
      EXPECT_EQ(figures.lost, wanted.lost);
      EXPECT_EQ(figures.fault_scores, wanted.fault_scores);
      EXPECT_EQ(figures.compensated, wanted.compensated);
      EXPECT_EQ(figures.compensated_work, wanted.compensated_work);
      EXPECT_EQ(figures.tiltable_strikes, wanted.tiltable_strikes);
      EXPECT_EQ(figures.tiltable_expected, wanted.tiltable_expected);
      for (const Metric& metric : metrics) {
        const Fraction is = metric.of(figures), was = metric.of(wanted);
        EXPECT_EQ(is.numerator, was.numerator) << metric.name;
        EXPECT_EQ(is.denominator, was.denominator) << metric.name;
      }
    });
    EXPECT_EQ(next, 25U);
  }
  std::size_t incidents = 0;
  store->read_incidents(1, [&](std::uint32_t replica, std::size_t number, const Incident& is) {
    const Incident was = replica_of(1, replica).incidents.at(number);
    EXPECT_EQ(is.opened, was.opened);
    EXPECT_EQ(is.closed, was.closed);
    EXPECT_EQ(is.cause, was.cause);
    EXPECT_EQ(is.component, was.component);
    EXPECT_EQ(is.detection_latency, was.detection_latency);
    EXPECT_EQ(is.component, was.component);
    EXPECT_EQ(is.asked, was.asked);
    EXPECT_EQ(is.unplanned, was.unplanned);
    EXPECT_EQ(is.noticed, was.noticed);
    EXPECT_EQ(is.handled, was.handled);
    EXPECT_EQ(is.wrong_evictions, was.wrong_evictions);
    EXPECT_EQ(is.steps_lost, was.steps_lost);
    EXPECT_EQ(is.lost, was.lost);
    ++incidents;
  });
  EXPECT_EQ(incidents, 6U);  // 1 + 2 + 3
}

TEST_F(ResultsStore, KnowsItsStudyAndItsPointsWhenItIsReadAgain) {
  {
    const auto store = create(file_);
    for (std::uint32_t point = 0; point < 2; ++point) store->add_point(sample_point(point));
    EXPECT_EQ(store->add_point(sample_point(1)), 1U) << "the same text is the same point";
    add(*store, 1, 7);
    store->put_summary(1, sample_summary(3));
    store->put_summary(1, sample_summary(5));
  }
  const auto opened = Store::open_to_read(file_);
  ASSERT_TRUE(opened.store) << opened.problem->text();
  const Store& store = *opened.store;
  EXPECT_EQ(store.study().arguments, sample_identity().arguments);
  EXPECT_EQ(store.study().seed, sample_identity().seed);
  EXPECT_EQ(store.faults(), kFaults);
  ASSERT_EQ(store.points(), 2U);
  EXPECT_EQ(store.holds(), "7 replicas of 2 points");
  const StoredPoint& point = store.point(1);
  EXPECT_EQ(point.label, sample_point(1).label);
  EXPECT_EQ(point.settings, sample_point(1).settings);
  EXPECT_EQ(point.text, sample_point(1).text);
  EXPECT_EQ(point.facts.faults, std::vector<std::string>{"disk"});
  EXPECT_EQ(point.facts.peak.value, sample_facts().peak.value);
  EXPECT_EQ(point.facts.give_up_after, sample_facts().give_up_after);
  EXPECT_EQ(store.replicas(0), 0U);
  EXPECT_EQ(store.replicas(1), 7U);
  EXPECT_FALSE(store.summary(0));
  ASSERT_TRUE(store.summary(1));
  EXPECT_EQ(store.summary(1)->replicas, 5U);
  EXPECT_EQ(store.summary(1)->mean("ettr"), sample_summary(5).mean("ettr"));
}

TEST_F(ResultsStore, HasTheSameBytesHoweverItCameAbout) {
  const std::string wanted = whole();
  {
    const auto store = create(file_);
    store->add_point(sample_point(0));
    for (const std::uint32_t count : {1U, 16U, 3U}) add(*store, 0, count);
    store->put_summary(0, sample_summary(2));
  }
  {
    const auto store = resume(file_);
    store->add_point(sample_point(1));
    add(*store, 1, 19);
    add(*store, 0, 1);
    EXPECT_NE(canonical(*store), wanted);
  }
  fs::copy_file(scratch_ / "canonical", scratch_ / "copy");  // results that get more replicas
  const auto store = resume(scratch_ / "copy");
  add(*store, 0, 19);
  add(*store, 1, 1);
  store->put_summary(0, sample_summary(3));
  EXPECT_TRUE(canonical(*store) == wanted);

  const auto temporary = Store::temporary(sample_identity(), kFaults);
  for (std::uint32_t point = 0; point < 2; ++point) temporary->add_point(sample_point(point));
  add(*temporary, 0, 40);
  add(*temporary, 1, 20);
  temporary->put_summary(0, sample_summary(3));
  EXPECT_TRUE(canonical(*temporary) == wanted);
}

/// Runs `child` in a process of its own, which it ends itself or is ended.
template <class Child>
pid_t in_child(Child child) {
  const pid_t pid = fork();
  if (pid == 0) {
    child();
    _exit(0);
  }
  return pid;
}

TEST_F(ResultsStore, LosesNothingThatWasAddedWhenItsProcessIsKilled) {
  const std::string wanted = whole();
  int pipe_ends[2];
  ASSERT_EQ(pipe(pipe_ends), 0);
  const pid_t pid = in_child([&] {
    const auto store = create(file_);
    store->add_point(sample_point(0));
    for (int i = 0; i < 30; ++i) {
      add(*store, 0, 1);
      if (write(pipe_ends[1], "x", 1) != 1) _exit(1);
    }
    pause();
  });
  char byte = 0;
  for (int i = 0; i < 10; ++i) ASSERT_EQ(::read(pipe_ends[0], &byte, 1), 1);
  kill(pid, SIGKILL);  // somewhere between the 10th replica and the 30th
  waitpid(pid, nullptr, 0);
  close(pipe_ends[0]);
  close(pipe_ends[1]);

  {
    const auto reader = Store::open_to_read(file_);  // needs no repair first
    ASSERT_TRUE(reader.store) << reader.problem->text();
    EXPECT_GE(reader.store->replicas(0), 10U);
  }
  const auto store = resume(file_);
  store->add_point(sample_point(0));
  store->add_point(sample_point(1));
  EXPECT_GE(store->replicas(0), 10U);
  ASSERT_LE(store->replicas(0), 30U);
  add(*store, 0, 40 - store->replicas(0));
  add(*store, 1, 20);
  store->put_summary(0, sample_summary(3));
  EXPECT_TRUE(canonical(*store) == wanted);
}

TEST_F(ResultsStore, SaysThatTheLimitOnFilesIsReachedAndGoesOnLater) {
  const std::string wanted = whole();
  create(file_)->add_point(sample_point(0));
  const fs::path said = scratch_ / "said";
  const pid_t pid = in_child([&] {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{.rlim_cur = 96 * 1024, .rlim_max = 96 * 1024};  // of every file
    setrlimit(RLIMIT_FSIZE, &limit);
    const auto store = resume(file_);
    while (!store->problem() && store->replicas(0) < 10'000) add(*store, 0, 1);
    const std::uint32_t then = store->replicas(0);
    add(*store, 0, 1);  // does nothing
    if (store->replicas(0) != then || then == 0) _exit(1);
    std::ofstream(said) << then << " " << store->problem()->text();
  });
  int status = -1;
  waitpid(pid, &status, 0);
  ASSERT_EQ(status, 0);
  const std::string text = bytes_of(said);
  EXPECT_NE(text.find("results.sqlite: cannot be written: the limit on the size of files"), std::string::npos)
      << text;
  EXPECT_NE(text.find(" of 1 point are safe; raise that limit (ulimit -f unlimited), then continue"),
            std::string::npos)
      << text;

  const auto store = resume(file_);
  EXPECT_EQ(store->replicas(0), static_cast<std::uint32_t>(std::strtoul(text.c_str(), nullptr, 10)));
  store->add_point(sample_point(1));
  add(*store, 0, 40 - store->replicas(0));
  add(*store, 1, 20);
  store->put_summary(0, sample_summary(3));
  EXPECT_TRUE(canonical(*store) == wanted);
}

TEST_F(ResultsStore, RefusesAnotherStudyAndSaysWhatDiffers) {
  {
    const auto store = create(file_);
    store->add_point(sample_point(0));
    add(*store, 0, 3);
  }
  const auto changed = [&](auto change) {
    StudyIdentity study = sample_identity();
    change(study);
    const std::string text = refusal(study);
    EXPECT_NE(text.find("results.sqlite: "), std::string::npos) << text;
    EXPECT_NE(text.find("; choose another --out, or start again with --force"), std::string::npos) << text;
    return text;
  };
  const auto has = [](const std::string& text, const char* part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  has(changed([](StudyIdentity& study) { study.seed = 8; }), "another seed: 18446744073709551615, not 8");
  has(changed([](StudyIdentity& study) { study.version = "0.2.0"; }),
      "was started by gauntlet 0.1.0, and this is 0.2.0");
  has(changed([](StudyIdentity& study) { study.command = "tune"; }), "another command: `sweep`, not `tune`");
  has(changed([](StudyIdentity& study) { study.text.replace(study.text.find("10min"), 5, "5min"); }),
      "another scenario: checkpoint.interval = \"10min\" in the store, \"5min\" now");
  has(changed([](StudyIdentity& study) {
        study.text += "# with plain means\n";
        study.arguments += " --plain";
      }),
      "asked otherwise: `gauntlet sweep sample --vary checkpoint.interval=5min,10min`, not `gauntlet sweep "
      "sample --vary checkpoint.interval=5min,10min --plain`");
  has(changed([](StudyIdentity& study) { study.text += "# with plain means\n"; }),
      "another scenario: \"with plain means\" now, and not in the store");
  const auto other_faults = Store::resume(file_, sample_identity(), std::vector<std::string>{"gpu"});
  ASSERT_FALSE(other_faults.store);
  has(other_faults.problem->text(), "other kinds of faults: gpu, nic, disk, not gpu");

  has(changed([](StudyIdentity& study) { study.arguments += " --precision ettr=0.01"; }),
      "asked otherwise: `gauntlet sweep sample --vary checkpoint.interval=5min,10min`, not `gauntlet sweep "
      "sample --vary checkpoint.interval=5min,10min --precision ettr=0.01`");
}

TEST_F(ResultsStore, GoesOnWithTheSameStudyOfMoreReplicasAndRefusesFewerThanItHolds) {
  const auto resumed = [&](const std::string& more) {
    StudyIdentity study = sample_identity();
    study.arguments += more;
    const auto opened = Store::resume(file_, study, kFaults);
    if (opened.store) {
      EXPECT_EQ(opened.store->study().arguments, study.arguments);
    }
    return opened.store ? "" : opened.problem->text().substr(file_.string().size() + 2);
  };
  {
    const auto store = create(file_);
    for (std::uint32_t point = 0; point < 2; ++point) store->add_point(sample_point(point));
    add(*store, 0, 3);
    add(*store, 1, 2);
  }
  const std::string two = "holds 3 replicas of a point, more than --replicas 2; continue with --replicas 3",
                    end = " or more, choose another --out, or start again with --force";
  EXPECT_EQ(resumed(" --replicas 1000 --seed 7").substr(0, 10), "holds a st") << "another option too";
  EXPECT_EQ(resumed(" --replicas 2"), two + end);
  EXPECT_EQ(resumed(" --replicas 1000"), "");
  EXPECT_EQ(resumed(" --replicas 3"), "") << "a study that was interrupted may end earlier";
  EXPECT_EQ(resumed(" --replicas 2"), two + end);
  EXPECT_EQ(resumed("").substr(0, 33), "holds a study that was asked othe") << "who knows how many these are";
  EXPECT_EQ(resumed(" --budget 4 --replicas 3"),
            "holds 5 replicas in all, more than --budget 4; continue with --budget 5" + end);
  EXPECT_EQ(resumed(" --budget 5 --replicas 3"), "");
  EXPECT_NE(resumed(" --budget 5 --replicas 3 --set 'name=\"a --replicas 9\"'"), "")
      << "words in quotes are text";
}

TEST_F(ResultsStore, KeepsWhatIsAskedForAsIfThereHadBeenNothingElse) {
  const std::string wanted = whole();
  const auto store = create(file_);
  store->add_point(sample_point(2));
  store->add_point(sample_point(1));
  store->add_point(sample_point(0));
  add(*store, 0, 7);
  // Point 1 has 25 replicas where 20 are asked for, and the two come in the other order.
  const auto add_of = [&](std::uint32_t at, std::uint32_t point, std::uint32_t count) {
    std::vector<Figures> figures;
    for (std::uint32_t i = 0; i < count; ++i) figures.push_back(replica_of(point, i));
    store->add(at, 0, figures);
  };
  add_of(1, 1, 25);
  add_of(2, 0, 40);
  const Store::Kept kept[] = {{.point = 2, .replicas = 40}, {.point = 1, .replicas = 20}};
  store->keep(kept);
  EXPECT_EQ(store->points(), 2U);
  EXPECT_EQ(store->holds(), "60 replicas of 2 points");
  EXPECT_EQ(store->add_point(sample_point(0)), 0U);
  store->put_summary(0, sample_summary(3));
  EXPECT_TRUE(canonical(*store) == wanted);
}

TEST_F(ResultsStore, OfAnotherFormatIsSoundAndRefusedAsThat) {
  create(file_);
  const auto says = [&](const char* sql, const std::string& what) {
    execute(file_, sql);
    const std::string wanted = file_.string() + ": was written in " + what +
                               "; use the gauntlet that wrote it, or run the study again from its beginning";
    EXPECT_EQ(refusal(sample_identity()), wanted);
    EXPECT_EQ(Store::open_to_read(file_).problem->text(), wanted);
  };
  says("UPDATE study SET format = 1", "format 1 by gauntlet 0.1.0, and this gauntlet reads format 10");
  says("ALTER TABLE study RENAME format TO form", "a format that has no number");
}

TEST(ScenarioDifference, IsTheFirstFieldThatDiffers) {
  const std::string before = "a = 1\n\n[b.c]\nd = [\n  1,\n  2,\n]\n\n[[e]]\nf = 1\n\n[[e]]\nf = 2\n";
  const auto after = [&](std::string_view part, std::string_view instead) {
    std::string text = before;
    return first_difference(before, text.replace(text.find(part), part.size(), instead));
  };
  EXPECT_EQ(first_difference(before, before), "");
  EXPECT_EQ(after("a = 1", "a = 2"), "a = 1 in the store, 2 now");
  EXPECT_EQ(after("  2,", "  3,"), "b.c.d = [   1,   2, ] in the store, [   1,   3, ] now");
  EXPECT_EQ(after("f = 2", "f = 3"), "e[1].f = 2 in the store, 3 now");
  EXPECT_EQ(after("a = 1", "b = 1"), "a = 1 in the store, and no such key now");
  EXPECT_EQ(after("f = 2\n", "f = 2\ng = 3\n"), "e[1].g = 3 now, and no such key in the store");
  EXPECT_EQ(first_difference(before, before + "# with plain means\n"),
            "\"with plain means\" now, and not in the store");
  EXPECT_EQ(first_difference(before + "# with plain means\n", before),
            "\"with plain means\" in the store, and not now");
}

TEST(ScenarioDifference, NamesTheScenarioOfAComparison) {
  const std::string one = "a = 1\n\n[b]\nc = 2\n\n[[e]]\nf = 1\n";
  const auto second = [&](const std::string& text) {
    return first_difference(one + "\n" + one, one + "\n" + text);
  };
  EXPECT_EQ(second(one), "");
  EXPECT_EQ(second("a = 2\n\n[b]\nc = 2\n\n[[e]]\nf = 1\n"), "in scenario 2, a = 1 in the store, 2 now");
  EXPECT_EQ(second("a = 1\n\n[b]\nc = 3\n\n[[e]]\nf = 1\n"), "in scenario 2, b.c = 2 in the store, 3 now");
  EXPECT_EQ(second("a = 1\n\n[b]\nc = 2\n\n[[e]]\nf = 3\n"), "in scenario 2, e[0].f = 1 in the store, 3 now");
  EXPECT_EQ(second("a = 1\n\n[b]\nc = 2\nd = 0\n\n[[e]]\nf = 1\n"),
            "in scenario 2, b.d = 0 now, and no such key in the store");
  EXPECT_EQ(first_difference(one + "\n" + one, "a = 3" + one.substr(5) + "\n" + one),
            "in scenario 1, a = 1 in the store, 3 now");
}

TEST_F(ResultsStore, DamageIsAClearErrorWithARemedy) {
  {
    const auto store = create(file_);
    store->add_point(sample_point(0));
    add(*store, 0, 60);
    canonical(*store);
  }
  const std::string sound = bytes_of(scratch_ / "canonical");
  const auto damaged = [&](const std::string& bytes) {
    fs::remove(file_);
    std::ofstream(file_, std::ios::binary) << bytes;
    const std::string text = refusal(sample_identity());
    EXPECT_NE(text.find("results.sqlite: is damaged: "), std::string::npos) << text;
    EXPECT_NE(text.find("; start again with --force, or bring the file back from a copy"), std::string::npos)
        << text;
  };
  std::string flipped = sound;
  for (std::size_t i = sound.size() / 2; i < sound.size() / 2 + 8192; ++i)
    flipped[i] = static_cast<char>(~flipped[i]);
  damaged(flipped);
  damaged(sound.substr(0, sound.size() / 2));
  damaged(
      "no database at all, but long enough that it could have one's header, which has a hundred bytes "
      "......");
  for (const char* sql : {"DELETE FROM replica WHERE replica = 30", "DELETE FROM study", "DROP TABLE point",
                          "UPDATE point SET settings = '{'", "DELETE FROM replica WHERE replica < 2",
                          "UPDATE point SET faults = '[\"none\"]'"}) {
    std::ofstream(scratch_ / "edited", std::ios::binary) << sound;
    execute(scratch_ / "edited", sql);
    damaged(bytes_of(scratch_ / "edited"));
  }
}

TEST_F(ResultsStore, NeedsAPlaceToBe) {
  const auto refused = [](const fs::path& file) {
    const auto opened = Store::create(file, sample_identity(), kFaults);
    EXPECT_FALSE(opened.store);
    return opened.problem ? opened.problem->text() : "";
  };
  std::ofstream(scratch_ / "file") << "mine";
  EXPECT_NE(
      refused(scratch_ / "file" / "results.sqlite").find("cannot be made: unable to open database file"),
      std::string::npos);
  EXPECT_NE(refused(scratch_ / "file").find("exists and is not overwritten"), std::string::npos);
  EXPECT_EQ(bytes_of(scratch_ / "file"), "mine");
  const auto none = Store::open_to_read(scratch_ / "none");
  ASSERT_FALSE(none.store);
  EXPECT_NE(none.problem->text().find("cannot be opened: unable to open database file"), std::string::npos);
  EXPECT_NE(none.problem->suggestion, "");
}

TEST_F(ResultsStore, IsReadWhileItIsWrittenAndIsNotChanged) {
  const auto store = create(file_);
  store->add_point(sample_point(0));
  add(*store, 0, 5);
  const auto reader = Store::open_to_read(file_);
  ASSERT_TRUE(reader.store) << reader.problem->text();
  EXPECT_EQ(reader.store->replicas(0), 5U);
  add(*store, 0, 5);
  EXPECT_EQ(store->replicas(0), 10U);
  EXPECT_EQ(Store::open_to_read(file_).store->replicas(0), 10U);
  add(*reader.store, 0, 1);
  EXPECT_TRUE(reader.store->problem());
  EXPECT_EQ(reader.store->replicas(0), 5U);
  EXPECT_FALSE(store->problem());
}

}  // namespace
}  // namespace gauntlet
