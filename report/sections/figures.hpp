// Figures of a summary on a page: the main ones, large, and a table of all of them.
#pragma once

#include "report/page/page.hpp"
#include "study/summary/summary.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gauntlet {

/// A metric as a fact: its mean with the half-width of its interval, and in the note the range of 5% to 95% of the runs. Nothing where the summary
/// has no mean of it.
std::optional<Fact> fact_of(const Summary& summary, std::string_view metric, std::string name);

/// ETTR, MFU, wall time, lost time, interruptions and cost: those that there are.
std::vector<Fact> main_figures(const Summary& summary);

/// A folded table of all metrics, but for those of single phases, causes and fault kinds, with their percentiles.
PageTable figures_table(const Summary& summary);

/// The distribution of a metric over the runs. `values`: of the runs that did not give up.
std::optional<Chart> distribution_chart(const Summary& summary, std::string_view metric, std::string title,
                                        std::string axis, std::vector<double> values);

/// Of a metric by its name: shares, times and money; all else is a number.
ChartUnit chart_unit(std::string_view metric);

}  // namespace gauntlet
