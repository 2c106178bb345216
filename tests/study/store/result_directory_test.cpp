#include "study/store/directory/result_directory.hpp"

#include "study/store/directory/result_reader.hpp"
#include "study/summary/summary_json.hpp"
#include "tests/study/store/sample_study.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <set>

namespace gauntlet {
namespace {

namespace fs = std::filesystem;

std::string read(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void put(const fs::path& file, const std::string& text) { std::ofstream(file, std::ios::binary) << text; }

StudyIdentity sample_study() {
  return {.command = "run",
          .arguments = "gauntlet run sample --replicas 3",
          .version = sample_facts().version,
          .seed = sample_facts().seed,
          .scenario = "sample",
          .text = "name = \"sample\"\n"};
}

class ResultDirectoryTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "gauntlet-results-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    scratch_ = name;
    target_ = scratch_ / "out";
  }
  void TearDown() override { fs::remove_all(scratch_); }

  std::unique_ptr<ResultDirectory> open(Existing existing = Existing::refuse) {
    auto opened = ResultDirectory::open(target_, existing, sample_study(), sample_facts().faults);
    EXPECT_TRUE(opened.directory) << (opened.problem ? opened.problem->text() : "");
    return std::move(opened.directory);
  }
  std::string refusal(const fs::path& target, Existing existing,
                      const StudyIdentity& study = sample_study()) {
    auto opened = ResultDirectory::open(target, existing, study, sample_facts().faults);
    EXPECT_FALSE(opened.directory);
    return opened.problem ? opened.problem->text() : "";
  }
  /// Replicas up to `count` that the store lacks; `change` may spoil them.
  using Change = std::function<void(std::uint32_t replica, Figures& figures)>;
  static void add_up_to(Store& store, std::uint32_t count, const Change& change = {}) {
    const std::uint32_t point =
        store.add_point({.label = "", .settings = {}, .text = sample_study().text, .facts = sample_facts()});
    for (std::uint32_t k = store.replicas(point); k < count; ++k) {
      Figures figures = sample_figures(k);
      if (change) change(k, figures);
      store.add(point, k, {&figures, 1});
    }
  }
  static std::optional<Problem> commit(ResultDirectory& directory, std::uint32_t count) {
    directory.store().put_summary(0, sample_summary(count));
    const ResultFile files[] = {{std::string(kResultFile), to_json(sample_summary(count))},
                                {std::string(kScenarioFile), sample_study().text}};
    return directory.commit(files);
  }
  void write_results(std::uint32_t count, Existing existing = Existing::refuse) {
    const auto directory = open(existing);
    add_up_to(directory->store(), count);
    const auto problem = commit(*directory, count);
    ASSERT_FALSE(problem) << problem->text();
  }
  std::set<std::string> names(const fs::path& directory) const {
    std::set<std::string> out;
    for (const auto& entry : fs::directory_iterator(directory)) out.insert(entry.path().filename().string());
    return out;
  }
  /// Replaces the first `part` in a file and gives what the check then says; empty where it finds nothing.
  std::string check_after(std::string_view file, const std::string& part, const std::string& instead) {
    const std::string whole = read(target_ / file);
    std::string text = whole;
    const std::size_t at = text.find(part);
    EXPECT_NE(at, std::string::npos) << part;
    put(target_ / file, text.replace(at, part.size(), instead));
    const std::string said = check();
    put(target_ / file, whole);
    return said;
  }
  /// What the check says of three replicas that a faulty program wrote.
  std::string check_of(const Change& change) {
    {
      const auto directory = open(Existing::replace);
      add_up_to(directory->store(), 3, change);
      EXPECT_EQ(commit(*directory, 3), std::nullopt);
    }
    return check();
  }
  std::string check() const {
    auto problem = check_results(find_results(target_), sample_summary(3));
    if (!problem) return "";
    EXPECT_FALSE(problem->suggestion.empty()) << problem->text();
    problem->suggestion.clear();
    return problem->text().substr(target_.string().size() + 1);
  }

