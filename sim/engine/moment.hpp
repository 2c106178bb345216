// Draws that belong to one component at one moment.
#pragma once

#include "core/random/stream.hpp"
#include "core/time.hpp"

#include <cstdint>

namespace gauntlet {

/// Which stream of a name is that of a component now. Neither other components nor what a policy did before move its draws.
inline std::uint64_t component_now(Time now, std::uint64_t component) {
  return static_cast<std::uint64_t>((now - kStart).count()) * 0x9e3779b97f4a7c15ULL + component;
}

inline Stream stream_now(Seed seed, StreamName name, Time now, std::uint64_t component) {
  return Stream(seed, name, component_now(now, component));
}

/// Whether something of that chance happens. Takes one draw. At a chance of 0 or 1 the draw is skipped, so that later draws stay the same.
inline bool happens(double chance, Stream& draws) {
  if (chance > 0 && chance < 1) return draws.uniform() < chance;
  draws.skip();
  return chance >= 1;
}

/// The n-th time that something is drawn for a component.
constexpr std::uint64_t nth_of(std::uint32_t component, std::uint32_t n) {
  return std::uint64_t{n} << 32 | component;
}

}  // namespace gauntlet
