#include "cli/host_file.hpp"

#include "config/toml/files.hpp"
#include "config/toml/nearest.hpp"
#include "config/toml/place.hpp"
#include "config/toml/toml.hpp"
#include "core/quantity.hpp"
#include "real/certs/peer_identity.hpp"
#include "real/stream/listening.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace gauntlet {
namespace {

constexpr std::string_view kEvict = "evict", kAcquire = "acquire", kReadmit = "readmit", kTimeout = "timeout";

/// False where there is an unknown key.
bool check_keys(const Place& table, std::span<const std::string_view> known) {
  const std::vector<std::string> names = to_strings(known);
  bool good = true;
  for (const auto& [key, value] : *table.value().table()) {
    if (std::find(names.begin(), names.end(), key) != names.end()) continue;
    table.mistake_of_key(key, "is unknown", suggest_names(key, names));
    good = false;
  }
  return good;
}

/// One of `[hosts]`: its name is the key.
void read_host(const std::string& name, const Place& entry,
               std::map<std::string, std::string>& names_by_address,
               std::vector<std::pair<std::uint32_t, GivenHost>>& out) {
  if (entry.value().table() != nullptr)
    return entry.mistake("is a table", "put a name with dots in quotes: \"node-1.lab\" = \"10.0.0.1:7400\"");
  const std::string* address = entry.value().string();
  const auto parsed = address == nullptr ? std::nullopt : host_port_of(*address);
  if (!parsed || parsed->port == 0)
    return entry.mistake("is not an address", "write where its agent listens, such as \"10.0.0.1:7400\"");
  if (const std::string why = problem_of_host_name(name); !why.empty())
    return entry.mistake("has a name that no certificate has: " + why,
                         "take the host's name of `gauntlet certs issue`");
  const auto [other, unique] = names_by_address.emplace(*address, name);
  if (!unique)
    return entry.mistake("is the address of " + other->second + " too", "each host has an agent of its own");
  out.emplace_back(entry.value().at.line, GivenHost{name, *address});
}

std::vector<GivenHost> read_hosts(const Place& root) {
  const std::optional<Place> table = root.find("hosts");
  if (!table || table->value().table() == nullptr || table->value().table()->empty()) {
    root.mistake_at("hosts", "has no host",
                    "write [hosts] with a line for each, such as node-1 = \"10.0.0.1:7400\"");
    return {};
  }
  std::map<std::string, std::string> names_by_address;
  std::vector<std::pair<std::uint32_t, GivenHost>> found;
  for (auto& [name, value] : *table->value().table())
    read_host(name, Place(value, "hosts." + key_to_toml(name), table->mistakes()), names_by_address, found);
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<GivenHost> hosts;
  for (auto& [line, host] : found) hosts.push_back(std::move(host));
  return hosts;
}

std::vector<std::string> read_command(const Place& commands, std::string_view key) {
  const std::optional<Place> place = commands.find(key);
  if (!place) return {};
  const Value::Array* words = place->value().array();
  std::vector<std::string> arguments;
  for (std::size_t i = 0; words != nullptr && i < words->size(); ++i)
    if (const std::string* word = (*words)[i].string()) arguments.push_back(*word);
  if (words == nullptr || words->empty() || arguments.size() != words->size()) {
    place->mistake("is not a command",
                   "write its program and arguments as strings: [\"kubectl\", \"cordon\", \"{host}\"]");
    return {};
  }
  for (const std::string& word : arguments) {
    const bool whole = word == kHostArgument || word == kReasonArgument;
    if (!whole && word.find('{') != word.npos && word.find('}') != word.npos)
      place->mistake("has \"" + word + "\", which is passed on as it is",
                     "{host} and {reason} are arguments of their own; put more into a script");
  }
  if (arguments.front().starts_with('{')) place->mistake("has no program", "begin with the name of one");
  return arguments;
}

GivenCommands read_commands(const Place& root) {
  GivenCommands commands;
  const std::optional<Place> table = root.find("commands");
  if (!table) return commands;
  if (table->value().table() == nullptr) {
    table->mistake("is not a table", "write [commands] with evict, acquire and readmit");
    return commands;
  }
  constexpr std::array kKeys = {kEvict, kAcquire, kReadmit, kTimeout};
  check_keys(*table, kKeys);
  commands.evict = read_command(*table, kEvict);
  commands.acquire = read_command(*table, kAcquire);
  commands.readmit = read_command(*table, kReadmit);
  if (const std::optional<Place> timeout = table->find(kTimeout)) {
    const std::string* text = timeout->value().string();
    const auto parsed = text == nullptr ? Parsed<Duration>{} : parse_duration(*text);
    if (!parsed.value || *parsed.value <= Duration::zero())
      timeout->mistake("is not a time", "write how long a command may take, such as \"1min\"");
    else
      commands.timeout = *parsed.value;
  }
  return commands;
}

}  // namespace

std::vector<Problem> read_host_file(const std::string& path, std::uint32_t hosts, HostFile& out) {
  FileText text = read_file(path);
  if (!text.text) {
    text.problem.file = path;
    return {text.problem};
  }
  Mistakes mistakes;
  std::optional<Value> value = parse_toml(*text.text, path, 0, mistakes);
  if (value) {
    const Place root(*value, "", mistakes);
    constexpr std::array<std::string_view, 2> kTables = {"hosts", "commands"};
    check_keys(root, kTables);
    out = {.hosts = read_hosts(root), .commands = read_commands(root)};
  }
  if (!mistakes.none()) return mistakes.in_order(path);
  if (out.hosts.size() >= hosts) return {};
  return {problem_of(path,
                     fmt::format("has {} host{}, and the scenario needs {}, spare hosts included",
                                 out.hosts.size(), out.hosts.size() == 1 ? "" : "s", hosts),
                     "name a host with an agent for each, or lower spares.count")};
}

}  // namespace gauntlet
