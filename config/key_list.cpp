// The visitor that lists the keys of scenarios.
#include "config/key_list.hpp"

#include "config/describe.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace gauntlet {
namespace {

std::string text_of(const Type& type, const Fallback& fallback) {
  switch (fallback.kind) {
    case Fallback::Kind::required:
      return "required";
    case Fallback::Kind::optional:
      return "";
    case Fallback::Kind::value:
    case Fallback::Kind::initial:
      return fallback.text(type);
    case Fallback::Kind::computed:
      return "computed";
  }
  return "";
}

class KeyLister final : public Fields {
 public:
  KeyLister(std::string path, std::vector<ScenarioKey>& keys) : path_(std::move(path)), keys_(&keys) {}

  void alternatives(std::initializer_list<std::string_view>) override {}
  void field(std::string_view name, const Type& type, const Fallback& fallback,
             std::string_view doc) override {
    keys_->push_back({path_of(name), std::string(doc), type.schema(), text_of(type, fallback)});
  }
  void table(std::string_view name, const Describe& describe, std::string_view doc) override {
    keys_->push_back({path_of(name), std::string(doc), "", ""});
    KeyLister inner(path_of(name), *keys_);
    describe(inner);
  }
  void inline_table(std::string_view name, const Describe& describe, std::string_view doc) override {
    table(name, describe, doc);
  }
  void catalogue(std::string_view name, std::string_view, const Describe& describe,
                 std::string_view doc) override {
    table(name, describe, doc);
  }
  void entries(std::string_view name, const DescribeEntry& describe, std::string_view doc) override {
    table(
        name, [](Fields&) {}, doc);
    KeyLister inner(path_of(name) + ".NAME", *keys_);
    describe(inner, "NAME");
  }
  void check(const std::function<void(const Place&)>&) override {}

 private:
  std::string path_of(std::string_view name) const {
    return path_.empty() ? std::string(name) : path_ + "." + std::string(name);
  }

  std::string path_;
  std::vector<ScenarioKey>* keys_;
};

/// "faults.NAME.mtbf" fits "faults.gpu_lost.mtbf".
bool fits(std::string_view key, std::string_view path) {
  while (true) {
    const std::string_view name = key.substr(0, key.find('.')), given = path.substr(0, path.find('.'));
    if (name != "NAME" && name != given) return false;
    if (name.size() == key.size() || given.size() == path.size())
      return name.size() == key.size() && given.size() == path.size();
    key.remove_prefix(name.size() + 1);
    path.remove_prefix(given.size() + 1);
  }
}

}  // namespace

std::vector<ScenarioKey> scenario_keys() {
  std::vector<ScenarioKey> keys;
  KeyLister lister("", keys);
  Scenario scratch;
  describe(lister, scratch);
  return keys;
}

bool takes_whole_numbers(std::string_view path) {
  const std::vector<ScenarioKey> keys = scenario_keys();
  const auto key = std::ranges::find_if(keys, [&](const ScenarioKey& each) { return fits(each.path, path); });
  return key != keys.end() && key->schema.starts_with("{\"type\": \"integer\"");
}

}  // namespace gauntlet