  fs::path scratch_, target_;
};

mode_t mode_of(const fs::path& path) {
  struct stat found {};
  EXPECT_EQ(::stat(path.c_str(), &found), 0) << path;
  return found.st_mode & 07777;
}

TEST_F(ResultDirectoryTest, StaysAsPrivateAsItWas) {
  fs::create_directory(target_);
  ASSERT_EQ(::chmod(target_.c_str(), 0700), 0);
  {
    const auto directory = open();
    EXPECT_EQ(mode_of(target_.string() + ".part"), 0700U) << "others must not read on the way";
    add_up_to(directory->store(), 3);
    ASSERT_EQ(commit(*directory, 3), std::nullopt);
  }
  EXPECT_EQ(mode_of(target_), 0700U);
  ASSERT_EQ(::chmod(target_.c_str(), 02770), 0);
  write_results(4, Existing::resume);
  EXPECT_EQ(mode_of(target_), 02770U) << "whatever the umask is";
  write_results(3, Existing::replace);
  EXPECT_EQ(mode_of(target_), 02770U);
}

TEST_F(ResultDirectoryTest, RefusesAMountPointAtOnce) {
  for (const Existing existing : {Existing::refuse, Existing::replace, Existing::resume})
    EXPECT_NE(refusal("/proc", existing).find("is a mount point"), std::string::npos);
  EXPECT_FALSE(fs::exists("/proc.part"));
}

TEST_F(ResultDirectoryTest, KeepsItsOwner) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a directory away";
  constexpr uid_t kNobody = 65534;
  fs::create_directory(target_);
  ASSERT_EQ(::chown(target_.c_str(), kNobody, kNobody), 0);
  write_results(3);
  struct stat found {};
  ASSERT_EQ(::stat(target_.c_str(), &found), 0);
  EXPECT_EQ(found.st_uid, kNobody);
  EXPECT_EQ(found.st_gid, kNobody);
}

TEST_F(ResultDirectoryTest, HoldsTheFilesAndNothingIsLeftBeside) {
  write_results(3);
  EXPECT_EQ(names(target_), (std::set<std::string>{"result.json", "replicas.csv", "incidents.csv",
                                                   "results.sqlite", "scenario.toml", "manifest.txt"}));
  EXPECT_EQ(names(scratch_), std::set<std::string>{"out"});
  EXPECT_EQ(read(target_ / "result.json"), to_json(sample_summary(3)));
  EXPECT_EQ(read(target_ / "scenario.toml"), "name = \"sample\"\n");
}

TEST_F(ResultDirectoryTest, ReadsBackAndAddsUp) {
  write_results(3);
  const FoundResults found = find_results(target_);
  ASSERT_TRUE(found.store && found.complete && is_single(*found.store));
  const ReadResults results = read_summary(found);
  ASSERT_TRUE(results.summary) << results.problem->text();
  EXPECT_EQ(to_json(*results.summary), to_json(sample_summary(3)));
  EXPECT_EQ(results.summary->facts.question, sample_facts().question);
  EXPECT_EQ(results.summary->facts.gpus_held, sample_facts().gpus_held);
  EXPECT_EQ(results.summary->facts.window, sample_facts().window);
  EXPECT_EQ(results.summary->facts.give_up_after, sample_facts().give_up_after);
  EXPECT_EQ(results.summary->facts.faults, sample_facts().faults);
  const auto problem = check_results(found, results.summary);
  EXPECT_FALSE(problem) << problem->text();
}

TEST_F(ResultDirectoryTest, WithoutACommitLeavesWhatWasDoneToGoOnFrom) {
  {
    const auto directory = open();
    add_up_to(directory->store(), 2);
  }
  EXPECT_EQ(names(scratch_), std::set<std::string>{"out.part"});
  EXPECT_NE(refusal(target_, Existing::refuse).find("holds an unfinished study: 2 replicas"),
            std::string::npos);
  const FoundResults found = find_results(target_);
  ASSERT_TRUE(found.store) << found.problem->text();
  EXPECT_FALSE(found.complete);
  EXPECT_EQ(found.store->replicas(0), 2U);
  write_results(3, Existing::resume);
  EXPECT_EQ(names(scratch_), std::set<std::string>{"out"});
  EXPECT_EQ(check(), "");
}

