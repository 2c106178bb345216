// Times of segments that are planted, stored, and read back as a heat map.
#include "real/telemetry/heat_map.hpp"
#include "real/telemetry/segment_sinks.hpp"
#include "real/telemetry/segment_store.hpp"
#include "tests/real/scratch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <functional>

namespace gauntlet {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr Layout kLayout = {.tp = 2, .pp = 2, .dp = 2};  // ranks 0 to 3 are the first stage
const SegmentOrigin kOrigin = {.scenario = "planted", .seed = 7};

/// In milliseconds.
using Planted = std::function<double(std::int64_t step, std::uint32_t rank, const std::string& name)>;

class Segments : public testing::Test {
 protected:
  std::unique_ptr<SegmentStore> open(bool continues = false) {
    auto opened = SegmentStore::open(file_, kOrigin, continues,
                                     [this](const std::string& what) { said_.push_back(what); });
    EXPECT_FALSE(opened.problem) << opened.problem->text();
    return std::move(opened.store);
  }
  static void seat(SegmentStore& store, std::uint32_t run, const Layout& layout,
                   std::uint32_t first_host = 0) {
    std::vector<RankSeat> seats;
    for (std::uint32_t rank = 0; rank < layout.ranks(); ++rank)
      seats.push_back({.rank = rank, .host = first_host + rank / 2, .at = layout.coordinates(rank)});
    store.begin(run, seats);
  }
  static void add(SegmentStore& store, std::uint32_t run, std::uint32_t ranks, std::int64_t first,
                  std::int64_t last, const Planted& planted) {
    for (std::int64_t step = first; step <= last; ++step) {
      for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        for (const std::string name : {"backward", "forward"}) {
          const double ms = planted(step, rank, name);
          if (ms <= 0) continue;
          store.add({.run = run,
                     .rank = rank,
                     .step = step,
                     .name = name,
                     .took = Duration(static_cast<std::int64_t>(1e6 * ms)),
                     .reported = kStart + milliseconds(100 * step)});
        }
      }
    }
  }
  SegmentHeatMap planted(const Planted& planted, std::int64_t steps = 40) {
    {
      const auto store = open();
      seat(*store, 1, kLayout);
      add(*store, 1, kLayout.ranks(), 1, steps, planted);
    }
    return read();
  }
  SegmentHeatMap read(const HeatMapQuery& query = {}) {
    ReadHeatMap read = read_heat_map(file_, query);
    EXPECT_FALSE(read.problem) << read.problem->text();
    return std::move(read.map);
  }
  std::string problem(bool continues, const SegmentOrigin& origin = kOrigin) {
    const auto opened = SegmentStore::open(file_, origin, continues,
                                           [this](const std::string& what) { said_.push_back(what); });
    return opened.problem ? opened.problem->why : "";
  }
  /// "3 forward", by rank and name.
  static std::vector<std::string> names_of(const SegmentHeatMap& map) {
    std::vector<std::string> names;
    for (const HeatMapOutlier& each : map.outliers)
      names.push_back(std::to_string(map.rows[each.row].rank) + " " + map.segments[each.segment]);
    return names;
  }

  Scratch scratch_;
  std::string file_ = (scratch_.path() / "segments.sqlite").string();
  std::vector<std::string> said_;
};

/// The second stage takes twice as long, and every tenth step three times as long, for all.
double healthy(std::int64_t step, std::uint32_t rank, const std::string& name) {
  return (name == "forward" ? 10 : 20) * (rank >= 4 ? 2 : 1) * (step % 10 == 0 ? 3 : 1);
}

