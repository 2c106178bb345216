// Entries of the shipped catalogue for code that has no scenario.
#pragma once

#include "models/hardware.hpp"

#include <optional>
#include <string>

namespace gauntlet {

/// The hardware of that name; nothing where the catalogue has none.
std::optional<Hardware> catalogue_hardware(const std::string& name);

}  // namespace gauntlet
