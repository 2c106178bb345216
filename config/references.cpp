#include "config/references.hpp"

#include "config/describe.hpp"

#include <string_view>
#include <utility>

namespace gauntlet {
namespace {

/// Walks the description and remembers the catalogue's fields.
class ReferenceFinder final : public Fields {
 public:
  ReferenceFinder(std::string prefix, std::vector<CatalogueReference>& found)
      : prefix_(std::move(prefix)), found_(&found) {}

  void alternatives(std::initializer_list<std::string_view>) override {}
  void field(std::string_view, const Type&, const Fallback&, std::string_view) override {}
  void table(std::string_view name, const Describe& describe, std::string_view) override {
    ReferenceFinder inner(prefix_ + std::string(name) + ".", *found_);
    describe(inner);
  }
  void inline_table(std::string_view, const Describe&, std::string_view) override {}
  void catalogue(std::string_view name, std::string_view folder, const Describe&, std::string_view) override {
    found_->push_back({prefix_ + std::string(name), std::string(folder)});
  }
  void entries(std::string_view, const DescribeEntry&, std::string_view) override {}
  void check(const std::function<void(const Place&)>&) override {}

 private:
  std::string prefix_;
  std::vector<CatalogueReference>* found_;
};

}  // namespace

const std::vector<CatalogueReference>& catalogue_references() {
  static const std::vector<CatalogueReference> kReferences = [] {
    std::vector<CatalogueReference> found;
    ReferenceFinder finder("", found);
    Scenario scratch;
    describe(finder, scratch, "");
    return found;
  }();
  return kReferences;
}

}  // namespace gauntlet
