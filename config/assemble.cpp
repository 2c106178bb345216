#include "config/assemble.hpp"

#include "config/fields/laws.hpp"
#include "config/fields/types.hpp"
#include "config/inherited_faults.hpp"
#include "config/references.hpp"
#include "config/toml/files.hpp"
#include "config/toml/nearest.hpp"
#include "config/toml/place.hpp"
#include "config/toml/toml.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace gauntlet {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kExtends = "extends";
constexpr std::size_t kMostShown = 60;   // bytes of an assignment, in a message
constexpr std::size_t kMostFiles = 100;  // `extends` that doubles with every level would never end

class Assembler {
 public:
  Assembler(Mistakes& mistakes, FaultModels& models, std::uint32_t layers = 0)
      : mistakes_(&mistakes), models_(&models), layer_(layers) {}

  std::optional<Value> file(const fs::path& path, const Place* asked);
  std::optional<Value> text(std::string_view text, const std::string& name, const fs::path& beside);
  void set(Value& root, const std::string& assignment, const fs::path& beside);
  void resolve_catalogue(Value& root, const fs::path& beside);
  /// What a file extends could not be read, so that nothing can be said of the whole.
  bool incomplete() const { return incomplete_; }
  std::uint32_t layers() const { return layer_; }

 private:
  /// The tree below `own`, from what it extends; `own` on top.
  Value over_its_bases(Value own, const fs::path& beside);
  void extend(Value& below, const Place& named, const fs::path& beside);
  std::vector<fs::path> chain_;  // the files that are being read, each extended by the one before it
  Mistakes* mistakes_;
  FaultModels* models_;
  std::uint32_t layer_;
  std::size_t files_ = 0;
  bool incomplete_ = false;
};

/// Laws at `path` ("faults.*.law" means every entry's), in both trees, made ready to merge.
void lay_laws(Value& below, Value& above, std::string_view path) {
  if (path.empty()) return lay_law_over(below, above);
  Value::Table* const under = below.table();
  Value::Table* const over = above.table();
  if (under == nullptr || over == nullptr) return;
  const std::size_t dot = std::min(path.find('.'), path.size());
  const std::string_view key = path.substr(0, dot), rest = path.substr(std::min(dot + 1, path.size()));
  for (auto& [name, value] : *over) {
    if (key != "*" && key != name) continue;
    if (const auto found = under->find(name); found != under->end()) lay_laws(found->second, value, rest);
  }
}

/// Merges two values. A distribution is replaced whole.
void lay_over(Value& below, Value above) {
  for (const std::string& path : law_paths()) lay_laws(below, above, path);
  merge(below, std::move(above));
}

/// One file cannot be read: said where it was asked for, else about itself.
void report_unreadable(Mistakes& mistakes, const fs::path& path, Problem problem, const Place* asked) {
  if (asked != nullptr) return asked->mistake("cannot be used: " + problem.why, problem.suggestion);
  problem.file = path.string();
  mistakes.add(std::move(problem));
}

fs::path identity(const fs::path& path) {
  std::error_code error;
  fs::path canonical = fs::canonical(path, error);
  return error ? path.lexically_normal() : canonical;
}

/// Values of a file lie on one layer, above those of what it extends.
void set_layer(Value& value, std::uint32_t layer) {
  value.at.layer = layer;
  value.key_at.layer = layer;
  if (Value::Table* table = value.table())
    for (auto& [key, member] : *table) set_layer(member, layer);
}

std::optional<Value> Assembler::file(const fs::path& path, const Place* asked) {
  if (++files_ > kMostFiles) {
    if (asked != nullptr)
      asked->mistake("makes more than " + std::to_string(kMostFiles) + " files", "extend fewer");
    return {};
  }
  FileText read = read_file(path);
  if (!read.text) {
    report_unreadable(*mistakes_, path, std::move(read.problem), asked);
    return {};
  }
  chain_.push_back(identity(path));
  auto tree = text(*read.text, path.string(), path.parent_path());
  chain_.pop_back();
  return tree;
}

