#include "real/probes/host/machine_files.hpp"

#include <charconv>
#include <fstream>
#include <sstream>

namespace gauntlet {
namespace {

template <class Number>
std::optional<Number> number_at_begin(std::string_view text) {
  Number out{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc{} ? std::optional(out) : std::nullopt;
}

}  // namespace

std::optional<std::string> first_line(const std::string& path) {
  std::ifstream in(path);
  std::string line;
  if (!std::getline(in, line)) return std::nullopt;
  return line;
}

std::optional<std::string> whole_text(const std::string& path) {
  std::ifstream in(path);
  std::ostringstream out;
  if (!in || !(out << in.rdbuf())) return std::nullopt;
  return out.str();
}

std::optional<std::int64_t> whole_number_in(const std::string& path) {
  const auto line = first_line(path);
  return line ? number_at_begin<std::int64_t>(*line) : std::nullopt;
}

std::optional<std::uint64_t> size_of_text(std::string_view text) {
  const auto number = number_at_begin<std::uint64_t>(text);
  if (!number) return std::nullopt;
  switch (text.back()) {
    case 'K':
      return *number << 10;
    case 'M':
      return *number << 20;
    case 'G':
      return *number << 30;
    default:
      return number;
  }
}

std::vector<int> listed_numbers(std::string_view list) {
  std::vector<int> out;
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(','), list.size());
    const std::string_view range = list.substr(0, end);
    list.remove_prefix(std::min(end + 1, list.size()));
    const auto first = number_at_begin<int>(range);
    if (!first) continue;
    const std::size_t dash = range.find('-');
    const auto last = dash == std::string_view::npos ? first : number_at_begin<int>(range.substr(dash + 1));
    for (int each = *first; last && each <= *last; ++each) out.push_back(each);
  }
  return out;
}

std::optional<std::uint64_t> available_memory(const std::string& root) {
  const auto text = whole_text(root + "/proc/meminfo");
  if (!text) return std::nullopt;
  constexpr std::string_view kKey = "MemAvailable:";
  const std::size_t at = text->find(kKey);
  if (at == std::string::npos) return std::nullopt;
  const std::size_t digits = text->find_first_not_of(' ', at + kKey.size());
  if (digits == std::string::npos) return std::nullopt;
  const auto kilobytes = number_at_begin<std::uint64_t>(std::string_view(*text).substr(digits));
  return kilobytes ? std::optional(*kilobytes << 10) : std::nullopt;
}

}  // namespace gauntlet