TEST_F(ResultDirectoryTest, GoesOnFromResultsToTheSameBytesAsInOneGo) {
  write_results(3);
  const std::string database = read(target_ / "results.sqlite"), rows = read(target_ / "replicas.csv");
  fs::remove_all(target_);
  write_results(2);
  write_results(3, Existing::resume);
  EXPECT_EQ(read(target_ / "results.sqlite"), database);
  EXPECT_EQ(read(target_ / "replicas.csv"), rows);
}

TEST_F(ResultDirectoryTest, WithoutAReplicaLeavesNothing) {
  {
    const auto directory = open();
    EXPECT_FALSE(fs::exists(target_));
    EXPECT_EQ(names(scratch_), std::set<std::string>{"out.part"}) << "it writes beside the target";
  }
  EXPECT_TRUE(names(scratch_).empty());
}

TEST_F(ResultDirectoryTest, IsWrittenByOneProgramAtATime) {
  const auto directory = open();
  EXPECT_NE(refusal(target_, Existing::replace).find("is being written by another program"),
            std::string::npos);
}

TEST_F(ResultDirectoryTest, WaitsForAnotherProgramAsLongAsItIsToldTo) {
  auto other = open();
  add_up_to(other->store(), 2);
  int looks = 0;
  const auto opened = [&](int let_go, int give_up) {
    looks = 0;
    return ResultDirectory::open(target_, Existing::resume, sample_study(), sample_facts().faults,
                                 [&](const fs::path& part) {
                                   EXPECT_EQ(part, scratch_ / "out.part");
                                   if (++looks == let_go) other.reset();
                                   return looks < give_up;
                                 });
  };
  EXPECT_TRUE(opened(100, 3).problem);
  EXPECT_EQ(looks, 3);
  const auto after = opened(2, 100);
  ASSERT_TRUE(after.directory) << after.problem->text();
  EXPECT_EQ(looks, 2);
  EXPECT_EQ(after.directory->store().replicas(), 2U);
}

TEST_F(ResultDirectoryTest, DoesNotGoOnWithAnotherStudy) {
  write_results(2);
  StudyIdentity other = sample_study();
  other.seed += 1;
  EXPECT_NE(refusal(target_, Existing::resume, other).find("seed"), std::string::npos);
  EXPECT_EQ(check_results(find_results(target_), sample_summary(2)), std::nullopt);
  EXPECT_EQ(names(scratch_), std::set<std::string>{"out"});
}

TEST_F(ResultDirectoryTest, IsNeverOverwrittenUnasked) {
  write_results(2);
  const std::string before = read(target_ / "result.json");
  EXPECT_NE(refusal(target_, Existing::refuse).find("exists and is not overwritten"), std::string::npos);
  EXPECT_EQ(read(target_ / "result.json"), before);
  EXPECT_EQ(names(scratch_), std::set<std::string>{"out"});
}

TEST_F(ResultDirectoryTest, MayBeThereAlreadyIfItIsEmpty) {
  fs::create_directory(target_);
  write_results(2);
  EXPECT_EQ(names(target_).size(), 6U);
  EXPECT_EQ(names(scratch_), std::set<std::string>{"out"});
}

TEST_F(ResultDirectoryTest, ThatAppearedMeanwhileIsNotOverwritten) {
  const auto directory = open();
  add_up_to(directory->store(), 1);
  fs::create_directory(target_);
  put(target_ / "notes.txt", "mine");
  EXPECT_TRUE(commit(*directory, 1));
  EXPECT_EQ(names(target_), std::set<std::string>{"notes.txt"});
}

