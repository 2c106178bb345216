#include "config/checks/uncertain.hpp"

#include "config/fields/tokens.hpp"
#include "config/fields/types.hpp"
#include "core/currency.hpp"
#include "core/quantity.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace gauntlet {
namespace {

constexpr std::array<Choice<UncertainShape>, 4> kShapes = {{
    {"lognormal", UncertainShape::lognormal},
    {"normal", UncertainShape::normal},
    {"uniform", UncertainShape::uniform},
    {"log-t", UncertainShape::log_t},
}};
constexpr std::string_view kExample = R"({ path = "repair.time.median", low = "4h", high = "16h" })";

constexpr std::string_view kNumber = "a number";
constexpr double kFewestDegrees = 1, kMostDegrees = 1e6;  // more are a lognormal to every digit

/// A number and what it counts, so that seconds are not compared with bytes.
struct Amount {
  double value = 0;
  std::string kind;
};

template <class T>
std::optional<double> plain(const Parsed<T>& parsed) {
  return parsed.value ? std::optional(parsed.value->value) : std::nullopt;
}

std::optional<Amount> amount_of(const Value& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value.data))
    return Amount{static_cast<double>(*whole), std::string(kNumber)};
  if (const auto* number = std::get_if<double>(&value.data)) return Amount{*number, std::string(kNumber)};
  const std::string* text = value.string();
  if (text == nullptr) return std::nullopt;
  if (const auto seconds = parse_seconds(*text).value) return Amount{*seconds, "a duration"};
  if (const auto bytes = plain(parse_bytes(*text))) return Amount{*bytes, "a size"};
  if (const auto rate = plain(parse_bandwidth(*text))) return Amount{*rate, "a bandwidth"};
  if (const auto rate = plain(parse_flop_rate(*text))) return Amount{*rate, "a rate of FLOPs"};
  if (const auto price = parse_price(*text).value)
    return Amount{price->amount.value, "an amount in " + price->currency};
  return std::nullopt;
}

std::optional<Amount> read_amount(const Place& place) {
  const auto amount = amount_of(place.value());
  if (!amount)
    place.mistake("is not a number or a quantity", "write a number, or a text with a unit such as \"4h\"");
  if (!amount || std::isfinite(amount->value)) return amount;
  place.mistake("is not a finite number");
  return std::nullopt;
}

std::string text_of(const Value& value) {
  return value.string() != nullptr ? *value.string() : to_toml(value);
}

bool known_keys(const Place& place) {
  constexpr std::array<std::string_view, 6> kKeys = {"path", "low", "high", "shape", "degrees", "source"};
  bool all = true;
  for (const auto& [key, value] : *place.value().table()) {
    if (std::find(kKeys.begin(), kKeys.end(), key) != kKeys.end()) continue;
    place.mistake_of_key(key, "is unknown here", "write " + std::string(kExample));
    all = false;
  }
  return all;
}

/// Degrees of freedom, which a log-t has and no other shape.
bool read_degrees(const Place& place, UncertainField& field) {
  const auto degrees = place.find("degrees");
  if (field.shape != UncertainShape::log_t) {
    if (degrees) degrees->mistake("applies only to shape = \"log-t\"", "write that shape, or remove it");
    return !degrees;
  }
  if (!degrees) {
    place.mistake("needs degrees, because its shape is log-t",
                  "write degrees = n - 1 for an estimate from n measurements");
    return false;
  }
  const auto count = amount_of(degrees->value());
  if (!count || count->kind != kNumber) {
    wrong_type(*degrees, "a number of degrees of freedom such as 4");
    return false;
  }
  if (!(count->value >= kFewestDegrees && count->value <= kMostDegrees)) {
    degrees->mistake("is not from 1 to 1e6", "write n - 1 for an estimate from n measurements");
    return false;
  }
  field.degrees = count->value;
  return true;
}

