#include "commands/trace/records/names.hpp"

#include <algorithm>

namespace gauntlet {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string_view take_digits(std::string_view& text) {
  const auto end = std::find_if_not(text.begin(), text.end(), is_digit);
  const auto size = static_cast<std::size_t>(end - text.begin());
  const std::string_view digits = text.substr(0, size);
  text.remove_prefix(size);
  return digits;
}

std::string_view without_zeros(std::string_view digits) {
  return digits.substr(std::min(digits.find_first_not_of('0'), digits.size()));
}

/// Below zero where a comes first, zero where nothing tells them apart.
int natural_order(std::string_view a, std::string_view b) {
  while (!a.empty() && !b.empty()) {
    if (is_digit(a.front()) && is_digit(b.front())) {
      const std::string_view x = without_zeros(take_digits(a)), y = without_zeros(take_digits(b));
      if (x.size() != y.size()) return x.size() < y.size() ? -1 : 1;
      if (const int order = x.compare(y); order != 0) return order;
    } else {
      if (a.front() != b.front()) return a.front() < b.front() ? -1 : 1;
      a.remove_prefix(1);
      b.remove_prefix(1);
    }
  }
  return static_cast<int>(b.empty()) - static_cast<int>(a.empty());
}

}  // namespace

bool natural_less(std::string_view a, std::string_view b) {
  const int order = natural_order(a, b);
  return order != 0 ? order < 0 : a < b;  // "07" and "7" are two names
}

Names::Sorted Names::sorted() const {
  Sorted out{.names = {}, .place = std::vector<std::uint32_t>(numbers_.size())};
  for (const auto& [name, number] : numbers_) {
    out.place[number] = static_cast<std::uint32_t>(out.names.size());
    out.names.push_back(name);
  }
  return out;
}

}  // namespace gauntlet
