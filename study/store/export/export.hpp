// The store as CSV files. Each gives what went wrong, where something did.
#pragma once

#include "study/store/store.hpp"

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

namespace gauntlet {

/// The columns of rows.hpp, after a column `point` where the store has several points. A store that cannot be read is
/// thrown, as Store::read does.
std::optional<std::string> export_replicas(const Store& store, const std::filesystem::path& file,
                                           Files& files = system_files());
std::optional<std::string> export_incidents(const Store& store, const std::filesystem::path& file,
                                            Files& files = system_files());

/// The statistics of a point; nothing where it has none to show.
using SummaryOf = std::function<std::optional<Summary>(std::uint32_t point)>;

/// The figures of every point that has some, a line each: point, label, a column for each setting (its path), replicas;
/// then of every metric <name>.mean, .se, .ci95_low, .ci95_high, .p1, .p5, .p50, .p95, .p99 and .worst_5_mean. What a point does not have is empty.
std::string points_csv(const Store& store, const SummaryOf& summary);
/// The same of the summaries that were put into the store.
std::string points_csv(const Store& store);

}  // namespace gauntlet
