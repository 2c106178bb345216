#include "config/fields/rate_profile.hpp"

#include "config/fields/types.hpp"
#include "models/world/blast_radius.hpp"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gauntlet {
namespace {

constexpr std::array<std::string_view, 4> kParts = {"lemons", "batches", "daily", "curve"};
// A component that fails a millionth as often needs no factor, and thinning would draw a million strikes for one.
constexpr Range<double> kFactor{.low = 1e-3, .high = 1e4, .above_low = false};
constexpr Range<double> kCurveFactor{.low = 0, .high = 1e6, .above_low = false};

std::string factor_schema(const Range<double>& range) {
  return "{\"type\": \"number\", \"minimum\": " + number_toml(range.low) +
         ", \"maximum\": " + number_toml(range.high) + "}";
}

/// The elements of a list of tables that have just the members `names`; reports the others.
std::vector<Place> tables_of(const Place& place, std::span<const std::string_view> names,
                             const std::string& example) {
  std::vector<Place> tables;
  if (place.value().array() == nullptr) {
    wrong_type(place, "a list such as [" + example + "]");
    return tables;
  }
  for (std::size_t i = 0; i < place.value().array()->size(); ++i) {
    const Place each = element(place, i);
    if (each.value().table() == nullptr) {
      wrong_type(each, "a table such as " + example);
      continue;
    }
    bool complete = each.value().table()->size() == names.size();
    for (const std::string_view name : names) complete = complete && each.find(name).has_value();
    if (complete) {
      tables.push_back(each);
    } else {
      std::string all;
      for (const std::string_view name : names) all += (all.empty() ? "" : ", ") + std::string(name);
      each.mistake("needs the members " + all, "write " + example);
    }
  }
  return tables;
}

Type batches(std::vector<Batch>& into) {
  return {
      [] {
        const std::string index = R"({"type": "integer", "minimum": 0})";
        return R"({"type": "array", "items": {"type": "object", "required": ["first", "last", "factor"], "properties": {"first": )" +
               index + R"(, "last": )" + index + R"(, "factor": )" + factor_schema(kFactor) +
               R"(}, "additionalProperties": false}})";
      },
      [&into](const Place& place) {
        constexpr std::array<std::string_view, 3> kMembers = {"first", "last", "factor"};
        constexpr Range<std::int64_t> kIndex{0, std::numeric_limits<std::uint32_t>::max(), false};
        into.clear();
        for (const Place& each : tables_of(place, kMembers, "{ first = 0, last = 63, factor = 2.0 }")) {
          const auto first = read_whole_number(*each.find("first"), kIndex);
          const auto last = read_whole_number(*each.find("last"), kIndex);
          const auto factor = read_number(*each.find("factor"), kFactor);
          if (!first || !last || !factor) continue;
          const Batch batch{static_cast<std::uint32_t>(*first), static_cast<std::uint32_t>(*last), *factor};
          if (batch.last < batch.first) {
            each.find("last")->mistake("is below first = " + std::to_string(batch.first));
            continue;
          }
          for (const Batch& other : into)
            if (batch.first <= other.last && other.first <= batch.last)
              each.mistake("has components of the batch from " + std::to_string(other.first) + " to " +
                               std::to_string(other.last),
                           "a component comes from one batch");
          into.push_back(batch);
        }
      }};
}

Type curve(std::vector<std::pair<Time, double>>& into) {
  return {
      [] {
        return R"({"type": "array", "items": {"type": "object", "required": ["at", "factor"], "properties": {"at": )" +
               duration_schema() + R"(, "factor": )" + factor_schema(kCurveFactor) +
               R"(}, "additionalProperties": false}})";
      },
      [&into](const Place& place) {
        constexpr std::array<std::string_view, 2> kMembers = {"at", "factor"};
        into.clear();
        for (const Place& each : tables_of(place, kMembers, "{ at = \"7d\", factor = 2.0 }")) {
          const auto at = read_duration(*each.find("at"), Sign::not_negative);
          const auto factor = read_number(*each.find("factor"), kCurveFactor);
          if (!at || !factor) continue;
          if (!into.empty() && kStart + *at <= into.back().first) {
            each.find("at")->mistake(
                "is not after the time before it, " + to_text(into.back().first - kStart),
                "put the times in order");
            continue;
          }
          into.emplace_back(kStart + *at, *factor);
        }
      }};
}

void describe_lemons(Fields& fields, Lemons& lemons) {
  fields.field("share", number(lemons.share, {0, 1, false}), Fallback::required("0.15"),
               "share of the components, drawn for each run");
  fields.field("factor", number(lemons.factor, kFactor), Fallback::required("5.0"),
               "multiplier of their rate");
  fields.field(
      "cured", flag(lemons.cured),
      "a repair that holds makes a lemon like the others; one that fails silently leaves just the lemon");
  fields.check([&](const Place& place) {
    if (place.all_sound("factor", "cured") && lemons.cured && lemons.factor <= 1)
      place.mistake_at("cured", "is true, and lemons that fail no more often than others need no cure",
                       "write a factor above 1, or leave cured out");
  });
}

void describe_daily(Fields& fields, DailyCycle& daily) {
  fields.field("amplitude", number(daily.amplitude, {0, 1, false}), Fallback::required("0.5"),
               "the rate swings by this share around its mean");
  fields.field("peak", duration(daily.peak, Sign::not_negative), Fallback::required("\"15h\""),
               "time of the peak after midnight, which is when the run begins");
}

}  // namespace

