// The tails of a figure over single runs: how bad a run may be, where the mean says what runs are like on the whole.
#pragma once

#include "report/units.hpp"
#include "study/summary/summary.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gauntlet {

/// One figure of a table of tails.
struct TailRow {
  std::string name;
  std::string figure;  // with its unit: "ETTR, %"; where the name is that of the figure, the unit alone
  Statistics of;
  Unit unit;
};

/// Adds the row of a metric, with as many digits as its interval needs. A metric that the summary does not have, or that is equal
/// in all runs, none of which gave up, has no tails and adds nothing. `figure`: what the metric is called; empty where the name says it.
void add_tails(std::vector<TailRow>& rows, const Summary& summary, std::string_view metric, std::string name,
               std::string_view figure = {});

/// "20 runs may all miss what happens in one run in 7, and no interval here includes that": with a probability of 5% at most. Empty
/// from kFewestForP1 runs on, and where nothing happens by chance.
std::string missed_by_few(const ScenarioFacts& facts, std::uint64_t runs);

/// "p1 and p99 need 100 replicas, the mean of the worst 5% needs 20": what so many have too few for. Empty where it is nothing.
std::string tails_need(std::uint64_t replicas);

/// A heading, and for each row p1, p99 and the mean of the worst 5%. "gave up" is a percentile that falls among runs that gave up,
/// or a mean that has one of them in it, and a line below the table says how many they are. A dash is what the row has too few replicas for, and a
/// line below the table says how many it needs. Without a table, because every row has too few, that line alone; empty where
/// there are too few for an interval (the report says that already), or no rows.
std::string tails_table(const std::vector<TailRow>& rows);

}  // namespace gauntlet