std::optional<UncertainField> read_field(const Place& place) {
  if (place.value().table() == nullptr) {
    wrong_type(place, "a table such as " + std::string(kExample));
    return {};
  }
  if (!known_keys(place)) return {};
  const auto path = place.find("path"), low = place.find("low"), high = place.find("high");
  if (!path || !low || !high) {
    place.mistake("needs path, low and high", "write " + std::string(kExample));
    return {};
  }
  UncertainField field;
  if (const auto shape = place.find("shape")) {
    choice<UncertainShape>(field.shape, kShapes, "a shape").read(*shape);
    if (!shape->sound("")) return {};
  }
  if (!read_degrees(place, field)) return {};
  const std::string* named = read_text(*path, "the path of a field such as \"repair.time.median\"");
  const auto from = read_amount(*low), to = read_amount(*high);
  if (named == nullptr || !from || !to) return {};
  if (named->empty()) {
    path->mistake("names no field", "write for example \"repair.time.median\"");
    return {};
  }
  if (from->kind != to->kind) {
    high->mistake("is " + to->kind + ", and low is " + from->kind);
    return {};
  }
  if (!(from->value < to->value)) {
    high->mistake("is not above low = " + text_of(low->value()));
    return {};
  }
  const bool log_t = field.shape == UncertainShape::log_t;
  if ((log_t || field.shape == UncertainShape::lognormal) && !(from->value > 0)) {
    low->mistake(
        std::string("is not above zero, where every ") + (log_t ? "log-t" : "lognormal") + " value is",
        "write shape = \"normal\" or \"uniform\"");
    return {};
  }
  field.path = *named;
  field.low = text_of(low->value());
  field.high = text_of(high->value());
  return field;
}

/// Whether a higher layer gives the value, or all of a table that had it.
bool is_replaced(const Place& root, std::string_view path, std::uint32_t layer) {
  if (path.starts_with("job.start.") && root.given("job.restart_time"))
    return root.value().find("job.restart_time")->at.layer > layer;
  const Value* nearest = nullptr;
  for (std::size_t end = path.size(); nearest == nullptr && end != std::string_view::npos && end > 0;
       end = path.rfind('.', end - 1))
    nearest = root.value().find(path.substr(0, end));
  return nearest != nullptr && nearest->at.written() && nearest->at.layer > layer;
}

}  // namespace

Type uncertain_fields(std::vector<UncertainField>& into) {
  return {
      [] {
        const std::string end = R"({"anyOf": [{"type": "number"}, {"type": "string"}]})";
        return R"({"type": "array", "items": {"type": "object", "required": ["path", "low", "high"], "properties": {)"
               R"("path": {"type": "string"}, "low": )" +
               end + R"(, "high": )" + end +
               R"(, "shape": {"enum": ["lognormal", "normal", "uniform", "log-t"]}, )"
               R"("degrees": {"type": "number", "minimum": 1, "maximum": 1000000}, "source": {"type": "string"}}, )"
               R"("additionalProperties": false}})";
      },
      [&into](const Place& place) {
        if (place.value().array() == nullptr)
          return wrong_type(place, "a list such as [" + std::string(kExample) + "]");
        into.clear();
        for (std::size_t i = 0; i < place.value().array()->size(); ++i)
          if (auto field = read_field(element(place, i))) into.push_back(std::move(*field));
      }};
}

void forget_replaced(const Place& root, std::vector<UncertainField>& fields) {
  if (fields.empty() || !root.sound("study.uncertain")) return;
  Value& list = *root.value().find("study.uncertain");
  auto& written = std::get<Value::Array>(list.data);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (is_replaced(root, fields[i].path, list.at.layer)) continue;
    std::swap(fields[kept], fields[i]);
    std::swap(written[kept++], written[i]);
  }
  fields.resize(kept);
  written.resize(kept);
}

void check_uncertain(const Place& root, const std::vector<UncertainField>& fields) {
  if (!root.sound("study.uncertain")) return;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const UncertainField& field = fields[i];
    const std::string what = "names " + field.path + ", which ";
    const auto mistake = [&](const std::string& why, const std::string& suggestion = {}) {
      root.mistake_at("study.uncertain", what + why, suggestion);
    };
    if (std::any_of(fields.begin(), fields.begin() + static_cast<std::ptrdiff_t>(i),
                    [&](const UncertainField& other) { return other.path == field.path; }))
      return mistake("it names twice");
    const auto held = root.find(field.path);
    if (!held) return mistake("this scenario does not have", "`gauntlet show` lists what it has");
    if (!root.sound(field.path)) continue;
    const std::string* text = held->value().string();
    const auto tokens =
        field.path == "job.tokens" && text != nullptr ? parse_tokens(*text).value : std::nullopt;
    const auto value = tokens ? Amount{*tokens, std::string(kNumber)} : amount_of(held->value());
    if (!value)
      return mistake("holds no number or quantity", held->value().table() != nullptr
                                                        ? "name one of its parameters, such as its median"
                                                        : "name one that does");
    const auto low = amount_of(Value{field.low, {}, {}, false});  // a plain number is none as a text
    if (low ? low->kind != value->kind && low->value != 0 : value->kind != kNumber)
      return mistake("is " + value->kind + ", and low and high are not");
  }
}

}  // namespace gauntlet
