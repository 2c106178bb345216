// No file of a result directory may change, or get lost, without --check; and --resume never goes on from wrong numbers.
#include "study/store/directory/manifest.hpp"
#include "study/store/directory/result_directory.hpp"
#include "study/store/directory/result_reader.hpp"
#include "study/summary/summary_json.hpp"
#include "tests/study/store/damage.hpp"
#include "tests/study/store/sample_study.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <map>

namespace gauntlet::damage {
namespace {

namespace fs = std::filesystem;

StudyIdentity run_identity() {
  return {.command = "run",
          .arguments = "gauntlet run sample",
          .version = sample_facts().version,
          .seed = sample_facts().seed,
          .scenario = "sample",
          .text = "name = \"sample\"\n"};
}

class ResultDamage : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "gauntlet-damage-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    scratch_ = name;
    target_ = scratch_ / "out";
  }
  void TearDown() override { fs::remove_all(scratch_); }

  /// Results of so many replicas, with every file that some study writes. What was refused; empty where nothing was.
  std::string write_results(std::uint32_t count, Existing existing) {
    const auto opened = ResultDirectory::open(target_, existing, run_identity(), sample_facts().faults);
    if (!opened.directory) return opened.problem->text();
    Store& store = opened.directory->store();
    store.add_point({.label = "", .settings = {}, .text = run_identity().text, .facts = sample_facts()});
    for (std::uint32_t k = store.replicas(0); k < count; ++k) {
      const Figures figures = sample_figures(k);
      store.add(0, k, {&figures, 1});
    }
    store.put_summary(0, sample_summary(count));
    const ResultFile files[] = {{std::string(kResultFile), to_json(sample_summary(count))},
                                {std::string(kReportFile), "An ETTR of 83%.\n"},
                                {std::string(kPageFile), "<html>a page</html>\n"},
                                {std::string(kScenarioFile), run_identity().text}};
    const auto problem = opened.directory->commit(files);
    return problem ? problem->text() : "";
  }
  std::map<std::string, std::string> files() const {
    std::map<std::string, std::string> out;
    for (const auto& entry : fs::directory_iterator(target_))
      out.emplace(entry.path().filename().string(), bytes_of(entry.path()));
    return out;
  }
  void restore(const std::map<std::string, std::string>& files) const {
    fs::remove_all(target_);
    fs::create_directory(target_);
    for (const auto& [name, bytes] : files) put(target_ / name, bytes);
  }
  /// As `gauntlet results DIR --check` does it.
  std::string check() const {
    const FoundResults found = find_results(target_);
    if (!found.store) return found.problem->text();
    if (!found.complete) return "unfinished";
    const ReadResults read = read_summary(found);
    if (!read.summary) return read.problem->text();
    const auto problem = check_results(found, read.summary);
    return problem ? problem->text() : "";
  }
  /// The same without the path and the advice.
  std::string what() const {
    const auto problem = check_manifest(target_);
    return problem ? problem->file.substr(target_.string().size() + 1) + ": " + problem->why : "";
  }

  fs::path scratch_, target_;
};

TEST_F(ResultDamage, OfAnyFileIsFound) {
  ASSERT_EQ(write_results(20, Existing::refuse), "");
  EXPECT_EQ(check(), "");
  const auto sound = files();
  EXPECT_EQ(sound.size(), 8U);
  for (const auto& [name, bytes] : sound) {
    for (std::uint64_t number = 0; number < 40; ++number) {
      const Damaged damage = damaged(bytes, number);
      SCOPED_TRACE(name + ", " + damage.what);
      put(target_ / name, damage.bytes);
      EXPECT_NE(check(), "");
    }
    SCOPED_TRACE(name);
    put(target_ / name, "");
    EXPECT_NE(check(), "") << "emptied";
    fs::remove(target_ / name);
    EXPECT_NE(check(), "") << "removed";
    ASSERT_EQ(::mkfifo((target_ / name).c_str(), 0600), 0);
    EXPECT_NE(check(), "") << "a FIFO, which is never opened";
    put(target_ / name, bytes);
  }
  EXPECT_EQ(check(), "");
}

TEST_F(ResultDamage, IsSaidWithTheFileAndWhatIsWrongWithIt) {
  ASSERT_EQ(write_results(3, Existing::refuse), "");
  const auto sound = files();
  EXPECT_EQ(what(), "");
  put(target_ / kReportFile, "An ETTR of 93%.\n");
  EXPECT_EQ(what().substr(0, 51), "report.txt: is not as it was written: its digest is");
  put(target_ / kReportFile, "");
  EXPECT_EQ(what(), "report.txt: has 0 bytes, and was written with 16");
  fs::remove(target_ / kReportFile);
  EXPECT_EQ(what(), "report.txt: is not there; manifest.txt lists it");
  ASSERT_EQ(::mkfifo((target_ / kReportFile).c_str(), 0600), 0);
  EXPECT_EQ(what(), "report.txt: is a FIFO, not a file");
  restore(sound);
  put(target_ / kPointsFile, "point\n");
  EXPECT_EQ(what(), "points.csv: is not in manifest.txt");
  restore(sound);
  put(target_ / "notes.txt", "mine");
  EXPECT_EQ(what(), "") << "somebody's own file";
  put(target_ / kManifestFile, sound.at(std::string(kManifestFile)) + "\n");
  EXPECT_EQ(what(), "manifest.txt: is damaged");
  fs::remove(target_ / kManifestFile);
  EXPECT_EQ(what(), "manifest.txt: cannot be read");
}

TEST_F(ResultDamage, AnEmptyStoreIsNotBegunAnew) {
  ASSERT_EQ(write_results(3, Existing::refuse), "");
  fs::resize_file(target_ / "results.sqlite", 0);
  EXPECT_EQ(write_results(4, Existing::resume),
            (target_ / "results.sqlite").string() +
                ": is damaged: it is empty; start again with --force, or bring "
                "the file back from a copy");
  EXPECT_EQ(write_results(4, Existing::replace), "");
}

TEST_F(ResultDamage, OfTheStoreNeverGoesIntoTheResultsOfAResume) {
  ASSERT_EQ(write_results(40, Existing::refuse), "");
  const auto wanted = files();
  ASSERT_EQ(write_results(25, Existing::replace), "");
  const auto sound = files();
  ASSERT_EQ(write_results(40, Existing::resume), "");
  EXPECT_TRUE(files() == wanted);
  int refused = 0;
  for (std::uint64_t number = 0; number < 60; ++number) {
    restore(sound);
    const Damaged damage = damaged(sound.at(std::string(kDatabaseFile)), number);
    SCOPED_TRACE(damage.what);
    put(target_ / kDatabaseFile, damage.bytes);
    const std::string said = write_results(40, Existing::resume);
    refused += !said.empty();
    if (said.empty()) {
      EXPECT_TRUE(files() == wanted);
    } else {
      EXPECT_NE(said.find((target_ / kDatabaseFile).string() + ": "), std::string::npos) << said;
      EXPECT_EQ(bytes_of(target_ / kDatabaseFile), damage.bytes) << "a refused resume leaves all as it was";
      EXPECT_FALSE(fs::exists(unfinished_directory(target_)));
    }
  }
  EXPECT_GT(refused, 20);
}

}  // namespace
}  // namespace gauntlet::damage
