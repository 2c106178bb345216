// How the culprit of a stop is found, by the names of `policies.diagnose`. Data: the recovery acts on it.
//
// `suite` examines the hosts under suspicion, or all, with the probes of the suite. `localise` first asks every host, while
// the job still stands, for the collective in which it waits, and puts those that the others wait for under suspicion
// (hang_localisation.hpp). `person` asks a person at once, who takes his time and is right. `evidence` believes the
// detectors: whoever they name is replaced, without any probe.
#pragma once

#include <cstdint>

namespace gauntlet {

struct Diagnoser {
  enum class Means : std::uint8_t { probes, person, evidence };
  bool localises = false;
  Means means = Means::probes;
};

}  // namespace gauntlet
