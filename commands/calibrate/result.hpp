// A calibration: the keys of a scenario that were measured, with their values.
#pragma once

#include "commands/calibrate/estimate.hpp"
#include "commands/calibrate/sample.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace gauntlet {

struct CalibratedKey {
  KeySample sample;
  Estimate value;
};

struct CalibratedScenario {
  std::string command;  // that made it
  std::string date;     // on which they were recorded: "2026-11-26"
  std::size_t recordings = 0;
  double hosts = 0, bytes = 0;
  std::vector<CalibratedKey> keys;           // by key
  std::vector<CalibratedKey> without_place;  // of probes that the scenario does not have
  std::vector<CalibratedKey> signals;        // by name, without a key: from the host to the driver
  std::vector<std::string> zeroed;           // phases of a start that are part of those that were measured
  std::vector<std::string> warnings;  // a sentence for each value that is for a size which was not measured
};

/// "t = 0.012 s + 0.003 s x hosts, measured from 4 hosts to 8 hosts"; empty where one size was measured.
std::string line_text(const CalibratedKey& key);
/// "4 hosts", or bytes.
std::string size_text(const KeySample& sample, double size);

}  // namespace gauntlet
