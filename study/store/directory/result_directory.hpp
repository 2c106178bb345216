// A result directory: complete or not there.
//
// While a study runs, its store and nothing else is in DIR.part beside DIR; `commit` writes the files and gives the
// directory its name. A study that is killed at any moment leaves DIR as it was and DIR.part to go on from; one that was
// interrupted, or that shall have more replicas, goes on from DIR.
#pragma once

#include "core/files/files.hpp"
#include "core/problem.hpp"
#include "study/store/directory/result_files.hpp"
#include "study/store/store.hpp"

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gauntlet {

enum class Existing {
  refuse,   // results that are there, or an unfinished study, are a problem
  replace,  // results are replaced once the new ones are complete; an unfinished study is discarded
  resume,   // goes on from an unfinished study, or from results; begins where there is neither
};

/// A file of the results beside the store and the CSV files.
struct ResultFile {
  std::string name;
  std::string text;
};

/// Asked while another program holds DIR.part: waits a moment and says whether to look again.
using WaitForOther = std::function<bool(const std::filesystem::path& part)>;

/// Holds a lock on DIR.part: two programs never write the same results.
class ResultDirectory {
 public:
  struct Opened {
    std::unique_ptr<ResultDirectory> directory;
    std::optional<Problem> problem;
  };
  /// Without `wait`, or once it says no, a directory that another program holds is refused.
  static Opened open(const std::filesystem::path& target, Existing existing, const StudyIdentity& study,
                     std::span<const std::string> faults, const WaitForOther& wait = {},
                     Files& files = system_files());
  /// Leaves DIR.part where it was not committed and holds replicas; removes it where it holds none.
  ~ResultDirectory();

  Store& store();
  /// Exports replicas.csv and incidents.csv (with a column `point` where there are several), writes the files and the
  /// canonical store, and renames. Called once, last, after the summaries were put into the store. Once it returns no
  /// problem, a power cut does not take the results. Where it fails, DIR is as it was (or, if only bringing its name to the
  /// disk failed, complete) and DIR.part holds every replica.
  std::optional<Problem> commit(std::span<const ResultFile> files);
  /// Whether `commit` would replace results from which this study did not go on.
  bool replaces() const;
  /// For a study that ends before it is complete: once this returns no problem, a power cut does not take the replicas in
  /// DIR.part.
  std::optional<Problem> keep();

 private:
  struct State;
  explicit ResultDirectory(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace gauntlet
