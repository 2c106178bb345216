#include "config/fields/laws.hpp"

#include "config/fields/types.hpp"
#include "core/contract.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

namespace gauntlet {

using Arguments = std::vector<std::vector<double>>;

struct LawParameter {
  enum class Kind : std::uint8_t { time, number, times, numbers };
  std::string_view name;
  Kind kind = Kind::number;
};

/// One way to write a law.
struct LawForm {
  std::string_view law;
  std::vector<LawParameter> parameters;
  Law (*make)(const Arguments&);
  std::string (*fault)(const Arguments&) =
      nullptr;  // what is wrong with the arguments; empty where nothing is
};

namespace {

constexpr std::string_view kMean = "mean";
constexpr std::string_view kName = "name";

std::string alpha_has_mean(const Arguments& a) {
  return a[1][0] > 1 ? "" : "has an infinite mean: its alpha must be above 1";
}
/// Beyond it a scale or a draw leaves the range of numbers; published shapes lie between 0.4 and 5.
std::string shape_in_range(const Arguments& a) {
  return a[1][0] >= 0.01 && a[1][0] <= 1e6 ? "" : "has a shape that is not between 0.01 and 1e6";
}
std::string low_below_high(const Arguments& a) {
  return a[0][0] < a[1][0] ? "" : "has its low not below its high";
}
std::string pairs(const Arguments& a) {
  return a[0].size() == a[1].size() ? "" : "needs as many weights as means";
}

/// Every law, in every form that a scenario may choose.
std::span<const LawForm> forms() {
  using enum LawParameter::Kind;
  static const std::vector<LawForm> kForms = {
      {"exponential", {{kMean, time}}, [](const Arguments& a) { return Law::exponential(a[0][0]); }},
      {"weibull",
       {{"scale", time}, {"shape", number}},
       [](const Arguments& a) { return Law::weibull(a[0][0], a[1][0]); },
       shape_in_range},
      {"weibull",
       {{kMean, time}, {"shape", number}},
       [](const Arguments& a) { return Law::weibull_with_mean(a[0][0], a[1][0]); },
       shape_in_range},
      {"lognormal",
       {{"median", time}, {"sigma", number}},
       [](const Arguments& a) { return Law::lognormal(a[0][0], a[1][0]); }},
      {"lognormal",
       {{kMean, time}, {"sigma", number}},
       [](const Arguments& a) { return Law::lognormal_with_mean(a[0][0], a[1][0]); }},
      {"gamma",
       {{kMean, time}, {"shape", number}},
       [](const Arguments& a) { return Law::gamma(a[0][0], a[1][0]); },
       shape_in_range},
      {"pareto",
       {{"minimum", time}, {"alpha", number}},
       [](const Arguments& a) { return Law::pareto(a[0][0], a[1][0]); }},
      {"pareto",
       {{kMean, time}, {"alpha", number}},
       [](const Arguments& a) { return Law::pareto_with_mean(a[0][0], a[1][0]); },
       alpha_has_mean},
      {"hyperexponential",
       {{"weights", numbers}, {"means", times}},
       [](const Arguments& a) { return Law::hyperexponential(a[0], a[1]); },
       pairs},
      {"uniform",
       {{"low", time}, {"high", time}},
       [](const Arguments& a) { return Law::uniform(a[0][0], a[1][0]); },
       low_below_high},
      {"constant", {{"value", time}}, [](const Arguments& a) { return Law::constant(a[0][0]); }},
      {"constant", {{kMean, time}}, [](const Arguments& a) { return Law::constant(a[0][0]); }},
      {"empirical", {{"values", times}}, [](const Arguments& a) { return Law::empirical(a[0]); }},
  };
  return kForms;
}

std::vector<std::string> known_laws() { return to_strings(law_names()); }

bool has_parameter(const LawForm& form, std::string_view name) {
  return std::any_of(form.parameters.begin(), form.parameters.end(),
                     [&](const LawParameter& parameter) { return parameter.name == name; });
}

std::string parameters_text(const LawForm& form) {
  std::string out;
  for (const LawParameter& parameter : form.parameters)
    out += (out.empty() ? "" : ", ") + std::string(parameter.name);
  return out;
}

/// "scale, shape; or mean, shape"
std::string forms_text(std::string_view law) {
  std::string out;
  for (const LawForm& form : forms())
    if (form.law == law) out += (out.empty() ? "" : "; or ") + parameters_text(form);
  return out;
}

/// The law's name at `place`, which is a name or a table with one.
std::optional<std::string> read_law_name(const Place& place, const std::vector<std::string>& known) {
  const Place named = place.value().table() == nullptr ? place : place.find(kName).value_or(place);
  if (named.value().table() != nullptr) {
    place.mistake("has no name", "write { name = \"" + known.front() + "\", ... }");
    return {};
  }
  const auto index = read_name(named, known, "a distribution");
  if (!index) return {};
  return known[*index];
}

/// Where a law stands on its own, its mean has to be written; where a rate says the mean, it must not be.
enum class Mean { written, from_rate };

bool is_parameter(std::string_view law, std::string_view name) {
  const auto all = forms();
  return std::any_of(all.begin(), all.end(),
                     [&](const LawForm& form) { return form.law == law && has_parameter(form, name); });
}

/// The parameters that `form` needs written.
std::vector<std::string> needed(const LawForm& form, Mean mean) {
  std::vector<std::string> names;
  for (const LawParameter& parameter : form.parameters)
    if (mean == Mean::written || parameter.name != kMean) names.emplace_back(parameter.name);
  return names;
}

/// The form whose parameters are those written; null after reporting what does not fit.
const LawForm* matching_form(const Place& place, std::string_view law, Mean mean) {
  std::vector<std::string> written;
  if (const Value::Table* table = place.value().table())
    for (const auto& [key, value] : *table)
      if (key != kName) written.push_back(key);

  std::vector<std::string> allowed;
  for (const LawForm& form : forms()) {
    // With the mean from a rate, the forms that say it in other words (scale, median) are not a choice.
    const bool chosen = mean == Mean::written || has_parameter(form, kMean) || !is_parameter(law, kMean);
    if (form.law != law || !chosen) continue;
    std::vector<std::string> names = needed(form, mean);
    allowed.insert(allowed.end(), names.begin(), names.end());
    std::sort(names.begin(), names.end());
    if (names == written) return &form;
  }
  bool all_allowed = true;
  for (const std::string& key : written) {
    if (std::find(allowed.begin(), allowed.end(), key) != allowed.end()) continue;
    all_allowed = false;
    if (is_parameter(law, key)) {
      place.mistake_of_key(key, "says the mean that the rate says too", "leave one of them out");
    } else {
      place.mistake_of_key(key, "is not a parameter of the distribution \"" + std::string(law) + "\"",
                           "it takes " + forms_text(law));
    }
  }
  if (all_allowed)
    place.mistake("does not have the parameters of the distribution \"" + std::string(law) + "\"",
                  "it takes " + forms_text(law));
  return nullptr;
}

constexpr Range<double> kAboveZero{.low = 0, .high = std::numeric_limits<double>::max(), .above_low = true};

std::optional<std::vector<double>> read_argument(const Place& place, LawParameter::Kind kind) {
  using enum LawParameter::Kind;
  const auto one = [&](const Place& at) {
    return kind == time || kind == times ? read_seconds(at) : read_number(at, kAboveZero);
  };
  if (kind == time || kind == number) {
    const auto value = one(place);
    if (!value) return {};
    return std::vector<double>{*value};
  }
  const Value::Array* values = place.value().array();
  if (values == nullptr || values->empty()) {
    wrong_type(place,
               kind == times ? "a list of durations, at least one" : "a list of numbers, at least one");
    return {};
  }
  std::vector<double> read;
  const std::size_t count = values->size();
  for (std::size_t i = 0; i < count; ++i)
    if (const auto value = one(element(place, i))) read.push_back(*value);
  if (read.size() != count) return {};
  return read;
}

std::optional<LawShape> read_shape(const Place& place, Mean mean) {
  const std::vector<std::string> known = known_laws();
  const auto name = read_law_name(place, known);
  if (!name) return {};
  const LawForm* form = matching_form(place, *name, mean);
  if (form == nullptr) return {};

  LawShape shape{form, {}};
  bool good = true;
  for (const LawParameter& parameter : form->parameters) {
    const auto at = place.value().table() == nullptr ? std::nullopt : place.find(parameter.name);
    if (!at) {  // the mean, which the rate says; it holds its place until make_law()
      shape.arguments.push_back({1.0});
      continue;
    }
    auto argument = read_argument(*at, parameter.kind);
    good = good && argument.has_value();
    shape.arguments.push_back(argument.value_or(std::vector<double>{}));
  }
  if (!good) return {};
  if (form->fault != nullptr) {
    const std::string fault = form->fault(shape.arguments);
    if (!fault.empty()) {
      place.mistake(fault);
      return {};
    }
  }
  return shape;
}

}  // namespace

void lay_law_over(Value& below, Value& above) {
  Value::Table* const old = below.table();
  const Value::Table* const given = above.table();
  if (old == nullptr || given == nullptr) return;
  if (given->contains(kName)) {
    above.whole = true;
    return;
  }
  const Value* const name = below.find(kName);
  if (name == nullptr || name->string() == nullptr) return;
  // The first form that holds all that is given and has the rest of its parameters from below.
  for (const LawForm& form : forms()) {
    if (form.law != *name->string()) continue;
    const auto in_form = [&](const auto& member) { return has_parameter(form, member.first); };
    const auto written = [&](const LawParameter& parameter) {
      return given->contains(parameter.name) || old->contains(parameter.name);
    };
    if (!std::all_of(given->begin(), given->end(), in_form) ||
        !std::all_of(form.parameters.begin(), form.parameters.end(), written))
      continue;
    std::erase_if(*old, [&](const auto& member) { return member.first != kName && !in_form(member); });
    return;
  }
}

std::optional<LawShape> read_law_shape(const Place& place, bool has_mean) {
  return read_shape(place, has_mean ? Mean::from_rate : Mean::written);
}

Law make_law(const LawShape& shape, std::optional<double> mean) {
  Arguments arguments = shape.arguments;
  bool placed = false;
  for (std::size_t i = 0; mean && i < arguments.size(); ++i) {
    if (shape.form->parameters[i].name != kMean) continue;
    arguments[i] = {*mean};
    placed = true;
  }
  const Law law = shape.form->make(arguments);
  return mean && !placed ? law.scaled(*mean / law.mean()) : law;
}

namespace {

/// A law that a struct initialises is a constant.
Value initial_law(const Law& law) {
  expect(law.name() == "constant", "the default of a law is a constant");
  return Value{to_text(from_seconds(law.mean())), {}, {}, false};
}

}  // namespace

Type law(Law& into) {
  return {[] { return "{\"anyOf\": [" + duration_schema() + ", " + law_schema() + "]}"; },
          [&into](const Place& place) {
            if (place.value().table() == nullptr) {
              const std::string* text = place.value().string();
              const auto known = law_names();
              const bool law_name = text != nullptr && std::ranges::find(known, *text) != known.end();
              if (law_name)
                return place.mistake("has no parameters", "write { name = \"" + *text +
                                                              "\", ... }: it takes " + forms_text(*text));
              if (const auto value = read_duration(place, Sign::not_negative))
                into = Law::constant(to_seconds(*value));
              return;
            }
            if (const auto shape = read_shape(place, Mean::written)) into = make_law(*shape, {});
          },
          true,
          {},
          [&into] { return initial_law(into); }};
}

std::string law_schema() {
  using enum LawParameter::Kind;
  std::string out = "{\"anyOf\": [";
  bool first = true;
  for (const LawForm& form : forms()) {
    std::string properties = "\"name\": {\"const\": " + quoted_toml(form.law) + "}";
    for (const LawParameter& parameter : form.parameters) {
      const bool duration = parameter.kind == time || parameter.kind == times;
      const std::string one =
          duration ? duration_schema() : "{\"type\": \"number\", \"exclusiveMinimum\": 0}";
      const bool list = parameter.kind == times || parameter.kind == numbers;
      properties += ", " + quoted_toml(parameter.name) + ": " +
                    (list ? "{\"type\": \"array\", \"minItems\": 1, \"items\": " + one + "}" : one);
    }
    out += (first ? "" : ", ") + std::string("{\"type\": \"object\", \"properties\": {") + properties +
           "}, \"required\": [\"name\"], \"additionalProperties\": false}";
    first = false;
  }
  return out + "]}";
}

std::vector<LawListing> law_listing() {
  std::vector<LawListing> out;
  for (const std::string_view name : law_names()) out.push_back({std::string(name), forms_text(name)});
  return out;
}

}  // namespace gauntlet
