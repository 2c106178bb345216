#include "commands/new/catalogue.hpp"

#include "config/describe.hpp"
#include "config/fields/reader.hpp"
#include "config/toml/files.hpp"
#include "config/toml/mistakes.hpp"
#include "config/toml/nearest.hpp"
#include "config/toml/toml.hpp"
#include "study/option_problem.hpp"

namespace gauntlet {
namespace {

template <class Entry>
std::optional<Entry> find_entry(const std::string& folder, const std::string& option, const std::string& name,
                                std::vector<Problem>& problems) {
  const std::vector<std::string> known = catalogue_names(folder, {});
  const auto path = find_in_catalogue(folder, name, {});
  if (!path) {
    problems.push_back(option_problem(option, '"' + name + '"', "is not in the catalogue's " + folder,
                                      suggest_names(name, known)));
    return {};
  }
  const FileText read = read_file(*path);
  if (!read.text) {
    problems.push_back(option_problem(option, '"' + name + '"', "cannot be used: " + read.problem.why,
                                      read.problem.suggestion));
    return {};
  }
  Mistakes mistakes;
  Entry entry;
  if (auto tree = parse_toml(*read.text, path->string(), 0, mistakes)) {
    Reader reader(Place(*tree, "", mistakes));
    describe(reader, entry);
    reader.finish();
  }
  const std::vector<Problem> found = mistakes.in_order(path->string());
  problems.insert(problems.end(), found.begin(), found.end());
  return found.empty() ? std::optional(std::move(entry)) : std::nullopt;
}

}  // namespace

std::optional<Hardware> find_hardware(const std::string& option, const std::string& name,
                                      std::vector<Problem>& problems) {
  return find_entry<Hardware>("hardware", option, name, problems);
}

std::optional<Transformer> find_model(const std::string& option, const std::string& name,
                                      std::vector<Problem>& problems) {
  return find_entry<Transformer>("models", option, name, problems);
}

}  // namespace gauntlet
