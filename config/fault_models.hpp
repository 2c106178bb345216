// The fault models: files of the catalogue that say what a fault does, but not how often it occurs.
#pragma once

#include "config/toml/value.hpp"
#include "core/problem.hpp"

#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gauntlet {

/// Their folder in the catalogue.
inline constexpr std::string_view kFaultModels = "fault-models";

struct FaultModel {
  std::optional<Value> values;    // of a fault, each of Origin::Kind::model; none if the file has mistakes
  std::vector<Problem> problems;  // these mistakes
};

/// The fault models that scenarios name. Each is looked for once, when it is first named, and its file is read and checked once.
/// Threads may share it.
class FaultModels {
 public:
  /// `beside`: where a scenario lies whose --set names a model.
  explicit FaultModels(std::filesystem::path beside) : beside_(std::move(beside)) {}

  /// The model that `name`, a string of a scenario, means in the file that has it. Null if the catalogue has none.
  const FaultModel* find(const Value& name);
  /// Whether `name` means one in the file that has `at`.
  bool has(const std::string& name, const Origin& at);
  const std::filesystem::path& beside() const { return beside_; }

 private:
  using Named = std::pair<std::string, std::string>;  // the file, empty for --set, and the name in it
  /// Where the catalogue has it. Under the lock.
  const std::optional<std::filesystem::path>& file_of(const std::string& name, const Origin& at);

  std::filesystem::path beside_;
  std::mutex mutex_;
  std::map<Named, std::optional<std::filesystem::path>> found_;
  std::map<std::filesystem::path, FaultModel> read_;
};

/// The models that the catalogue has, as seen from the file that has `at`, else from `otherwise`.
std::vector<std::string> fault_model_names(const Origin& at, const std::filesystem::path& otherwise = {});

/// The values below those of `fault`: all values of the model, without those that belong to an effect that `fault` replaces.
Value values_below(const Value& model, const Value& fault);

}  // namespace gauntlet
