// Names that come with the records, numbered when all are known.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace gauntlet {

/// As people sort them: runs of digits by their value, so that "node9" comes before "node10".
bool natural_less(std::string_view a, std::string_view b);

/// Numbers names in the order of their arrival, and can say afterwards which number each has by natural order.
class Names {
 public:
  std::uint32_t number_of(std::string_view name) {
    const auto [at, added] =
        numbers_.try_emplace(std::string(name), static_cast<std::uint32_t>(numbers_.size()));
    return at->second;
  }
  std::size_t size() const { return numbers_.size(); }

  struct Sorted {
    std::vector<std::string> names;
    std::vector<std::uint32_t> place;  // of the name that arrived i-th
  };
  Sorted sorted() const;

 private:
  struct Less {
    bool operator()(std::string_view a, std::string_view b) const { return natural_less(a, b); }
  };
  std::map<std::string, std::uint32_t, Less> numbers_;
};

}  // namespace gauntlet
