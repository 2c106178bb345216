#include "commands/explain/explain.hpp"

#include "commands/explain/labels.hpp"
#include "config/key_list.hpp"
#include "config/listing.hpp"
#include "config/toml/nearest.hpp"
#include "core/currency.hpp"
#include "core/signal.hpp"
#include "policies/controller/registry.hpp"
#include "report/metric_unit.hpp"
#include "report/metric_words.hpp"
#include "score/figures.hpp"
#include "study/summary/metrics.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <map>
#include <utility>

namespace gauntlet {
namespace {

std::vector<std::string> split(std::string_view text, std::string_view separator) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + separator.size(), text.size()));
  }
  return parts;
}

/// As `gauntlet run --json` has it, and in reports where that differs.
std::string unit_of(std::string_view metric) {
  const Unit unit = metric_unit(metric, 1, "the scenario's currency");
  if (unit.name == "%") return "a share from 0 to 1; reports print %";
  return unit.name.empty() ? "a number" : unit.name;
}

/// Which values of a metric are bad, in words; of one for each phase, cause or fault, by an example.
std::string bad_values(std::string_view metric) {
  constexpr std::pair<std::string_view, std::string_view> kExamples[] = {
      {"<phase>", kPhaseNames.back()}, {"<cause>", kCauseNames.front()}, {"<fault>", "fault"}};
  std::string name(metric);
  for (const auto& [pattern, example] : kExamples)
    if (const std::size_t at = name.find(pattern); at != std::string::npos)
      name.replace(at, pattern.size(), example);
  ScenarioFacts facts;
  facts.faults = {"fault"};
  const Worse worse = worse_of(facts, name);
  if (worse == Worse::neither) return "";
  return worse == Worse::low ? ". Low values are bad" : ". High values are bad";
}

void add_metrics(std::vector<Word>& words) {
  for (const auto& [name, about] : metric_words())
    words.push_back({.kind = WordKind::metric,
                     .name = std::string(name),
                     .meaning = std::string(about) + bad_values(name),
                     .unit = unit_of(name),
                     .source = "the score of each replica, in result.json"});
}

void add_labels(std::vector<Word>& words) {
  std::map<std::string_view, std::string_view> meanings;
  for (const auto& [name, about] : metric_words()) meanings[name] = about;
  for (const LabelWords& label : label_words()) {
    Word word{.kind = WordKind::label,
              .name = std::string(label.name),
              .meaning = std::string(label.meaning),
              .unit = "",
              .source = ""};
    if (!label.metric.empty()) {
      word.meaning += (word.meaning.empty() ? "" : ": ") + std::string(meanings.at(label.metric));
      word.source = "the metric " + std::string(label.metric);
      if (label.metric != label.name) word.see.emplace_back(label.metric);
    }
    for (std::string& other : split(label.see, "; ")) word.see.push_back(std::move(other));
    words.push_back(std::move(word));
  }
}

void add_lost_time(std::vector<Word>& words, WordKind kind, std::span<const std::string_view> names,
                   std::span<const std::string_view> meanings, const std::string& metric) {
  for (std::size_t i = 0; i < names.size(); ++i)
    words.push_back(
        {.kind = kind,
         .name = std::string(names[i]),
         .meaning = std::string(meanings[i]),
         .unit = "time",
         .source = "the score, which charges each nanosecond of wall time to one phase and one cause",
         .see = {names[i] == kPhaseNames.front() ? "ettr" : metric}});
}

