// Published steps that no constant was fitted on, and how far the step model is off on each. A table that is made when the program is built
// (program/main.cpp): modelling them takes as long as ten replicas of the main job.
#pragma once

#include "models/workload.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace gauntlet {

/// A published step that was held out of all fits.
struct HeldOutStep {
  std::string id, stack;
  std::string source;  // the publication: its address
  std::string hardware;
  Precision precision = Precision::bf16;
  bool experts = false;
  std::uint32_t gpus = 0;
  double log_ratio = 0;  // ln(published / modelled time)
};

/// Of models/calibration/published.csv, those that the model can predict.
const std::vector<HeldOutStep>& held_out_steps();

}  // namespace gauntlet
