#include "real/system/process_name.hpp"

#include <charconv>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string_view>

namespace gauntlet {
namespace {

constexpr int kFieldsToStart = 20;  // from the state, which is field 3, to the start, which is field 22

template <class Number>
bool read_number(std::string_view text, Number& out) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc{} && end == text.data() + text.size();
}

}  // namespace

std::optional<ProcessName> name_process(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  const std::string stat{std::istreambuf_iterator<char>(file), {}};
  const std::size_t name_ends = stat.rfind(')');  // a name may hold spaces and parentheses
  if (name_ends == std::string::npos) return std::nullopt;
  std::istringstream fields(stat.substr(name_ends + 1));
  std::string field;
  for (int i = 0; i < kFieldsToStart; ++i) fields >> field;
  ProcessName name{.pid = pid};
  if (!fields || !read_number(field, name.started)) return std::nullopt;
  return name;
}

std::string to_text(const ProcessName& process) {
  return std::to_string(process.pid) + ":" + std::to_string(process.started);
}

std::optional<ProcessName> parse_process_name(const std::string& text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos) return std::nullopt;
  ProcessName name;
  const std::string_view whole = text;
  const bool numbers =
      read_number(whole.substr(0, colon), name.pid) && read_number(whole.substr(colon + 1), name.started);
  return numbers && name.pid > 0 ? std::optional(name) : std::nullopt;
}

std::string boot_id() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string id;
  std::getline(file, id);
  return id;
}

}  // namespace gauntlet