TEST_F(ResultDirectoryTest, IsReplacedWhenAskedOnceTheNewIsComplete) {
  write_results(2);
  const std::string before = read(target_ / "result.json");
  {
    const auto directory = open(Existing::replace);
    add_up_to(directory->store(), 1);
  }
  EXPECT_EQ(read(target_ / "result.json"), before) << "a run that dies leaves the old results";
  write_results(3, Existing::replace);
  EXPECT_EQ(read(target_ / "result.json"), to_json(sample_summary(3)));
  EXPECT_EQ(names(scratch_), std::set<std::string>{"out"});
}

TEST_F(ResultDirectoryTest, IsNotReplacedWhereItHoldsAnythingElse) {
  write_results(2);
  put(target_ / "notes.txt", "mine");
  EXPECT_NE(refusal(target_, Existing::replace).find("\"notes.txt\""), std::string::npos);
  put(scratch_ / "file", "mine");
  EXPECT_NE(refusal(scratch_ / "file", Existing::replace).find("is not a result directory"),
            std::string::npos);
  EXPECT_EQ(read(scratch_ / "file"), "mine");
}

TEST_F(ResultDirectoryTest, SaysWhyTheSystemDoesNotSayWhatIsThere) {
  const fs::path long_name = scratch_ / std::string(300, 'x');
  const std::string why = refusal(long_name, Existing::refuse);
  EXPECT_NE(why.find("cannot be made: File name too long; choose another --out"), std::string::npos) << why;
  const std::string cannot_read = find_results(long_name).problem->text();
  EXPECT_NE(cannot_read.find("cannot be read: File name too long"), std::string::npos) << cannot_read;
}

TEST_F(ResultDirectoryTest, NeedsAPlaceToBe) {
  EXPECT_NE(refusal(scratch_ / "none" / "out", Existing::refuse).find("create that first"),
            std::string::npos);
  EXPECT_NE(refusal("", Existing::refuse).find("names no directory"), std::string::npos);
  EXPECT_NE(refusal("/proc/out", Existing::refuse).find("cannot be made"), std::string::npos);
}

TEST_F(ResultDirectoryTest, MayBeNamedWithASlashAtItsEnd) {
  target_ /= "";
  write_results(1);
  EXPECT_EQ(names(scratch_), std::set<std::string>{"out"});
}

TEST_F(ResultDirectoryTest, TheCheckFindsFilesThatAreNotTheStores) {
  write_results(3);
  EXPECT_EQ(check_after("replicas.csv", "3000000000000", "3000000000000"), "");
  // Line 1 has the names, replica 0 is line 2.
  EXPECT_EQ(check_after("replicas.csv", "3000000000000", "3000000000001"),
            "replicas.csv:2:1: effective_ns = \"3000000000001\", where results.sqlite has \"3000000000000\"");
  EXPECT_EQ(check_after("replicas.csv", "\n1,", "\n2,"),
            "replicas.csv:3:1: replica = \"2\", where results.sqlite has \"1\"");
  EXPECT_EQ(check_after("replicas.csv", "wall_ns", "wall"),
            "replicas.csv:1:1: the columns are not those of this study's results");
  EXPECT_EQ(check_after("incidents.csv", "\n2,", "\n3,"),
            "incidents.csv:4:1: replica = \"3\", where results.sqlite has \"2\"");
}

