// gauntlet list: what scenarios and studies can name.
#include "cli/commands.hpp"
#include "config/describe.hpp"
#include "config/fault_models.hpp"
#include "config/fields/reader.hpp"
#include "config/listing.hpp"
#include "config/toml/files.hpp"
#include "config/toml/toml.hpp"
#include "real/injectors/injector.hpp"
#include "report/metric_words.hpp"
#include "shell/exit_code.hpp"
#include "shell/terminal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

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

/// The kinds of faults that the catalogue's models describe, without rates. `world` takes the log lines that they name.
std::vector<FaultKind> catalogue_fault_kinds(World& world) {
  world.patterns = patterns_of_victims();
  std::vector<FaultKind> kinds;
  for (const std::string& name : catalogue_names(std::string(kFaultModels), {})) {
    const auto path = find_in_catalogue(std::string(kFaultModels), name, {});
    const FileText file = path ? read_file(*path) : FileText{};
    Mistakes mistakes;
    auto values = file.text ? parse_toml(*file.text, path->string(), 0, mistakes) : std::nullopt;
    if (!values) continue;
    FaultKind kind{.name = name, .model = name};
    Reader reader(Place(*values, "", mistakes));
    describe_fault_model(reader, kind, world);
    reader.finish();
    if (mistakes.none()) kinds.push_back(std::move(kind));
  }
  return kinds;
}

std::string about_injector(const FaultKind& kind, const World& world) {
  if (is_stop_request(kind.effect)) return fmt::format("request, every launcher: {}", injector_of(kind).does);
  const Injector injector = injector_of(kind);
  if (!injector.kind) return fmt::format("none: {}", injector.does);
  std::string text = fmt::format("{}, {}: {}", injector.differs.empty() ? "injector" : "mock",
                                 where_injected(*injector.kind), injector.does);
  if (kind.symptoms.log && injector.kind != InjectionKind::line)
    text += ", and a log line " + world.patterns[kind.symptoms.log->value];
  return injector.differs.empty() ? text : fmt::format("{}; {}", text, injector.differs);
}

/// How a drill brings about each fault model of the catalogue, or why it does not.
std::vector<Listed> list_injectors() {
  World world;
  std::vector<Listed> out;
  for (const FaultKind& kind : catalogue_fault_kinds(world))
    out.push_back({kind.name, about_injector(kind, world)});
  return out;
}

constexpr std::array<Listing, 13> kListings = {{{"scenarios", list_scenarios},
                                                {"fault-models", list_fault_models},
                                                {"faults", list_faults},
                                                {"injectors", list_injectors},
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

std::string in_small_letters(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

struct ListRequest {
  std::string kind;    // empty: all of them
  std::string filter;  // empty: every name
};

/// Whether a word of `text` begins with `wanted`, so that "nic" does not find "panic". Both are in small letters.
bool has_word(const std::string& text, const std::string& wanted) {
  for (std::size_t at = text.find(wanted); at != std::string::npos; at = text.find(wanted, at + 1))
    if (at == 0 || std::isalnum(static_cast<unsigned char>(text[at - 1])) == 0) return true;
  return false;
}

/// The entries that have a word in their name or meaning which begins with the filter, whatever its capitals are.
std::vector<Listed> filtered(std::vector<Listed> entries, const std::string& filter) {
  const std::string wanted = in_small_letters(filter);
  const auto lacks = [&](std::string_view text) { return !has_word(in_small_letters(text), wanted); };
  std::erase_if(entries, [&](const Listed& entry) { return lacks(entry.name) && lacks(entry.about); });
  return entries;
}

int list_command(const ListRequest& request) {
  std::string out;
  for (const Listing& listing : kListings) {
    if (!request.kind.empty() && request.kind != listing.kind) continue;
    const std::vector<Listed> entries = filtered(listing.list(), request.filter);
    if (entries.empty()) continue;
    if (request.kind.empty()) out += fmt::format("{}{}\n", out.empty() ? "" : "\n", listing.kind);
    out += table(entries);
  }
  if (!out.empty()) return print(out) ? kSuccess : kFailed;
  complain(
      fmt::format("none of the {} has a word that begins with \"{}\" in its name or meaning; `gauntlet list "
                  "{}` lists them all",
                  request.kind, request.filter, request.kind));
  return kWrongInput;
}

void add_list_options(Command& list) {
  const auto request = std::make_shared<ListRequest>();
  list.value("what", request->kind, "The kind of names (default: all)")
      .type_name("KIND")
      .one_of(listed_kinds());
  list.value("filter", request->filter,
             "List only entries with a word that begins with this text in their name or meaning")
      .type_name("FILTER");
  list.runs([request] { return list_command(*request); });
}

}  // namespace

void add_list(Program& program) {
  program.command(
      "list", "List the names that scenarios and studies can use",
      "  gauntlet list\n  gauntlet list policies\n  gauntlet list metrics\n  gauntlet list faults nic",
      add_list_options);
}

}  // namespace gauntlet