TEST_F(Segments, OfASlowRankMakeItAnOutlierOfThatSegmentAlone) {
  const SegmentHeatMap map = planted([](std::int64_t step, std::uint32_t rank, const std::string& name) {
    return healthy(step, rank, name) * (rank == 6 && name == "forward" ? 1.5 : 1);
  });
  EXPECT_THAT(map.segments, ElementsAre("backward", "forward"));
  EXPECT_EQ(map.steps, 40U);
  ASSERT_EQ(map.rows.size(), 8U);
  EXPECT_THAT(names_of(map), ElementsAre("6 forward"));
  const HeatMapCell& slow = map.rows[6].cells[1];
  EXPECT_EQ(slow.steps, 40U);
  EXPECT_EQ(slow.compared, 40U);
  EXPECT_EQ(slow.slow, 40U);
  EXPECT_NEAR(slow.of_peers, 1.5, 1e-12);
  EXPECT_NEAR(slow.mean_s, 1.5 * 0.020 * (36 + 3 * 4) / 40, 1e-12);
  EXPECT_EQ(map.rows[6].host, 3U);
  EXPECT_EQ(map.rows[6].at, kLayout.coordinates(6));
  EXPECT_NEAR(map.rows[5].cells[1].of_peers, 1, 1e-12) << "one slow peer of three does not move the median";
}

TEST_F(Segments, OfHealthyRanksNameNobody) { EXPECT_THAT(planted(healthy).outliers, IsEmpty()); }

TEST_F(Segments, OfARankThatPausesInSomeStepsNameNobody) {
  const SegmentHeatMap map = planted([](std::int64_t step, std::uint32_t rank, const std::string& name) {
    return healthy(step, rank, name) * (rank == 1 && step % 2 == 0 ? 20 : 1);
  });
  EXPECT_THAT(map.outliers, IsEmpty());
  EXPECT_EQ(map.rows[1].cells[0].slow, 20U);
  EXPECT_NEAR(map.rows[1].cells[0].of_peers, 1, 1e-12) << "in half of its steps";
}

TEST_F(Segments, OfTwoSlowRanksOfFourNameBoth) {
  const SegmentHeatMap map = planted([](std::int64_t step, std::uint32_t rank, const std::string& name) {
    return healthy(step, rank, name) * (rank == 2 ? 1.2 : rank == 3 ? 1.3 : 1);
  });
  EXPECT_THAT(names_of(map), ElementsAre("3 backward", "3 forward", "2 backward", "2 forward"));
}

TEST_F(Segments, OfALittleSlowRankNameItWhereThatIsAsked) {
  const auto slow = [](std::int64_t step, std::uint32_t rank, const std::string& name) {
    return healthy(step, rank, name) * (rank == 2 ? 1.09 : 1);
  };
  EXPECT_THAT(planted(slow).outliers, IsEmpty());
  EXPECT_THAT(names_of(read({.slower = 0.08})), ElementsAre("2 backward", "2 forward"));
}

TEST_F(Segments, OfAskedStepsAloneCount) {
  planted([](std::int64_t step, std::uint32_t rank, const std::string& name) {
    return healthy(step, rank, name) * (rank == 2 && step > 30 ? 2 : 1);
  });
  EXPECT_THAT(read().outliers, IsEmpty());
  const SegmentHeatMap late = read({.first_step = 31, .last_step = 38});
  EXPECT_EQ(late.steps, 8U);
  EXPECT_THAT(names_of(late), ElementsAre("2 backward", "2 forward"));
  EXPECT_EQ(read({.first_step = 41}).steps, 0U);
  EXPECT_THAT(read({.first_step = 41}).segments, IsEmpty());
}

TEST_F(Segments, OfFewStepsOrWithoutPeersNameNobody) {
  const auto slow = [](std::int64_t, std::uint32_t rank, const std::string& name) {
    if (name == "backward") return rank == 0 ? 5.0 : 0.0;  // one rank alone has it
    return rank == 2 ? 30.0 : 10.0;
  };
  const SegmentHeatMap map = planted(slow, kLeastSteps - 1);
  EXPECT_THAT(map.outliers, IsEmpty());
  EXPECT_EQ(map.rows[0].cells[0].steps, kLeastSteps - 1);
  EXPECT_EQ(map.rows[0].cells[0].compared, 0U);
  EXPECT_EQ(map.rows[1].cells[0].steps, 0U);
}

