#include "config/fault_defaults.hpp"

#include "core/contract.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <utility>

namespace gauntlet {
namespace {

std::string shortest(double value) {
  std::array<char, 512> buffer;  // 1e308 has 309 digits, and 5e-324 has 326
  const auto end =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::fixed);
  expect(end.ec == std::errc{}, "every number fits");
  return {buffer.data(), end.ptr};
}

}  // namespace

std::string number_toml(double value) {
  if (std::isnan(value)) return "\"nan\"";
  std::string text = shortest(value);
  return text.find('.') == std::string::npos ? text + ".0" : text;
}

std::string law_toml(const Law& law) {
  const auto parameters = law.parameters();
  expect(!parameters.empty(), "the law has no lists of parameters");
  if (law.name() == "constant") return '"' + shortest(law.mean()) + "s\"";
  std::string out = "{ name = \"" + std::string(law.name()) + '"';
  for (const auto& [name, value] : parameters) {
    const bool plain = name == "shape" || name == "sigma" || name == "alpha";
    out += ", " + std::string(name) + " = " + (plain ? number_toml(value) : '"' + shortest(value) + "s\"");
  }
  return out + " }";
}

Fallback ModelDefaults::or_else(Fallback without,
                                const std::function<std::string(const FaultModel&)>& toml_of) const {
  if (model() == nullptr) return without;
  std::string toml = toml_of(*model());
  return toml.empty() ? without : Fallback::value(std::move(toml));
}

}  // namespace gauntlet