TEST_F(ResultDirectoryTest, TheCheckFindsFiguresThatDoNotAddUp) {
  EXPECT_EQ(check_of({}), "");
  EXPECT_EQ(check_of([](std::uint32_t replica, Figures& figures) {
              if (replica == 1) at(figures.phases, Phase::effective) += Duration(1);
            }),
            "results.sqlite: replica 1: the phases do not add up to wall_ns = 3600000000000");
  EXPECT_EQ(check_of([](std::uint32_t replica, Figures& figures) {
              if (replica == 0) at(figures.lost[cause_of(FaultKindId{0}).value], Phase::recomputing) = {};
            }),
            "results.sqlite: replica 0: the causes do not add up to recomputing_ns = 500000000000");
  EXPECT_EQ(check_of([](std::uint32_t replica, Figures& figures) {
              if (replica == 0) at(figures.phases, Phase::effective) = Duration(9223372036854775807);
            }),
            "results.sqlite: replica 0: the phases do not add up to wall_ns = 3600000000000");
  EXPECT_EQ(check_of([](std::uint32_t replica, Figures& figures) {
              if (replica == 2) figures.fingerprint = 1;
            }).substr(0, std::string("results.sqlite: the replicas' fingerprints make ").size()),
            "results.sqlite: the replicas' fingerprints make ");
  EXPECT_EQ(check_of([](std::uint32_t replica, Figures& figures) {
              if (replica == 0) figures.incidents[0].closed = Time(Duration(1));
            }),
            "results.sqlite: incident 0 of replica 0 ends before it begins");
}

TEST_F(ResultDirectoryTest, TheCheckFindsFiguresThatAreNotTheStores) {
  write_results(3);
  EXPECT_EQ(check_after("result.json", "\"mean\": 0.8333333333333334", "\"mean\": 0.9"),
            "result.json: metrics.ettr.mean = 0.9, where results.sqlite has 0.8333333333333334");
  EXPECT_EQ(check_after("result.json", "\"replicas\": 3", "\"replicas\": 4"),
            "result.json: replicas = 4, where results.sqlite has 3");
  EXPECT_EQ(check_after("result.json", "\"fingerprint\": \"", "\"fingerprint\": \"0"),
            "result.json: fingerprint = \"0" + fingerprint_text(sample_summary(3).fingerprint) +
                "\" is that of no point in results.sqlite");
  EXPECT_EQ(check_after("result.json", "\"seed\": 7", "\"seed\": 8"),
            "result.json: seed is not that of results.sqlite, 7");
}

TEST_F(ResultDirectoryTest, TheCheckFindsFilesThatWereCut) {
  write_results(3);
  const std::string whole = read(target_ / "replicas.csv");
  put(target_ / "replicas.csv", whole.substr(0, whole.size() - 1));
  EXPECT_EQ(check(), "replicas.csv:4:1: the line is cut short");
  put(target_ / "replicas.csv", whole.substr(0, whole.rfind("\n2,") + 1));
  EXPECT_EQ(check(), "replicas.csv: ends after 2 rows, and results.sqlite has more");
  put(target_ / "replicas.csv", "");
  EXPECT_EQ(check(), "replicas.csv: is empty");
  fs::remove(target_ / "replicas.csv");
  EXPECT_EQ(check(), "replicas.csv: cannot be read");
}

TEST_F(ResultDirectoryTest, DamagedResultsAreAClearError) {
  const auto error = [&] {
    const FoundResults found = find_results(target_);
    if (!found.store) return found.problem->text();
    const ReadResults results = read_summary(found);
    EXPECT_FALSE(results.summary);
    return results.problem ? results.problem->text() : "";
  };
  EXPECT_NE(error().find("is not a result directory"), std::string::npos);
  write_results(2);
  const std::string json = read(target_ / "result.json");
  put(target_ / "result.json", json.substr(0, 40));
  EXPECT_NE(error().find("result.json: is damaged"), std::string::npos);
  put(target_ / "result.json", to_json(sample_summary(3)));
  EXPECT_NE(error().find("results.sqlite: does not hold the replicas that result.json is of"),
            std::string::npos);
  put(target_ / "result.json", json);
  put(target_ / "results.sqlite", "no database at all, but long enough to be read as one's header would be");
  EXPECT_NE(error().find("results.sqlite: "), std::string::npos);
  fs::remove(target_ / "results.sqlite");
  EXPECT_NE(error().find("results.sqlite: "), std::string::npos);
  fs::remove(target_ / "result.json");
  EXPECT_NE(error().find("result.json: is lost"), std::string::npos);
}

}  // namespace
}  // namespace gauntlet
