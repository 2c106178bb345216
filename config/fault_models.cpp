#include "config/fault_models.hpp"

#include "config/describe.hpp"
#include "config/fields/reader.hpp"
#include "config/toml/files.hpp"
#include "config/toml/toml.hpp"

#include <array>
#include <utility>

namespace gauntlet {
namespace {

namespace fs = std::filesystem;

/// What a fault with another effect does not take from its model: a slow host that is made to crash has no segment.
constexpr std::array<std::string_view, 8> kOfTheEffect = {
    "factor", "grows_every", "segment", "same_step", "halts_storage", "tampers", "loss", "exit_code"};
/// What a fault with a trace does not take from its model: the trace says what strikes when.
constexpr std::array<std::string_view, 4> kOfTheRate = {"lemons", "batches", "daily", "curve"};
/// About the model, for `gauntlet list fault-models`.
constexpr std::array<std::string_view, 2> kOfTheModelAlone = {"area", "summary"};

fs::path folder_of(const Origin& at, const fs::path& otherwise) {
  return at.kind == Origin::Kind::file && at.file ? fs::path(*at.file).parent_path() : otherwise;
}

void set_kind(Value& value, Origin::Kind kind) {
  value.at.kind = kind;
  value.key_at.kind = kind;
  if (Value::Table* table = value.table())
    for (auto& [key, member] : *table) set_kind(member, kind);
  if (auto* array = std::get_if<Value::Array>(&value.data))
    for (Value& element : *array) set_kind(element, kind);
}

FaultModel read_model(const fs::path& path) {
  FileText file = read_file(path);
  if (!file.text) {
    file.problem.file = path.string();
    return {{}, {std::move(file.problem)}};
  }
  Mistakes mistakes;
  std::optional<Value> values = parse_toml(*file.text, path.string(), 0, mistakes);
  if (values) {
    Value scratch = *values;
    FaultKind fault;
    World world;
    world.patterns = patterns_of_victims();
    Reader reader(Place(scratch, "", mistakes));
    describe_fault_model(reader, fault, world);
    reader.finish();
  }
  if (!mistakes.none()) return {{}, mistakes.in_order(path.string())};
  for (const std::string_view key : kOfTheModelAlone) values->table()->erase(std::string(key));
  set_kind(*values, Origin::Kind::model);
  return {std::move(values), {}};
}

}  // namespace

const std::optional<fs::path>& FaultModels::file_of(const std::string& name, const Origin& at) {
  const bool in_file = at.kind == Origin::Kind::file && at.file;
  const auto [found, fresh] = found_.try_emplace(Named(in_file ? *at.file : "", name));
  if (fresh) found->second = find_in_catalogue(std::string(kFaultModels), name, folder_of(at, beside_));
  return found->second;
}

bool FaultModels::has(const std::string& name, const Origin& at) {
  const std::lock_guard lock(mutex_);
  return file_of(name, at).has_value();
}

const FaultModel* FaultModels::find(const Value& name) {
  const std::lock_guard lock(mutex_);
  const std::optional<fs::path>& path = file_of(*name.string(), name.at);
  if (!path) return nullptr;
  const auto found = read_.find(*path);
  return found != read_.end() ? &found->second : &read_.emplace(*path, read_model(*path)).first->second;
}

std::vector<std::string> fault_model_names(const Origin& at, const fs::path& otherwise) {
  return catalogue_names(std::string(kFaultModels), folder_of(at, otherwise));
}

Value values_below(const Value& model, const Value& fault) {
  Value below = model;
  const Value* own = fault.find("effect");
  const Value* usual = model.find("effect");
  const bool same = own == nullptr || (own->string() != nullptr && *own->string() == *usual->string());
  if (!same)
    for (const std::string_view key : kOfTheEffect) below.table()->erase(std::string(key));
  if (fault.find("trace") != nullptr)
    for (const std::string_view key : kOfTheRate) below.table()->erase(std::string(key));
  return below;
}

}  // namespace gauntlet
