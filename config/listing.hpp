// What there is to choose from: for `gauntlet list`.
#pragma once

#include <string>
#include <vector>

namespace gauntlet {

struct Listed {
  std::string name;
  std::string about;
};

std::vector<Listed> list_scenarios();      // with the question that each asks
std::vector<Listed> list_faults();         // of the catalogue's fault profiles, each name once
std::vector<Listed> list_fault_models();   // what goes wrong by name, with the sources of their numbers
std::vector<Listed> list_distributions();  // with their parameters
std::vector<Listed> list_policies();       // with the key that chooses them
std::vector<Listed> list_detectors();      // with the signals that each watches
std::vector<Listed> list_signals();        // of telemetry.signals, with what carries them and what they say
std::vector<Listed> list_lines();          // the catalogue's tables of log lines
std::vector<Listed> list_probes();         // of the catalogue, with their suites
std::vector<Listed> list_hardware();
std::vector<Listed> list_models();

}  // namespace gauntlet
