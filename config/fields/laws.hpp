// Distributions as a scenario writes them: "15min" is a constant, { name = "weibull", shape = 0.7, mean = "300h" } has a
// name and parameters.
#pragma once

#include "config/fields/fields.hpp"
#include "core/random/law.hpp"

#include <optional>
#include <string>
#include <vector>

namespace gauntlet {

/// How long something takes: a duration, or a law with all of its parameters.
Type law(Law& into);

/// Makes `above`, which is about to be merged over `below`, ready for it, where both are laws. One that says its name
/// replaces what lies below; parameters alone change the law below, and say it in another of its forms where they
/// belong to one (`mean` in place of `median`).
void lay_law_over(Value& below, Value& above);

/// A law of which a scenario may leave the mean open, because a rate says it. Opaque but for make_law().
struct LawForm;
struct LawShape {
  const LawForm* form = nullptr;
  std::vector<std::vector<double>> arguments;  // one list for each parameter of the form
};

/// A law's name, or its name and parameters without a mean of their own (`mean`, `scale`, `median`, `minimum`).
/// `has_mean`: whether a rate says the mean. Gives nothing after reporting a mistake.
std::optional<LawShape> read_law_shape(const Place& place, bool has_mean);
/// `mean`: in seconds, where a rate says it. Laws without a parameter for their mean are stretched to it.
Law make_law(const LawShape& shape, std::optional<double> mean);

/// The JSON Schema of a law's name or table.
std::string law_schema();

/// "weibull" and "scale, shape; or mean, shape" for each law.
struct LawListing {
  std::string name;
  std::string parameters;
};
std::vector<LawListing> law_listing();

}  // namespace gauntlet
