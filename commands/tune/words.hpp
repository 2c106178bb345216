// The words and units that everything printed of a tuned scenario shares.
#pragma once

#include "commands/tune/result.hpp"
#include "report/units.hpp"

#include <string>

namespace gauntlet {

/// "ETTR", or the name of the metric.
std::string objective_name(const TuneResult& result);

/// How the objective is shown, with enough digits for the half-width of the best point's interval.
Unit objective_unit(const TuneResult& result);

/// What differences are shares of: "the lost time", "the lost part of cost".
std::string loss_name(const TuneResult& result);

/// By which rule the row was chosen that the others along a curve are held against: TunedField::lowest.
std::string reference_name(const TuneResult& result, const TunedField& field);
/// Whether a row along a curve lost less than its reference: the rule does not go by the rows' own figures.
bool any_below_reference(const TuneResult& result);

/// A difference as a share of the loss: "0.2%", "16%", "8.0 times", "under 0.01%".
std::string share_text(double share);
/// The same with what it is a share of: "16% of the lost time", "8.0 times the lost time".
std::string share_of_loss(const TuneResult& result, double share);

/// "0.61 percentage points +- 0.05"
std::string difference_text(const PairedDifference& of, const Unit& unit);

/// "checkpoint.interval = 53min, spares.count = 4"
std::string settings_text(const TuneResult& result, const TunedPoint& point);

}  // namespace gauntlet
