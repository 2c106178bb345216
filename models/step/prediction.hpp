// What the step model says of a published step.
#pragma once

#include "core/time.hpp"
#include "models/calibration/published.hpp"
#include "models/hardware.hpp"
#include "models/workload.hpp"
#include "models/world/world.hpp"

#include <optional>

namespace gauntlet {

/// The job of a published row on hardware of the catalogue, with the constants of its stack. A micro-batch that was not
/// published is the fastest that fits in memory, and so are virtual stages; nothing, and why, where none fits.
struct PublishedJob {
  std::optional<World> world;
  Duration step_time{};  // without faults, as modelled; of `world`
  std::string why;
};
PublishedJob job_of(const PublishedStep& row, const Hardware& hardware, const Calibration& stack);

/// Operations of one step as the row counts them.
Flops counted_flops(const PublishedStep& row);

/// The step time that the row's figure means, in seconds.
double published_seconds(const PublishedStep& row, const Hardware& hardware);

/// A step time as a figure of the row's unit; the inverse of `published_seconds`.
double figure_of(double seconds, const PublishedStep& row, const Hardware& hardware);

}  // namespace gauntlet
