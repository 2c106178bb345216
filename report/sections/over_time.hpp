// One run over time, on a page: its progress, ETTR and MFU, its incidents, and its spare hosts in use.
#pragma once

#include "report/page/page.hpp"
#include "score/figures.hpp"
#include "score/spares.hpp"
#include "study/summary/facts.hpp"

#include <string>
#include <vector>

namespace gauntlet {

/// A run that is shown in detail.
struct ShownRun {
  std::string why;                       // a sentence: why it is this one
  Duration bucket{};                     // of figures.over_time
  Figures figures = {};                  // with its incidents and parts
  std::vector<SparesInUse> spares = {};  // changes from the start on
};

/// A length that divides so long a run into at most 120 parts: a round number of seconds, minutes, hours or days.
Duration bucket_for(Duration wall);

/// Progress, ETTR and MFU in parts of the wall time, what each incident lost, spare hosts in use, and a table of the incidents.
Section over_time_section(const ScenarioFacts& facts, const ShownRun& run);

}  // namespace gauntlet
