// Programs that write the result directory of a study on a lossy disk, and what they promise.
#pragma once

#include "study/store/directory/result_directory.hpp"
#include "study/store/directory/result_reader.hpp"
#include "study/summary/summary_json.hpp"
#include "tests/files/lossy_run.hpp"
#include "tests/files/lossy_vfs.hpp"
#include "tests/study/store/sample_study.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gauntlet {

inline constexpr std::uint32_t kTask = 2;  // replicas that a transaction adds

inline StudyIdentity lossy_study() {
  return {.command = "run",
          .arguments = "gauntlet run sample",
          .version = sample_facts().version,
          .seed = sample_facts().seed,
          .scenario = "sample",
          .text = "name = \"sample\"\n"};
}

/// A program that works on a study: opens its directory, adds replicas, perhaps commits.
class StudyProgram {
 public:
  StudyProgram(const std::filesystem::path& target, Existing existing, Files& files)
      : opened_(ResultDirectory::open(target, existing, lossy_study(), sample_facts().faults, {}, files)) {}

  /// Why the directory could not be opened, or what went wrong since.
  std::optional<Problem> problem() const {
    if (!opened_.directory) return opened_.problem;
    return opened_.directory->store().problem();
  }
  void add_up_to(std::uint32_t count) {
    if (!opened_.directory) return;
    Store& store = opened_.directory->store();
    const auto point =
        store.add_point({.label = "", .settings = {}, .text = lossy_study().text, .facts = sample_facts()});
    for (std::uint32_t k = store.replicas(point); k < count && !store.problem(); k += kTask) {
      std::vector<Figures> figures;
      for (std::uint32_t i = k; i < std::min(count, k + kTask); ++i) figures.push_back(sample_figures(i));
      store.add(point, k, figures);
    }
  }
  std::optional<Problem> keep() {
    const auto why = problem();
    return why ? why : opened_.directory->keep();
  }
  std::uint64_t replicas() const { return opened_.directory ? opened_.directory->store().replicas() : 0; }
  std::optional<Problem> commit(std::uint32_t count) {
    if (auto why = problem()) return why;
    opened_.directory->store().put_summary(0, sample_summary(count));
    const ResultFile results[] = {{std::string(kResultFile), to_json(sample_summary(count))},
                                  {std::string(kScenarioFile), lossy_study().text}};
    return opened_.directory->commit(results);
  }

 private:
  ResultDirectory::Opened opened_;
};

/// What `results --check` says of so many replicas; nothing where all is well.
inline std::optional<Problem> checked(const std::filesystem::path& target, std::uint32_t count) {
  const FoundResults found = find_results(target);
  if (!found.store) return found.problem;
  if (!found.complete) return Problem{.file = target, .what = {}, .why = "is not complete", .suggestion = {}};
  return check_results(found, sample_summary(count));
}

inline constexpr std::uint32_t kFew = 3, kAll = 7;

/// The promises of one or more programs in turn, and what anybody may find after them.
class Studies {
 public:
  explicit Studies(LossyPlace& place)
      : place_(place), committed_(std::filesystem::exists(place.path() / "out") ? kFew : 0) {}

  /// Results under their name are whole. Where a program did not say that they are of all replicas, the study goes on with
  /// what was promised to be kept.
  void check(const std::filesystem::path& left) const {
    if (committed_ > 0 || std::filesystem::exists(left / "out")) check_results_of(left);
    const bool is_live = left == place_.path();
    LossyPlace later(left);
    const LossyVfs vfs(later.disk);
    const std::filesystem::path target = later.path() / "out";
    if (committed_ < kAll) {
      StudyProgram resumed(target, Existing::resume, later.files);
      ASSERT_FALSE(resumed.problem()) << resumed.problem()->text();
      EXPECT_GE(resumed.replicas(), is_live ? std::max(held_, said_safe_) : held_);
      resumed.add_up_to(kAll);
      const auto problem = resumed.commit(kAll);
      ASSERT_FALSE(problem) << problem->text();
    }
    const auto problem = checked(target, kAll);
    EXPECT_FALSE(problem) << problem->text();
    if (harmless) {
      EXPECT_EQ(problems_, 0);
    }
  }

  bool harmless = false;

