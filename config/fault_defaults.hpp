// What a fault model says, as the TOML of a field's default.
#pragma once

#include "config/fields.hpp"
#include "core/random/law.hpp"
#include "models/fault/registry.hpp"

#include <functional>
#include <string>

namespace gauntlet {

/// A law as a scenario would write it, to the last bit; none that has lists of parameters.
std::string law_toml(const Law& law);
/// The number that reads back to the same bits.
std::string number_toml(double value);

/// The fields of one fault, as defaults: those of its model where it has one. A pointer to the pointer, because the model
/// becomes known when its field is read, before all others.
class ModelDefaults {
 public:
  explicit ModelDefaults(const FaultModel* const* model) : model_(model) {}

  const FaultModel* model() const { return *model_; }
  /// What `toml_of` makes of the model; an empty text: as without one.
  Fallback or_else(Fallback without, const std::function<std::string(const FaultModel&)>& toml_of) const;

 private:
  const FaultModel* const* model_;
};

}  // namespace gauntlet
