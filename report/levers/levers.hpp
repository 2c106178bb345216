// A ranking of levers as a person reads it: shared by `rank`, whose answer it is, and `plan`.
#pragma once

#include "report/page/page.hpp"
#include "study/summary/lever_ranking.hpp"

#include <cstddef>
#include <string>

namespace gauntlet {

/// "`job.start.warm_up` (108s to 54s)"
std::string lever_text(const RankedLever& lever);

/// "17.9 h +- 0.2": the wall time that a lever saves.
std::string saved_text(const RankedLever& lever);

/// "costs 2,503 USD +- 174 more per run"; empty unless its interval says so.
std::string dearer_text(const RankedLever& lever, const std::string& currency);

/// The levers down to the last one that certainly gains, and those that certainly lose, `most` of them: what each gains, and a bar. A
/// gain without an interval has no "+-". Empty where there is none.
std::string lever_table(const LeverRanking& ranking, std::size_t most);

/// What the gains are of, and over how many replicas: "Savings are for the 1.07T tokens ...".
std::string lever_terms(const LeverRanking& ranking);

/// "`job.start.warm_up` (108s to 54s) gains the most: it saves 17.9 h +- 0.2 per run ...": the most valuable lever, and whether
/// its place is certain. Empty where no lever certainly gains.
std::string best_lever_text(const LeverRanking& ranking);

/// How much of the order is certain, which levers cannot be ordered, and which have too few events to have a place. Lines, each
/// ending in a newline.
std::string lever_order(const LeverRanking& ranking);

/// Names the levers that are in no table: those without a certain effect, those with too few events to tell, those
/// without any effect, those that could not be tried.
/// Lines, each ending in a newline.
std::string other_levers(const LeverRanking& ranking);

/// Bars with intervals, in the order of the ranking: the first levers, and those that certainly lose.
BarChart lever_chart(const LeverRanking& ranking);

/// The best lever, the bars, and how much of the order is certain.
Section lever_section(const LeverRanking& ranking);

}  // namespace gauntlet