std::optional<Value> Assembler::text(std::string_view text, const std::string& name, const fs::path& beside) {
  auto own = parse_toml(text, name, 0, *mistakes_);
  if (!own) return {};
  return over_its_bases(std::move(*own), beside);
}

Value Assembler::over_its_bases(Value own, const fs::path& beside) {
  Value below{Value::Table{}, own.at, own.key_at, false};
  if (Value* extends = own.find(kExtends)) {
    const Place named(*extends, std::string(kExtends), *mistakes_);
    if (extends->array() != nullptr) {
      for (std::size_t i = 0; i < extends->array()->size(); ++i) extend(below, element(named, i), beside);
    } else {
      extend(below, named, beside);
    }
    own.table()->erase(std::string(kExtends));
  }
  resolve_catalogue(own, beside);
  set_layer(own, ++layer_);
  if (refuses_faults(own)) remove_faults(below, *models_);
  lay_over(below, std::move(own));
  return below;
}

void Assembler::extend(Value& below, const Place& named, const fs::path& beside) {
  const std::string* name = read_text(named, "a path such as \"tiny-8.toml\", or a list of paths");
  if (name == nullptr) {
    incomplete_ = true;
    return;
  }
  const auto path = find_scenario(*name, beside);
  incomplete_ = incomplete_ || !path;
  if (!path)
    return named.mistake("is not there",
                         "paths start at the folder of this file, or at the shipped scenarios");

  const fs::path wanted = identity(*path);
  const auto again = std::find(chain_.begin(), chain_.end(), wanted);
  if (again != chain_.end()) {
    incomplete_ = true;
    std::string circle;
    for (auto link = again; link != chain_.end(); ++link) circle += link->filename().string() + " extends ";
    return named.mistake("is circular: " + circle + wanted.filename().string(), "leave one of them out");
  }
  // Each file has its own mistakes to report; a path is a path in one file only.
  if (auto base = file(*path, &named)) {
    lay_over(below, std::move(*base));
  } else {
    incomplete_ = true;
  }
}

void Assembler::resolve_catalogue(Value& root, const fs::path& beside) {
  for (const CatalogueReference& reference : catalogue_references()) {
    Value* named = root.find(reference.path);
    if (named == nullptr || named->string() == nullptr) continue;
    const std::string name = *named->string();
    const Place place(*named, reference.path, *mistakes_);
    const auto path = find_in_catalogue(reference.folder, name, beside);
    if (!path) {
      const std::vector<std::string> known = catalogue_names(reference.folder, beside);
      place.mistake("is not in the catalogue's " + reference.folder, suggest_names(name, known));
      continue;
    }
    FileText read = read_file(*path);
    if (!read.text) {
      report_unreadable(*mistakes_, *path, std::move(read.problem), &place);
      continue;
    }
    auto entry = parse_toml(*read.text, path->string(), 0, *mistakes_);
    if (!entry) {
      mistakes_->spoil(reference.path);
      continue;
    }
    entry->key_at = named->key_at;
    entry->whole = true;
    *named = std::move(*entry);
  }
}

void Assembler::set(Value& root, const std::string& assignment, const fs::path& beside) {
  const std::size_t equals = assignment.find('=');
  const std::string path = assignment.substr(0, equals);
  const bool plain =
      !path.empty() && path.front() != '.' && path.back() != '.' && path.find("..") == std::string::npos;
  if (equals == std::string::npos || !plain) {
    Problem problem;
    problem.file = kCommandLine;
    problem.what = "\"" + assignment + "\"";
    problem.why = plain ? "has no value" : "has no path";
    problem.suggestion = "write --set checkpoint.interval=10min";
    mistakes_->add(std::move(problem));
    return;
  }
  if (static_cast<std::size_t>(std::ranges::count(path, '.')) >= kMostKeyParts) {
    Problem problem;
    problem.file = kCommandLine;
    problem.what = "\"" + assignment.substr(0, kMostShown) + "...\"";
    problem.why = "has a path of more than " + std::to_string(kMostKeyParts) + " parts";
    problem.suggestion = "no field of a scenario is so deep";
    mistakes_->add(std::move(problem));
    return;
  }
  if (path == kExtends) {
    Problem problem;
    problem.file = kCommandLine;
    problem.what = "\"" + assignment + "\"";
    problem.why = "cannot be set";
    problem.suggestion = "write a scenario that extends both";
    mistakes_->add(std::move(problem));
    return;
  }
  Value one{Value::Table{}, {}, {}, false};
  put(one, path, parse_set_value(assignment.substr(equals + 1), ++layer_));
  one.at = root.at;
  one.key_at = root.key_at;
  resolve_catalogue(one, beside);
  if (refuses_faults(one)) remove_faults(root, *models_);
  lay_over(root, std::move(one));
}

