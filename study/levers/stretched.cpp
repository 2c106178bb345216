#include "study/levers/stretched.hpp"

#include "core/quantity.hpp"
#include "core/random/law.hpp"
#include "study/field_range.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

namespace gauntlet {
namespace {

/// Those that are durations, or lists of them; a distribution has one, or a low and a high end.
constexpr std::array<std::string_view, 9> kStretching = {"mean", "median", "scale", "minimum", "value",
                                                         "low",  "high",   "means", "values"};

constexpr double kLongest = 9e9;  // seconds: a Duration holds 292 years

/// Nothing where it would be zero, which often stands for "from something else".
std::optional<std::string> times(const std::string& text, double factor) {
  const auto seconds = number_of(text, FieldKind::duration);
  if (!seconds || *seconds * factor > kLongest) return std::nullopt;
  const Duration after = from_seconds(*seconds * factor);
  return after > Duration::zero() ? std::optional(to_text(after)) : std::nullopt;
}

/// A list of durations as TOML; nothing where one is none, or zero.
std::optional<std::string> each_times(const Value::Array& values, double factor) {
  std::string list;
  for (const Value& value : values) {
    const auto one = value.string() != nullptr ? times(*value.string(), factor) : std::nullopt;
    if (!one) return std::nullopt;
    list += (list.empty() ? "\"" : ", \"") + *one + "\"";
  }
  return "[" + list + "]";
}

std::string multiplier_text(double factor) {
  if (factor == 0.5) return "half as long";
  if (factor == 2) return "twice as long";
  return fmt::format("{:g} times as long", factor);
}

}  // namespace

bool is_distribution(const Value& value) {
  const Value::Table* table = value.table();
  const Value* name = table != nullptr ? value.find("name") : nullptr;
  if (name == nullptr || name->string() == nullptr) return false;
  return std::ranges::find(law_names(), *name->string()) != law_names().end() &&
         std::ranges::any_of(kStretching, [&](std::string_view each) { return table->contains(each); });
}

Stretched stretched(const Value& resolved, const std::string& path, double factor) {
  Stretched out;
  const Value* value = resolved.find(path);
  if (value == nullptr) return out;
  if (const std::string* text = value->string()) {
    if (const auto after = times(*text, factor)) {
      out.settings.push_back({path, *after});
      out.change = *text + " to " + *after;
    }
    return out;
  }
  if (!is_distribution(*value)) return out;
  for (const std::string_view name : kStretching) {
    const Value* parameter = value->find(name);
    if (parameter == nullptr) continue;
    const std::string* text = parameter->string();
    const auto after = text != nullptr                 ? times(*text, factor)
                       : parameter->array() != nullptr ? each_times(*parameter->array(), factor)
                                                       : std::nullopt;
    if (!after) continue;
    out.settings.push_back({path + "." + std::string(name), *after});
    out.change = text != nullptr ? fmt::format("{} {} to {}", name, *text, *after) : multiplier_text(factor);
  }
  if (out.settings.size() > 1) out.change = multiplier_text(factor);
  return out;
}

Stretched faster(const Value& resolved, const std::string& path, double factor) {
  const Value* value = resolved.find(path);
  if (value == nullptr || value->string() == nullptr) return {};
  const auto before = number_of(*value->string(), FieldKind::bandwidth);
  if (!before || !(*before > 0)) return {};
  const std::string after = to_text(Bandwidth{*before * factor});
  return {.settings = {{path, after}}, .change = *value->string() + " to " + after};
}

}  // namespace gauntlet