/// What a key takes, of its JSON Schema: the units of a quantity, the names of a choice, the kind of a value.
std::string takes(const nlohmann::json& schema) {
  if (schema.contains("enum")) return fmt::format("one of {}", fmt::join(schema["enum"], ", "));
  if (schema.contains("anyOf")) {
    std::vector<std::string> all;
    for (const auto& each : schema["anyOf"])
      if (const std::string one = takes(each); std::ranges::find(all, one) == all.end()) all.push_back(one);
    return fmt::format("{}", fmt::join(all, ", or "));
  }
  const std::string type = schema.value("type", "");
  if (schema.contains("pattern")) {
    const std::string pattern = schema["pattern"];
    if (pattern.find("|USD|") != std::string::npos)
      return "an amount with the ISO 4217 code of its currency, such as 2.5USD or 2.5EUR";
    const std::size_t begin = pattern.find(" ?("), end = pattern.find(')', begin);
    if (begin == std::string::npos) return "a text";
    return fmt::format(
        "a number with a unit: {}",
        fmt::join(split(std::string_view(pattern).substr(begin + 3, end - begin - 3), "|"), ", "));
  }
  if (type == "array")
    return schema.contains("items") ? "a list; each " + takes(schema["items"]) : std::string("a list");
  const auto bounds = [&] {
    std::string text;
    if (schema.contains("minimum")) text += " from " + schema["minimum"].dump();
    if (schema.contains("exclusiveMinimum")) text += " above " + schema["exclusiveMinimum"].dump();
    if (schema.contains("maximum")) text += " up to " + schema["maximum"].dump();
    return text;
  };
  if (type == "integer") return "a whole number" + bounds();
  if (type == "number") return "a number" + bounds();
  if (type == "boolean") return "true or false";
  return type == "object" ? "a table" : "a text";
}

std::string source_of(const ScenarioKey& key) {
  if (key.schema.empty()) return "a table of the scenario";
  if (key.fallback == "required") return "the scenario, which must have it";
  if (key.fallback == "computed")
    return "the scenario; by default computed from other keys (`gauntlet show`)";
  return key.fallback.empty() ? "the scenario; it has no default" : "the scenario; default " + key.fallback;
}

/// The table that the key stands in, which gives its words their context.
std::vector<std::string> tables_of(const std::string& path) {
  std::string table = path.substr(0, std::min(path.rfind('.'), path.size()));
  if (table.ends_with(".NAME")) table.resize(table.size() - 5);
  return table == path ? std::vector<std::string>{} : std::vector{std::move(table)};
}

void add_keys(std::vector<Word>& words) {
  for (const ScenarioKey& key : scenario_keys())
    words.push_back({.kind = WordKind::key,
                     .name = key.path,
                     .meaning = key.about,
                     .unit = key.schema.empty() ? "" : takes(nlohmann::json::parse(key.schema)),
                     .source = source_of(key),
                     .see = tables_of(key.path)});
}

void add_policies(std::vector<Word>& words) {
  for (const Listed& policy : list_policies()) {
    const std::size_t colon = policy.about.find(": ");
    const std::string key = policy.about.substr(0, colon);
    Word word{.kind = WordKind::policy,
              .name = policy.name,
              .meaning = policy.about.substr(colon + 2),
              .unit = "",
              .source = "the key " + key,
              .see = {key}};
    if (key == "policies.detect")
      for (const Signal signal : signals_of_detector(policy.name))
        if (std::string name(kSignalNames[static_cast<std::size_t>(signal)]); name != word.see.back())
          word.see.push_back(std::move(name));
    words.push_back(std::move(word));
  }
}

void add_listed(std::vector<Word>& words, WordKind kind, const std::vector<Listed>& all,
                const std::string& see) {
  for (const Listed& each : all)
    words.push_back(
        {.kind = kind, .name = each.name, .meaning = each.about, .unit = "", .source = "", .see = {see}});
}