TEST_F(Segments, OfARankThatMovesAreTwoRows) {
  {
    const auto store = open();
    seat(*store, 1, kLayout);
    add(*store, 1, 8, 1, 20, [](std::int64_t step, std::uint32_t rank, const std::string& name) {
      return healthy(step, rank, name) * (rank / 2 == 1 ? 2 : 1);  // host 1
    });
    // Half of the replicas, on other hosts: ranks 2 and 3 are of the second stage now.
    const Layout half = {.tp = 2, .pp = 2, .dp = 1};
    seat(*store, 2, half, 4);
    add(*store, 2, 4, 15, 40,
        [](std::int64_t, std::uint32_t rank, const std::string&) { return rank >= 2 ? 40.0 : 20.0; });
  }
  const SegmentHeatMap map = read();
  EXPECT_EQ(map.rows.size(), 12U);
  EXPECT_EQ(map.steps, 46U) << "steps 15 to 20 were trained twice";
  EXPECT_THAT(names_of(map), ElementsAre("2 backward", "2 forward", "3 backward", "3 forward"));
  for (const HeatMapOutlier& each : map.outliers) EXPECT_EQ(map.rows[each.row].host, 1U);
}

TEST_F(Segments, AreContinuedByTheNextDriver) {
  {
    const auto store = open();
    seat(*store, 1, kLayout);
    add(*store, 1, 8, 1, 10, healthy);
  }
  EXPECT_EQ(problem(false), "exists and is not overwritten");
  EXPECT_EQ(problem(true, {.scenario = "planted", .seed = 8}),
            "holds the segments of another scenario or seed");
  {
    const auto store = open(true);
    seat(*store, 1, kLayout);
    add(*store, 1, 8, 10, 12, healthy);  // step 10 again
  }
  const SegmentHeatMap map = read();
  EXPECT_EQ(map.steps, 12U);
  EXPECT_EQ(map.rows[0].cells[0].steps, 12U);
  EXPECT_EQ(map.scenario, "planted");
  EXPECT_EQ(map.seed, 7U);
}

TEST_F(Segments, AreReadWhileTheyAreWritten) {
  const auto store = open();
  EXPECT_EQ(read().steps, 0U);
  seat(*store, 1, kLayout);
  EXPECT_EQ(read().rows.size(), 8U) << "seats are there before the first segment";
  add(*store, 1, 8, 1, 6, healthy);
  store->flush();
  EXPECT_EQ(read().steps, 6U);
}

TEST_F(Segments, WaitWhileAnotherProgramHoldsTheFile) {
  auto store = open();
  seat(*store, 1, kLayout);
  {
    const sqlite::Handle other = sqlite::open(file_, SQLITE_OPEN_READWRITE);
    sqlite::execute(other.get(), "BEGIN IMMEDIATE");
    add(*store, 1, 8, 1, 6, healthy);
    store->flush();
    EXPECT_EQ(read().steps, 0U);
    sqlite::execute(other.get(), "COMMIT");
  }
  add(*store, 1, 8, 7, 8, healthy);
  store->flush();
  EXPECT_EQ(read().steps, 8U);
  store.reset();
  EXPECT_THAT(said_, IsEmpty());
  EXPECT_FALSE(std::filesystem::exists(file_ + "-wal")) << "one file, without others beside it";
}

TEST_F(Segments, ThatNeverCameLeaveNoFile) {
  open();
  EXPECT_TRUE(std::filesystem::is_empty(scratch_.path()));
  EXPECT_EQ(problem(false), "");
}

TEST_F(Segments, AreLostWithOneWarningWhereTheDiskIsFull) {
  const auto store = open();
  seat(*store, 1, kLayout);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const auto handled = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small = {.rlim_cur = 1 << 16, .rlim_max = before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  for (std::int64_t step = 1; said_.empty() && step < 1'000'000; step += 1000) {
    add(*store, 1, 8, step, step + 999, healthy);
    store->flush();
  }
  add(*store, 1, 8, 1, 10, healthy);
  store->flush();
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handled);
  ASSERT_EQ(said_.size(), 1U);
  EXPECT_THAT(said_[0], HasSubstr(file_ + ": segments are no longer stored: "));
}

TEST_F(Segments, OfSeatsAloneLeaveNoFile) {
  seat(*open(), 1, kLayout);
  EXPECT_TRUE(std::filesystem::is_empty(scratch_.path()));
  ASSERT_EQ(said_.size(), 1U);
  EXPECT_THAT(said_[0], HasSubstr("no rank told the time of a segment"));
}

