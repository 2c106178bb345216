// gauntlet list: what scenarios and studies can name.
#include "cli/commands.hpp"
#include "config/listing.hpp"
#include "report/metric_words.hpp"
#include "shell/exit_code.hpp"
#include "shell/terminal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string_view>

namespace gauntlet {
namespace {

constexpr std::size_t kWidth = 100;

struct Listing {
  std::string_view kind;
  std::vector<Listed> (*list)();
};

std::vector<Listed> list_metrics() {
  std::vector<Listed> out;
  for (const auto& [name, about] : metric_words()) out.push_back({std::string(name), std::string(about)});
  return out;
}

constexpr std::array<Listing, 12> kListings = {{{"scenarios", list_scenarios},
                                                {"fault-models", list_fault_models},
                                                {"faults", list_faults},
                                                {"distributions", list_distributions},
                                                {"policies", list_policies},
                                                {"detectors", list_detectors},
                                                {"signals", list_signals},
                                                {"lines", list_lines},
                                                {"probes", list_probes},
                                                {"hardware", list_hardware},
                                                {"models", list_models},
                                                {"metrics", list_metrics}}};

// Names in one column; what is said about them beside it, over as many lines as it needs.
std::string table(const std::vector<Listed>& entries) {
  std::size_t widest = 0;
  for (const Listed& entry : entries) widest = std::max(widest, entry.name.size());
  const std::size_t room = std::max<std::size_t>(kWidth - std::min(kWidth, widest + 4), 30);
  std::string out;
  for (const Listed& entry : entries) {
    std::string_view about = entry.about;
    std::string_view name = entry.name;
    do {
      std::size_t end = about.size() <= room ? about.size() : about.rfind(' ', room);
      if (end == std::string_view::npos) end = std::min(about.find(' '), about.size());
      const std::string line = fmt::format("  {:<{}}  {}", name, widest, about.substr(0, end));
      out += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
      about.remove_prefix(std::min(end + 1, about.size()));
      name = "";
    } while (!about.empty());
  }
  return out;
}

std::vector<std::string> listed_kinds() {
  std::vector<std::string> kinds;
  for (const Listing& listing : kListings) kinds.emplace_back(listing.kind);
  return kinds;
}

int list_command(const std::string& what) {
  std::string out;
  for (const Listing& listing : kListings) {
    if (!what.empty() && what != listing.kind) continue;
    if (what.empty()) out += fmt::format("{}{}\n", out.empty() ? "" : "\n", listing.kind);
    out += table(listing.list());
  }
  return print(out) ? kSuccess : kFailed;
}

}  // namespace

void add_list(Program& program) {
  const auto what = std::make_shared<std::string>();
  Command list = program.command("list", "List the names that scenarios and studies can use",
                                 "  gauntlet list\n  gauntlet list policies\n  gauntlet list metrics");
  list.value("what", *what, "The kind of names (default: all)").type_name("KIND").one_of(listed_kinds());
  list.runs([what] { return list_command(*what); });
}

}  // namespace gauntlet
