// Charts as the script of a page reads them.
#pragma once

#include "report/page/chart.hpp"

#include <nlohmann/json_fwd.hpp>

namespace gauntlet {

/// {"kind": "lines" | "bars" | "distribution" | "heat", "title", ...}. Throws on a number that is not finite.
nlohmann::ordered_json chart_json(const Chart& chart);

}  // namespace gauntlet
