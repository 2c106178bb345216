// The visitor that lists the keys of scenarios.
#include "config/key_list.hpp"

#include "config/describe.hpp"

#include <string_view>
#include <utility>

namespace gauntlet {
namespace {

std::string text_of(const Fallback& fallback) {
  switch (fallback.kind) {
    case Fallback::Kind::required:
      return "required";
    case Fallback::Kind::optional:
      return "";
    case Fallback::Kind::value:
      return fallback.toml;
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
    keys_->push_back({path_of(name), std::string(doc), type.schema, text_of(fallback)});
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

}  // namespace

std::vector<ScenarioKey> scenario_keys() {
  std::vector<ScenarioKey> keys;
  KeyLister lister("", keys);
  Scenario scratch;
  describe(lister, scratch, "");
  return keys;
}

}  // namespace gauntlet