TEST_F(Segments, OfAFileThatWasRemovedAreMissed) {
  {
    const auto store = open();
    seat(*store, 1, kLayout);
    add(*store, 1, 8, 1, 6, healthy);
    store->flush();
    std::filesystem::remove(file_);
  }
  ASSERT_EQ(said_.size(), 1U);
  EXPECT_THAT(said_[0], HasSubstr(file_ + " was removed while the drill ran"));
}

TEST_F(Segments, TakeNoFileOfOthers) {
  for (const char* const ending : {"-wal", "-shm", "-journal"}) {
    put_bytes(file_ + ending, "mine");
    EXPECT_THAT(problem(false), HasSubstr("there is already " + file_ + ending));
    EXPECT_EQ(bytes_of(file_ + ending), "mine");
    std::filesystem::remove(file_ + ending);
  }
  EXPECT_TRUE(std::filesystem::is_empty(scratch_.path()));
  put_bytes(file_, "mine");
  file_ += "/";
  EXPECT_EQ(problem(false), "is not a regular file");
}

TEST_F(Segments, AreNotWrittenIntoAnotherProgramsDatabase) {
  {
    const sqlite::Handle other = sqlite::open(file_, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
    sqlite::execute(other.get(), "PRAGMA journal_mode = WAL; CREATE TABLE mine (number INTEGER);");
  }
  const std::string before = bytes_of(file_);
  EXPECT_EQ(problem(true), "holds no segments");
  EXPECT_EQ(bytes_of(file_), before);
  file_ = (scratch_.path() / "nowhere" / "file").string();
  EXPECT_EQ(problem(true), "cannot be written: No such file or directory");
}

TEST_F(Segments, ToSeveralSinksHaveABoundedNumberOfNames) {
  const auto store = open();
  SegmentSinks sinks([this](const std::string& what) { said_.push_back(what); });
  EXPECT_TRUE(sinks.empty());
  sinks.join(*store);
  sinks.begin(1, std::vector<RankSeat>{{.rank = 0, .host = 0}});
  const auto add = [&](const std::string& name) {
    sinks.add({.run = 1, .rank = 0, .step = 1, .name = name, .took = milliseconds(1), .reported = kStart});
  };
  for (std::size_t i = 1; i < SegmentSinks::kMostNames; ++i) add("name " + std::to_string(i));
  add(std::string(SegmentSinks::kLongestName + 1, 'x'));
  add(std::string(SegmentSinks::kLongestName, 'y'));
  add("one more");
  add("name 1");
  sinks.flush();
  const SegmentHeatMap map = read();
  EXPECT_EQ(map.segments.size(), SegmentSinks::kMostNames);
  EXPECT_EQ(map.segments.back(), std::string(SegmentSinks::kLongestName, 'y'));
  ASSERT_EQ(said_.size(), 1U);
  EXPECT_THAT(said_[0],
              HasSubstr("xxx\" is left out: a job has 64 names of segments at most, of 64 bytes at most"));
}

TEST_F(Segments, AreReadFromFilesOfSegmentsAlone) {
  const auto why = [&] { return read_heat_map(file_, {}).problem.value_or(Problem{}).why; };
  EXPECT_EQ(why(), "does not exist");
  put_bytes(file_, "no database\n");
  EXPECT_THAT(why(), HasSubstr("cannot be read: "));
  EXPECT_THAT(problem(true), HasSubstr("cannot be written: "));
  put_bytes(file_, "");
  EXPECT_EQ(why(), "holds no segments");
  std::filesystem::remove(file_);
  planted(healthy);
  {
    const sqlite::Handle database = sqlite::open(file_, SQLITE_OPEN_READWRITE);
    sqlite::execute(database.get(), "UPDATE drill SET format = 2");
  }
  EXPECT_EQ(why(), "was written by another version of Gauntlet");
  EXPECT_EQ(problem(true), "was written by another version of Gauntlet");
  file_ = scratch_.path().string();
  EXPECT_EQ(why(), "is not a regular file");
  EXPECT_EQ(problem(false), "is not a regular file");
}

}  // namespace
}  // namespace gauntlet