Assembled complete(const Assembler& assembler, std::optional<Value> root, fs::path beside,
                   std::shared_ptr<FaultModels> models) {
  if (assembler.incomplete()) root.reset();
  return {.tree = std::move(root),
          .beside = std::move(beside),
          .layers = assembler.layers(),
          .models = std::move(models)};
}

/// The values of the model that the fault at `place` names; reports a name that means none.
std::optional<Value> model_values(const Place& place, FaultModels& models) {
  const auto named = place.find("model");
  if (!named || named->value().string() == nullptr) return {};
  const FaultModel* model = models.find(named->value());
  if (model != nullptr && model->values) {
    Value below = values_below(*model->values, place.value());
    set_layer(below, named->value().at.layer);
    return below;
  }
  if (model == nullptr)
    named->mistake(
        "is not in the catalogue's " + std::string(kFaultModels),
        suggest_names(*named->value().string(), fault_model_names(named->value().at, models.beside())));
  else
    for (const Problem& problem : model->problems) place.mistakes().add(problem);
  // What the model would have given is neither missing nor wrong.
  for (const char* given : {"model", "component", "effect", "heals_after", "factor", "chance", "rate"})
    place.mistakes().spoil(place.path_of(given));
  return {};
}

}  // namespace

Assembled assemble_file(const fs::path& path, Mistakes& mistakes) {
  auto models = std::make_shared<FaultModels>(path.parent_path());
  Assembler assembler(mistakes, *models);
  auto root = assembler.file(path, nullptr);
  return complete(assembler, std::move(root), path.parent_path(), std::move(models));
}

Assembled assemble_text(std::string_view text, const std::string& name, Mistakes& mistakes) {
  auto models = std::make_shared<FaultModels>(fs::path());
  Assembler assembler(mistakes, *models);
  auto root = assembler.text(text, name, {});
  return complete(assembler, std::move(root), {}, std::move(models));
}

void lay_sets_over(Assembled& assembled, std::span<const std::string> sets, Mistakes& mistakes) {
  if (!assembled.tree) return;
  Assembler assembler(mistakes, *assembled.models, assembled.layers);
  for (const std::string& assignment : sets) assembler.set(*assembled.tree, assignment, assembled.beside);
  assembled.layers = assembler.layers();
}

void lay_over_fault_models(Assembled& assembled, Mistakes& mistakes) {
  Value* faults = assembled.tree ? assembled.tree->find("faults") : nullptr;
  if (faults == nullptr || faults->table() == nullptr) return;
  Value::Table below;
  for (auto& [name, fault] : *faults->table()) {
    if (fault.table() == nullptr) continue;
    const Place place(fault, "faults." + key_to_toml(name), mistakes);
    if (auto values = model_values(place, *assembled.models)) below.emplace(name, std::move(*values));
  }
  if (below.empty()) return;
  Value root{Value::Table{}, assembled.tree->at, assembled.tree->key_at, false};
  root.table()->emplace("faults", Value{std::move(below), faults->at, faults->key_at, false});
  lay_over(root, std::move(*assembled.tree));
  assembled.tree = std::move(root);
}

}  // namespace gauntlet
