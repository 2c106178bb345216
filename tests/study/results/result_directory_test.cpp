#include "study/results/result_reader.hpp"
#include "study/results/result_writer.hpp"
#include "study/results/summary_json.hpp"
#include "tests/study/results/sample_study.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <set>

namespace gauntlet {
namespace {

namespace fs = std::filesystem;

std::string read(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void write(const fs::path& file, const std::string& text) { std::ofstream(file, std::ios::binary) << text; }

class ResultDirectory : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "gauntlet-results-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    scratch_ = name;
    target_ = scratch_ / "out";
  }
  void TearDown() override { fs::remove_all(scratch_); }

  std::unique_ptr<ResultWriter> open(Existing existing = Existing::refuse) {
    auto opened = ResultWriter::open(target_, existing, sample_facts(), "name = \"sample\"\n");
    EXPECT_TRUE(opened.writer) << (opened.problem ? opened.problem->text() : "");
    return std::move(opened.writer);
  }
  std::string refusal(const fs::path& target, Existing existing) {
    auto opened = ResultWriter::open(target, existing, sample_facts(), "");
    EXPECT_FALSE(opened.writer);
    return opened.problem ? opened.problem->text() : "";
  }
  void write_results(std::uint32_t count, Existing existing = Existing::refuse) {
    const auto writer = open(existing);
    for (std::uint32_t k = 0; k < count; ++k) writer->add(k, sample_figures(k));
    const auto problem = writer->commit(sample_summary(count));
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
    write(target_ / file, text.replace(at, part.size(), instead));
    const auto problem = check_results(target_, sample_summary(3));
    write(target_ / file, whole);
    return problem ? problem->text().substr(target_.string().size() + 1) : "";
  }

