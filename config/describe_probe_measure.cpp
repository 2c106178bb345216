// How a probe is carried out on a real host, and what its metric is compared with.
#include "config/describe.hpp"
#include "config/fields/argument_vector.hpp"
#include "config/fields/pattern.hpp"
#include "config/fields/types.hpp"
#include "config/toml/value.hpp"

#include <array>

namespace gauntlet {
namespace {

constexpr std::array<Choice<Breach>, 2> kBreaches = {
    {{"fail", Breach::fail}, {"degraded", Breach::degraded}}};
constexpr std::array<Choice<Better>, 2> kBetter = {{{"higher", Better::higher}, {"lower", Better::lower}}};

constexpr std::string_view kNumbersForm = "a table of numbers such as { H100 = 48, A100 = 21 }";

void read_numbers(const Place& place, std::map<std::string, double>& into) {
  Value::Table* const table = place.value().table();
  if (table == nullptr) return wrong_type(place, kNumbersForm);
  into.clear();
  for (auto& [word, value] : *table)
    if (const auto read =
            read_number(Place(value, place.path() + "." + key_to_toml(word), place.mistakes()), {}))
      into[word] = *read;
  if (table->empty() || into.contains(""))
    place.mistake("names no kind", "write " + std::string(kNumbersForm));
}

Type numbers_by_word(std::map<std::string, double>& into) {
  return {
      [] { return R"({"type": "object", "additionalProperties": {"type": "number"}, "minProperties": 1})"; },
      [&into](const Place& place) { read_numbers(place, into); }};
}

void describe_threshold(Fields& fields, ProbeThreshold& threshold) {
  fields.field("at_least", number(threshold.at_least, {}), Fallback::optional(),
               "the lowest good metric, in the unit of the probe");
  fields.field("at_least_by_kind", numbers_by_word(threshold.at_least_by_kind), Fallback::optional(),
               "the same for parts whose kind, such as the model of a GPU, has that word in its name; in "
               "place of at_least");
  fields.field("at_most", number(threshold.at_most, {}), Fallback::optional(),
               "the highest good metric, in the unit of the probe");
  fields.field("breach", choice<Breach>(threshold.breach, kBreaches, "a verdict"),
               "verdict about a host beyond at_least or at_most");
  fields.field(
      "of_peers", number(threshold.of_peers, {0, 1, true}), Fallback::optional(),
      "share of the median of its peers (parts of the host, and other hosts) from which a metric is good");
  fields.field("source", text(threshold.source), Fallback::optional(), "where these numbers come from");
  fields.check([&threshold](const Place& place) {
    const auto is_above = [&](std::string_view key, double least) {
      if (place.all_sound(key, "at_most") && least > threshold.at_most)
        place.mistake_at(key, "is above at_most, so that no metric is good", "exchange the two");
    };
    is_above("at_least", threshold.at_least);
    for (const auto& [word, least] : threshold.at_least_by_kind) is_above("at_least_by_kind", least);
  });
}

void describe_command(Fields& fields, ProbeCommand& command) {
  fields.field("arguments", argument_vector(command.arguments),
               Fallback::required("[\"dcgmi\", \"diag\", \"-r\", \"2\"]"),
               "the program and its arguments; no shell reads them");
  fields.field("metric", metric_pattern(command.metric), Fallback::optional(),
               "a regular expression (RE2) whose first group is the metric; each match is a repetition");
  fields.field("unit", text(command.unit), Fallback::value("\"\""), "unit of the metric");
  fields.field("better", choice<Better>(command.better, kBetter, "a direction"), "which metrics are better");
  describe_source(fields);
}

}  // namespace

void describe(Fields& fields, ProbeMeasure& measure) {
  fields.field("deadline", duration(measure.deadline, Sign::positive), Fallback::optional(),
               "on a real host: a probe that takes longer is ended, and the host fails it (3min where it is "
               "not given)");
  fields.inline_table(
      "threshold", [&](Fields& f) { describe_threshold(f, measure.threshold); },
      "on a real host: what the metric is compared with");
  fields.inline_table(
      "command", [&](Fields& f) { describe_command(f, measure.command); },
      "on a real host: the program that is the probe, in place of one of Gauntlet's own");
}

}  // namespace gauntlet