/// Each metric and signal names the words that name it.
void see_those_that_see(std::vector<Word>& words) {
  std::map<std::string, std::vector<std::string>> seen_by;
  for (const Word& word : words)
    if (word.kind == WordKind::label || word.kind == WordKind::policy)
      for (const std::string& other : word.see) seen_by[other].push_back(word.name);
  for (Word& word : words)
    if (word.kind == WordKind::metric || word.kind == WordKind::signal)
      for (const std::string& other : seen_by[word.name])
        if (other != word.name && std::ranges::find(word.see, other) == word.see.end())
          word.see.push_back(other);
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

/// Whether `piece` stands for a name or a number of the user's.
bool stands_for_others(std::string_view piece) {
  return piece == "NAME" || piece == "TIME" || piece == "N" || piece.starts_with('<');
}

/// "faults.gpu_lost.mtbf" for "faults.NAME.mtbf", "done by 8 days" for "done by TIME". What stands for others stands for one
/// name between dots, or for several words.
bool fits(std::string_view name, std::string_view given, bool dotted) {
  const std::size_t end = std::min(name.find_first_of(". "), name.size());
  const std::string_view piece = name.substr(0, end), rest = name.substr(end);
  const bool any = stands_for_others(piece);
  if (!any && !given.starts_with(piece)) return false;
  for (std::size_t length = any ? 1 : piece.size(); length <= given.size(); ++length) {
    const std::string_view left = given.substr(length);
    const bool whole_name = !dotted || given.substr(0, length).find('.') == std::string_view::npos;
    if (any && !whole_name) return false;
    if (rest.empty() ? left.empty()
                     : left.starts_with(rest.front()) && fits(rest.substr(1), left.substr(1), dotted))
      return true;
    if (!any) return false;
  }
  return false;
}

std::vector<Word> those(const std::vector<Word>& words, const auto& is) {
  std::vector<Word> out;
  std::ranges::copy_if(words, std::back_inserter(out), is);
  return out;
}

std::vector<Word> find_whole(const std::vector<Word>& words, std::string_view given) {
  std::vector<Word> found = those(words, [&](const Word& word) { return word.name == given; });
  if (found.empty()) found = those(words, [&](const Word& word) { return lower(word.name) == lower(given); });
  if (found.empty())
    found = those(words, [&](const Word& word) {
      return fits(word.name, given, word.name.find('.') != std::string::npos);
    });
  return found;
}

/// Without the unit or the remark at its end; empty where there is none.
std::string_view shortened(std::string_view label) {
  std::size_t end = 0;
  for (const std::string_view separator : {", ", " (", ": "})
    if (const std::size_t at = label.rfind(separator); at != std::string_view::npos) end = std::max(end, at);
  return label.substr(0, end);
}

}  // namespace

std::vector<Word> all_words() {
  std::vector<Word> words;
  add_labels(words);
  add_metrics(words);
  add_lost_time(words, WordKind::phase, kPhaseNames, phase_words(), "lost_s.<phase>");
  add_lost_time(words, WordKind::cause, kCauseNames, cause_words(), "lost_s.by_cause.<cause>");
  add_keys(words);
  add_policies(words);
  add_listed(words, WordKind::fault_model, list_fault_models(), "faults.NAME.model");
  add_listed(words, WordKind::signal, list_signals(), "telemetry.signals");
  add_listed(words, WordKind::distribution, list_distributions(), "faults.NAME.law");
  see_those_that_see(words);
  return words;
}

std::vector<Word> find_words(const std::vector<Word>& words, std::string_view given) {
  for (std::string_view label = given; !label.empty(); label = shortened(label))
    if (std::vector<Word> found = find_whole(words, label); !found.empty()) return found;
  if (is_currency(given) && given != kDefaultCurrency) return find_words(words, kDefaultCurrency);
  const std::string end = "." + std::string(given);
  return those(words,
               [&](const Word& word) { return word.kind == WordKind::key && word.name.ends_with(end); });
}

std::string suggestion_for(const std::vector<Word>& words, std::string_view given) {
  std::vector<std::string> names;
  for (const Word& word : words) names.push_back(word.name);
  const auto near = nearest_name(given, names);
  return (near ? fmt::format("did you mean \"{}\"? ", *near) : "") +
         "`gauntlet explain` lists what it can explain";
}

}  // namespace gauntlet