  fs::path scratch_, target_;
};

TEST_F(ResultDirectory, HoldsTheFilesAndNothingIsLeftBeside) {
  write_results(3);
  EXPECT_EQ(names(target_), (std::set<std::string>{"result.json", "replicas.csv", "incidents.csv",
                                                   "results.sqlite", "scenario.toml"}));
  EXPECT_EQ(names(scratch_), std::set<std::string>{"out"});
  EXPECT_EQ(read(target_ / "result.json"), to_json(sample_summary(3)));
  EXPECT_EQ(read(target_ / "scenario.toml"), "name = \"sample\"\n");
}

TEST_F(ResultDirectory, ReadsBackAndAddsUp) {
  write_results(3);
  const ReadResults results = read_results(target_);
  ASSERT_TRUE(results.summary) << results.problem->text();
  EXPECT_EQ(to_json(*results.summary), to_json(sample_summary(3)));
  EXPECT_EQ(results.summary->facts.question, sample_facts().question);
  EXPECT_EQ(results.summary->facts.gpus_held, sample_facts().gpus_held);
  EXPECT_EQ(results.summary->facts.window, sample_facts().window);
  EXPECT_EQ(results.summary->facts.give_up_after, sample_facts().give_up_after);
  EXPECT_EQ(results.summary->facts.faults, sample_facts().faults);
  const auto problem = check_results(target_, *results.summary);
  EXPECT_FALSE(problem) << problem->text();
}

TEST_F(ResultDirectory, WithoutACommitLeavesNothing) {
  {
    const auto writer = open();
    writer->add(0, sample_figures(0));
    EXPECT_FALSE(fs::exists(target_));
    EXPECT_EQ(names(scratch_).size(), 1U) << "it writes beside the target";
  }
  EXPECT_TRUE(names(scratch_).empty());
}

TEST_F(ResultDirectory, IsNeverOverwrittenUnasked) {
  write_results(2);
  const std::string before = read(target_ / "result.json");
  EXPECT_NE(refusal(target_, Existing::refuse).find("exists and is not overwritten"), std::string::npos);
  EXPECT_EQ(read(target_ / "result.json"), before);
  EXPECT_EQ(names(scratch_), std::set<std::string>{"out"});
}

TEST_F(ResultDirectory, MayBeThereAlreadyIfItIsEmpty) {
  fs::create_directory(target_);
  write_results(2);
  EXPECT_EQ(names(target_).size(), 5U);
  EXPECT_EQ(names(scratch_), std::set<std::string>{"out"});
}

TEST_F(ResultDirectory, ThatAppearedMeanwhileIsNotOverwritten) {
  const auto writer = open();
  fs::create_directory(target_);
  write(target_ / "notes.txt", "mine");
  EXPECT_TRUE(writer->commit(sample_summary(0)));
  EXPECT_EQ(names(target_), std::set<std::string>{"notes.txt"});
}

TEST_F(ResultDirectory, IsReplacedWhenAskedOnceTheNewIsComplete) {
  write_results(2);
  const std::string before = read(target_ / "result.json");
  {
    const auto writer = open(Existing::replace);
    writer->add(0, sample_figures(0));
  }
  EXPECT_EQ(read(target_ / "result.json"), before) << "a run that dies leaves the old results";
  write_results(3, Existing::replace);
  EXPECT_EQ(read(target_ / "result.json"), to_json(sample_summary(3)));
  EXPECT_EQ(names(scratch_), std::set<std::string>{"out"});
}

TEST_F(ResultDirectory, IsNotReplacedWhereItHoldsAnythingElse) {
  write_results(2);
  write(target_ / "notes.txt", "mine");
  EXPECT_NE(refusal(target_, Existing::replace).find("\"notes.txt\""), std::string::npos);
  write(scratch_ / "file", "mine");
  EXPECT_NE(refusal(scratch_ / "file", Existing::replace).find("is no directory"), std::string::npos);
  EXPECT_EQ(read(scratch_ / "file"), "mine");
}

TEST_F(ResultDirectory, NeedsAPlaceToBe) {
  EXPECT_NE(refusal(scratch_ / "none" / "out", Existing::refuse).find("create that first"),
            std::string::npos);
  EXPECT_NE(refusal("", Existing::refuse).find("names no directory"), std::string::npos);
  EXPECT_NE(refusal("/proc/out", Existing::refuse).find("cannot be made"), std::string::npos);
}

TEST_F(ResultDirectory, MayBeNamedWithASlashAtItsEnd) {
  target_ /= "";
  write_results(1);
  EXPECT_EQ(names(scratch_), std::set<std::string>{"out"});
}

TEST_F(ResultDirectory, TheCheckFindsWhatWasTamperedWith) {
  write_results(3);
  EXPECT_EQ(check_after("replicas.csv", "3000000000000", "3000000000000"), "");
  // Line 1 has the names, replica 0 is line 2: one nanosecond too many of `effective`.
  EXPECT_EQ(check_after("replicas.csv", "3000000000000", "3000000000001"),
            "replicas.csv:2:1: replica 0: the phases do not add up to wall_ns = 3600000000000");
  EXPECT_EQ(check_after("replicas.csv", "350000000000", "350000000001"),
            "replicas.csv:2:1: replica 0: the causes do not add up to wall_ns - effective_ns = 600000000000");
  EXPECT_EQ(check_after("replicas.csv", "3000000000000", "-3000000000000"),
            "replicas.csv:2:1: effective_ns = \"-3000000000000\" is no whole number from zero up");
  EXPECT_EQ(check_after("replicas.csv", "3000000000000", "9223372036854775807"),
            "replicas.csv:2:1: replica 0: the phases do not add up to wall_ns = 3600000000000");
  EXPECT_EQ(check_after("replicas.csv", "\n1,", "\n2,"),
            "replicas.csv:3:1: replica 2 where replica 1 belongs");
  EXPECT_EQ(check_after("replicas.csv", "wall_ns", "wall"),
            "replicas.csv:1:1: the columns are not those of this study's results");
  EXPECT_EQ(check_after("replicas.csv", "1111111111111111", "1111111111111112")
                .substr(0, std::string("replicas.csv: the replicas' fingerprints make ").size()),
            "replicas.csv: the replicas' fingerprints make ");
  EXPECT_EQ(check_after("incidents.csv", "70000000000", "7000000000"),
            "incidents.csv:2:1: the incident ends before it begins");
  EXPECT_EQ(check_after("incidents.csv", "\n2,", "\n3,"),
            "incidents.csv:4:1: \"3\" is no replica of this study");
}

TEST_F(ResultDirectory, TheCheckFindsFilesThatWereCut) {
  write_results(3);
  const std::string whole = read(target_ / "replicas.csv");
  const auto check = [&] {
    const auto problem = check_results(target_, sample_summary(3));
    return problem ? problem->text().substr(target_.string().size() + 1) : "";
  };
  write(target_ / "replicas.csv", whole.substr(0, whole.size() - 1));
  EXPECT_EQ(check(), "replicas.csv:4:1: the line is cut short");
  write(target_ / "replicas.csv", whole.substr(0, whole.rfind("\n2,") + 1));
  EXPECT_EQ(check(), "replicas.csv: 2 replicas, where result.json says 3");
  write(target_ / "replicas.csv", "");
  EXPECT_EQ(check(), "replicas.csv: is empty");
  fs::remove(target_ / "replicas.csv");
  EXPECT_EQ(check(), "replicas.csv: cannot be read");
}

TEST_F(ResultDirectory, DamagedResultsAreAClearError) {
  const auto error = [&] {
    const ReadResults results = read_results(target_);
    EXPECT_FALSE(results.summary);
    return results.problem ? results.problem->text() : "";
  };
  EXPECT_NE(error().find("is no directory of results"), std::string::npos);
  write_results(2);
  const std::string json = read(target_ / "result.json");
  write(target_ / "result.json", json.substr(0, 40));
  EXPECT_NE(error().find("result.json: is damaged"), std::string::npos);
  write(target_ / "result.json", to_json(sample_summary(3)));
  EXPECT_NE(error().find("results.sqlite: is of another study"), std::string::npos);
  write(target_ / "result.json", json);
  write(target_ / "results.sqlite",
        "no database at all, but long enough to be read as one's header would be");
  EXPECT_NE(error().find("results.sqlite: cannot be read: "), std::string::npos);
  fs::remove(target_ / "results.sqlite");
  EXPECT_NE(error().find("results.sqlite: cannot be read: "), std::string::npos);
  fs::remove(target_ / "result.json");
  EXPECT_NE(error().find("result.json: cannot be read"), std::string::npos);
}

}  // namespace
}  // namespace gauntlet
