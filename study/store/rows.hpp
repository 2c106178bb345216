// The rows that a study keeps of each replica and incident: one list of columns for the CSV files and the store.
#pragma once

#include "score/figures.hpp"
#include "score/latencies.hpp"
#include "study/summary/facts.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace gauntlet {

struct Column {
  std::string name;       // ends in its unit where it has one: `wall_ns`
  std::string_view type;  // as SQLite has it: INTEGER, REAL, TEXT
};

/// Written as 16 hexadecimal digits.
struct Hex {
  std::uint64_t value = 0;
};

/// One field. Text and latencies are borrowed: they must live until the row is written. monostate is an empty field.
using Cell = std::variant<std::monostate, std::int64_t, double, std::string_view, Hex, const Latencies*>;
using Row = std::vector<Cell>;

inline Cell cell(Duration duration) { return std::int64_t{duration.count()}; }
inline Cell cell(Time time) { return cell(time.time_since_epoch()); }
inline Cell cell(std::int64_t count) { return count; }
inline Cell cell(std::uint32_t count) { return std::int64_t{count}; }
inline Cell cell(std::optional<double> value) { return value ? Cell{*value} : Cell{}; }

/// By fault kind of a study, in the order of its columns: which kind of one of its scenarios that is; nothing where the
/// scenario has none of that name.
using KindPlaces = std::vector<std::optional<FaultKindId>>;
/// `of_study` names every kind of `of_scenario`.
KindPlaces places_of(std::span<const std::string> of_study, std::span<const std::string> of_scenario);

/// replica, fingerprint, ending, wall_ns; <phase>_ns for each phase, adding up to wall_ns; lost.<cause>.<phase>_ns for each
/// cause and each phase but `effective`, those of a phase adding up to it; then the counts, faults.<fault> and
/// compensated.<fault> for each fault kind, and how each kind fared (FaultScore): met, detected, missed, latencies as "bin:count" (score/latencies.hpp),
/// missed_ns, incidents, handled, handled_ns, evictions_wrong, wrong_evictions_ns. `faults` names the kinds of all scenarios
/// that share the columns.
std::vector<Column> replica_columns(std::span<const std::string> faults);
/// Replaces `row` by one that fits replica_columns; the cells of a kind that the scenario does not have are empty.
void fill_replica_row(std::uint32_t replica, const Figures& figures, const KindPlaces& places, Row& row);
/// The figures that filled a row, without their incidents, exactly. An empty cell reads as zero.
void read_replica_row(const Row& row, const KindPlaces& places, Figures& figures);

/// replica, incident (from 0), opened_ns, closed_ns, cause, what the culprit is and which one, detected, the counts, unplanned
/// (a fault stopped the job), noticed_by_person, handled_without_person, wrong_evictions_ns (what they cost), and
/// lost.<phase>_ns for each phase. A latency that was never measured is empty.
std::vector<Column> incident_columns();
/// Replaces `row` by one that fits incident_columns. `causes` is cause_names of the scenario and must outlive the row.
void fill_incident_row(std::uint32_t replica, std::size_t number, const Incident& incident,
                       const std::vector<std::string>& causes, Row& row);
/// The incident that filled a row; nothing where its cause is none of `causes`.
std::optional<Incident> read_incident_row(const Row& row, const std::vector<std::string>& causes);

std::string_view name_of(Ending ending);

}  // namespace gauntlet
