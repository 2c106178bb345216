// The names of components, as scenarios, results and reports have them.
#pragma once

#include "core/id.hpp"

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace gauntlet {

inline constexpr std::array<std::string_view, 9> kComponentNames = {
    "job", "host", "gpu", "nic", "rack", "tor", "aggregation", "spine", "power"};
static_assert(kComponentNames.size() == static_cast<std::size_t>(ComponentKind::power) + 1,
              "every kind of component has a name");

constexpr std::string_view name_of(ComponentKind kind) {
  return kComponentNames.at(static_cast<std::size_t>(kind));
}

/// "host 17", or "job", of which there is one.
inline std::string name_of(ComponentId component) {
  const std::string kind(name_of(component.kind));
  return component.kind == ComponentKind::job ? kind : kind + " " + std::to_string(component.index);
}

}  // namespace gauntlet