 protected:
  /// A program that adds replicas, and completes the study unless it is interrupted.
  void go_through(Existing existing, std::uint32_t count, bool is_interrupted) {
    if (existing == Existing::replace) held_ = said_safe_ = 0;  // they are to go
    auto program = std::make_unique<StudyProgram>(place_.path() / "out", existing, place_.files);
    program->add_up_to(count);
    const auto problem = is_interrupted ? program->keep() : program->commit(count);
    const std::uint64_t replicas = program->replicas();
    if (!problem && !place_.disk.is_off()) {
      if (is_interrupted)
        held_ = replicas;
      else
        committed_ = count;
    }
    program.reset();
    note(problem, replicas);
  }

  LossyPlace& place_;

 private:
  void note(const std::optional<Problem>& problem, std::uint64_t replicas) {
    if (!problem) return;
    ++problems_;
    EXPECT_FALSE(problem->why.empty()) << problem->text();
    if (problem->suggestion.find("are safe") != std::string::npos) said_safe_ = replicas;
  }
  void check_results_of(const std::filesystem::path& left) const {
    const auto few = checked(left / "out", kFew), all = checked(left / "out", kAll);
    if (all && (few || committed_ == kAll)) ADD_FAILURE() << all->text() << (few ? "\n" + few->text() : "");
  }

  std::uint32_t committed_;      // the replicas of the results that a program said it wrote
  std::uint64_t held_ = 0;       // replicas that a program said it left in DIR.part
  std::uint64_t said_safe_ = 0;  // replicas that a program said are safe when something failed
  int problems_ = 0;
};

/// What a program left that was killed, with SQLite's log beside the store.
inline std::filesystem::path killed_study() {
  static const Memory left = [] {
    const Memory place;
    StudyProgram program(place.path() / "out", Existing::refuse, system_files());
    program.add_up_to(kFew);
    return Memory(place.path());
  }();
  return left.path();
}

/// The same, where it had all replicas of a study that was to replace results.
inline std::filesystem::path killed_replacement() {
  static const Memory left = [] {
    const Memory place;
    {
      StudyProgram earlier(place.path() / "out", Existing::refuse, system_files());
      earlier.add_up_to(kFew);
      EXPECT_FALSE(earlier.commit(kFew));
    }
    StudyProgram program(place.path() / "out", Existing::replace, system_files());
    program.add_up_to(kAll);
    return Memory(place.path());
  }();
  return left.path();
}

/// A program that works on the study.
struct StudyStage {
  Existing existing = Existing::refuse;
  std::uint32_t count = 0;      // 0: there is no such program
  bool is_interrupted = false;  // it adds replicas and ends, as a study that is interrupted does
};
struct StudyCase {
  const char* name;
  std::filesystem::path (*begins_with)();
  StudyStage stages[2];
};

inline constexpr StudyCase kFresh{"a fresh study", empty_directory, {{Existing::refuse, kAll}}};
inline constexpr StudyCase kKept{"a study that is kept", empty_directory, {{Existing::refuse, kFew, true}}};
inline constexpr StudyCase kInterrupted{
    "an interrupted study", empty_directory, {{Existing::refuse, kFew, true}, {Existing::resume, kAll}}};
inline constexpr StudyCase kExtended{// goes on from results
                                     "an extended study",
                                     empty_directory,
                                     {{Existing::refuse, kFew}, {Existing::resume, kAll}}};
inline constexpr StudyCase kExtendedAndKept{"an extended study that is kept",
                                            empty_directory,
                                            {{Existing::refuse, kFew}, {Existing::resume, kAll, true}}};
inline constexpr StudyCase kReplaced{
    "a replaced study", empty_directory, {{Existing::refuse, kFew}, {Existing::replace, kAll}}};
inline constexpr StudyCase kResumed{"a killed study that goes on", killed_study, {{Existing::resume, kAll}}};
inline constexpr StudyCase kDiscarded{
    "a killed study that is discarded", killed_study, {{Existing::replace, kAll}}};
inline constexpr StudyCase kReplacing{
    "a study that replaces results", killed_replacement, {{Existing::resume, kAll}}};

template <const StudyCase& what>
struct StudyTrial : Studies {
  using Studies::Studies;
  static constexpr const char* kName = what.name;
  static std::filesystem::path begins_with() { return what.begins_with(); }
  void run() {
    const LossyVfs vfs(place_.disk);
    for (const StudyStage& stage : what.stages)
      if (stage.count > 0) go_through(stage.existing, stage.count, stage.is_interrupted);
  }
};

}  // namespace gauntlet