void describe_profile(Fields& fields, RateProfile& profile) {
  fields.inline_table(
      "lemons", [&](Fields& f) { describe_lemons(f, profile.lemons); }, "components that fail more often");
  fields.field("batches", batches(profile.batches), Fallback::optional(),
               "components that fail more or less often, by their numbers from first to last");
  fields.inline_table(
      "daily", [&](Fields& f) { describe_daily(f, profile.daily); }, "a daily cycle of the rate");
  fields.field("curve", curve(profile.curve), Fallback::optional(),
               "the rate over time: times as often from `at` on, once before the first");
}

void check_profile(const Place& place, const FaultKind& fault, const World& world) {
  const RateProfile& profile = fault.profile;
  if (!place.all_sound("lemons", "batches", "daily", "curve") || profile.flat()) return;
  const auto holds = [&](std::string_view part) {
    if (part == "daily") return profile.daily.amplitude > 0;
    return place.find(part).has_value();
  };
  for (const std::string_view part : kParts) {
    if (!holds(part)) continue;
    if (!fault.trace.empty() && place.given(part))
      return place.mistake_at(part, "is given together with a trace, which already says what strikes when",
                              "leave one of them out");
    if (fault.clock == FaultClock::start && place.sound("clock"))
      return place.mistake_at(part, "is given, and the clock is start", "chance = 1e-5 says how often");
    if (fault.trace.empty() && fault.life.name() != "exponential" && place.all_sound("law", "rate", "mtbf"))
      return place.mistake_at(part,
                              "needs the distribution \"exponential\", and the fault has \"" +
                                  std::string(fault.life.name()) + "\"",
                              "leave law out: only a constant rate can be higher for some or at times");
  }
  if (profile.daily.amplitude > 0 && fault.clock == FaultClock::training && place.sound("clock"))
    return place.mistake_at("daily", "is given, and the clock of training knows no time of the day",
                            "write clock = \"always\"");
  if (!place.mistakes().sound("cluster") || !place.mistakes().sound("spares") || !place.sound("component"))
    return;
  const std::uint32_t count = component_count(world, fault.component);
  for (const Batch& batch : profile.batches)
    if (batch.first >= count)
      return place.mistake_at(
          "batches", "names component " + std::to_string(batch.first),
          count == 0 ? "this cluster has none" : "the last one is " + std::to_string(count - 1));
}

}  // namespace gauntlet
