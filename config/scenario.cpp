#include "config/scenario.hpp"

#include "config/assemble.hpp"
#include "config/brought.hpp"
#include "config/describe.hpp"
#include "config/fields/reader.hpp"
#include "config/references.hpp"
#include "config/toml/files.hpp"
#include "config/toml/nearest.hpp"

#include <filesystem>
#include <utility>

namespace gauntlet {
namespace {

/// Reads the tree into structs; `name` is the file's, `called` the scenario's unless it has its own. It may name `custom`
/// policies.
LoadedScenario read_tree(Assembled assembled, Mistakes& mistakes, const std::string& name,
                         const std::string& called, std::shared_ptr<const CustomPolicies> custom) {
  lay_over_fault_models(assembled, mistakes);
  std::optional<Value>& tree = assembled.tree;
  LoadedScenario loaded;
  if (tree) {
    Scenario scenario;
    PolicyConstants& policies = scenario.policies;
    policies.custom = std::move(custom);
    Reader reader(Place(*tree, "", mistakes));
    describe(reader, scenario, called, *assembled.models);
    reader.finish();
    if (policies.custom && !policies.custom->named_in(policies.names)) policies.custom.reset();
    if (mistakes.none()) loaded.scenario = std::move(scenario);
    loaded.resolved = std::move(*tree);
  }
  loaded.problems = mistakes.in_order(name);
  loaded.warnings = mistakes.warnings();
  return loaded;
}

/// The file that is meant, or its path as given where nothing is there.
std::filesystem::path path_of(const std::string& given, Mistakes& mistakes) {
  std::error_code error;
  const std::filesystem::path path = given;
  if (std::filesystem::exists(path, error)) return path;
  if (const auto found = find_scenario(given, {})) return *found;
  Problem problem;
  problem.file = given;
  if (error) {
    problem.why = "cannot be read: " + error.message();
  } else {
    problem.why = "there is no such file or scenario";
    problem.suggestion = suggest_names(path.stem().string(), shipped_scenario_names());
  }
  mistakes.add(std::move(problem));
  return {};
}

/// A file of the catalogue was given where a scenario belongs: said so, in place of all that it lacks.
void explain_profile(const std::filesystem::path& path, std::vector<Problem>& problems) {
  const std::filesystem::path folder = path.lexically_normal().parent_path();
  if (problems.empty() || folder.parent_path().filename() != "catalog") return;
  Problem profile;
  profile.file = path.string();
  for (const CatalogueReference& reference : catalogue_references()) {
    if (reference.folder != folder.filename()) continue;
    profile.why = "is an entry of the catalogue, no scenario";
    const std::string key = reference.path == "faults.*.model" ? "faults.NAME.model" : reference.path;
    profile.suggestion = "a scenario takes it with " + key + " = \"" + path.stem().string() + "\"";
    problems = {std::move(profile)};  // its keys are not a scenario's
    return;
  }
  std::erase_if(problems, [](const Problem& problem) { return problem.why.starts_with("is missing"); });
  std::erase_if(problems, [](const Problem& problem) {
    return problem.what.find(", by default,") != std::string::npos;
  });
  profile.why = "is a profile to extend, no whole scenario";
  profile.suggestion =
      "write extends = \"catalog/" + (folder.filename() / path.filename()).string() + "\" in one";
  problems.insert(problems.begin(), std::move(profile));
}

}  // namespace

struct ScenarioSource::Files {
  std::filesystem::path path;  // empty where there is no such file
  std::string name;            // of the file, in messages
  Mistakes mistakes;           // of the files and of the first sets
  Assembled assembled;
  std::shared_ptr<const CustomPolicies> custom;
};

ScenarioSource::ScenarioSource(const std::string& path, std::span<const std::string> sets) {
  auto files = std::make_shared<Files>();
  files->custom = BroughtPolicies::here();
  files->path = path_of(path, files->mistakes);
  files->name = files->path.empty() ? path : files->path.string();
  if (!files->path.empty()) files->assembled = assemble_file(files->path, files->mistakes);
  lay_sets_over(files->assembled, sets, files->mistakes);
  files_ = std::move(files);
}

LoadedScenario ScenarioSource::load(std::span<const std::string> sets) const {
  Mistakes mistakes = files_->mistakes;
  Assembled assembled = files_->assembled;
  lay_sets_over(assembled, sets, mistakes);
  LoadedScenario loaded =
      read_tree(std::move(assembled), mistakes, files_->name, files_->path.stem().string(), files_->custom);
  explain_profile(files_->path, loaded.problems);
  return loaded;
}

bool says_no_effect(const Problem& warning) { return warning.why.starts_with("has no effect"); }

LoadedScenario load_scenario(const std::string& path, std::span<const std::string> sets) {
  return ScenarioSource(path, sets).load();
}

LoadedScenario load_scenario_text(std::string_view text, const std::string& name,
                                  std::span<const std::string> sets) {
  Mistakes mistakes;
  Assembled assembled = assemble_text(text, name, mistakes);
  lay_sets_over(assembled, sets, mistakes);
  return read_tree(std::move(assembled), mistakes, name, std::filesystem::path(name).stem().string(),
                   BroughtPolicies::here());
}

}  // namespace gauntlet
