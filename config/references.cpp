#include "config/references.hpp"

#include "config/describe.hpp"

#include <string_view>
#include <utility>

namespace gauntlet {
namespace {

struct Found {
  std::vector<CatalogueReference> references;
  std::vector<std::string> laws;
};

/// Walks the description and remembers the fields that the merging of layers must know.
class ReferenceFinder final : public Fields {
 public:
  ReferenceFinder(std::string prefix, Found& found) : prefix_(std::move(prefix)), found_(&found) {}

  void alternatives(std::initializer_list<std::string_view>) override {}
  void field(std::string_view name, const Type& type, const Fallback&, std::string_view) override {
    if (type.law) found_->laws.push_back(prefix_ + std::string(name));
    if (!type.folder.empty()) found_->references.push_back({prefix_ + std::string(name), type.folder});
  }
  void table(std::string_view name, const Describe& describe, std::string_view) override {
    ReferenceFinder inner(prefix_ + std::string(name) + ".", *found_);
    describe(inner);
  }
  void inline_table(std::string_view name, const Describe& describe, std::string_view doc) override {
    table(name, describe, doc);
  }
  void catalogue(std::string_view name, std::string_view folder, const Describe&, std::string_view) override {
    found_->references.push_back({prefix_ + std::string(name), std::string(folder)});
  }
  void entries(std::string_view name, const DescribeEntry& describe, std::string_view) override {
    ReferenceFinder inner(prefix_ + std::string(name) + ".*.", *found_);
    describe(inner, "");
  }
  void check(const std::function<void(const Place&)>&) override {}

 private:
  std::string prefix_;
  Found* found_;
};

const Found& found() {
  static const Found kFound = [] {
    Found found;
    ReferenceFinder finder("", found);
    Scenario scratch;
    describe(finder, scratch);
    return found;
  }();
  return kFound;
}

}  // namespace

const std::vector<CatalogueReference>& catalogue_references() { return found().references; }

const std::vector<std::string>& law_paths() { return found().laws; }

}  // namespace gauntlet
