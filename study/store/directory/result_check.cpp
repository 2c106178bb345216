#include "core/files/read.hpp"
#include "study/store/directory/manifest.hpp"
#include "study/store/directory/not_as_written.hpp"
#include "study/store/directory/result_check_private.hpp"
#include "study/store/directory/result_directory.hpp"
#include "study/store/export/csv.hpp"
#include "study/summary/fingerprint_text.hpp"

#include <fmt/format.h>

#include <utility>

namespace gauntlet {
namespace {

namespace fs = std::filesystem;

/// Holds a CSV file to the rows of the store, line by line.
class CsvCheck {
 public:
  CsvCheck(const fs::path& file, std::vector<Column> columns, const Store& store)
      : file_(regular(file)), reader_(file), columns_(std::move(columns)), several_(store.points() > 1) {
    if (!reader_.opened()) found(file_, "cannot be read");
    if (several_) columns_.insert(columns_.begin(), {"point", "INTEGER"});
    const auto header = reader_.next();
    if (!header) found(file_, "is empty");
    bool same = header->size() == columns_.size();
    for (std::size_t i = 0; same && i < columns_.size(); ++i) same = (*header)[i] == columns_[i].name;
    if (!same) found(file_, "the columns are not those of this study's results", 1);
  }

  void next(std::uint32_t point, const Row& row) {
    const auto fields = reader_.next();
    if (!fields)
      found(file_, fmt::format("ends after {} rows, and {} has more", reader_.line() - 1, kDatabaseFile));
    if (!reader_.whole()) found(file_, "the line is cut short", reader_.line());
    if (fields->size() != columns_.size())
      found(file_, fmt::format("{} fields where there are {} columns", fields->size(), columns_.size()),
            reader_.line());
    line_.clear();
    const Cell number = std::int64_t{point};
    if (several_) append_csv(line_, {&number, 1});
    append_csv(line_, row);
    line_.pop_back();
    const std::vector<std::string> wanted = csv_fields(line_);
    for (std::size_t i = 0; i < wanted.size(); ++i)
      if ((*fields)[i] != wanted[i])
        found(file_,
              fmt::format("{} = \"{}\", where {} has \"{}\"", columns_[i].name, (*fields)[i], kDatabaseFile,
                          wanted[i]),
              reader_.line());
  }
  void end() {
    if (reader_.next())
      found(file_, fmt::format("is a row that {} does not have", kDatabaseFile), reader_.line());
  }

 private:
  /// Checks a file before it is opened: to open a FIFO would wait forever.
  static const fs::path& regular(const fs::path& file) {
    if (auto why = not_a_file(file)) found(file, *why);
    return file;
  }

  fs::path file_;
  CsvReader reader_;
  std::vector<Column> columns_;
  bool several_;
  std::string line_;
};

/// Takes the part off what is left; false where it is negative or more than that. Hostile numbers must not overflow a sum.
bool take(Duration part, Duration& left) {
  if (part < Duration::zero() || part > left) return false;
  left -= part;
  return true;
}

/// What does not add up in a replica; empty where all does.
std::string wrong_times(const Figures& figures) {
  Duration left = figures.wall;
  bool fine = left >= Duration::zero();
  for (const Duration phase : figures.phases) fine = fine && take(phase, left);
  if (!fine || left != Duration::zero())
    return fmt::format("the phases do not add up to wall_ns = {}", figures.wall.count());
  for (std::size_t phase = 1; phase < kPhases; ++phase) {
    left = figures.phases[phase];
    for (const PhaseTimes& cause : figures.lost) fine = fine && take(cause[phase], left);
    if (!fine || left != Duration::zero())
      return fmt::format("the causes do not add up to {}_ns = {}", kPhaseNames[phase],
                         figures.phases[phase].count());
  }
  return "";
}

/// Faults that were detected or missed had met the job.
std::string wrong_counts(const Figures& figures, std::span<const std::string> faults) {
  for (std::size_t kind = 0; kind < figures.fault_scores.size(); ++kind) {
    const FaultScore& of = figures.fault_scores[kind];
    if (std::uint64_t{of.detected} + of.missed > of.met)
      return fmt::format("met.{} = {} is less than were detected and missed", faults[kind], of.met);
    if (of.latencies.count() != of.detected)
      return fmt::format("latencies.{} are not {}, as many as were detected", faults[kind], of.detected);
  }
  return "";
}

std::string of_point(const Store& store, std::uint32_t point) {
  return store.points() > 1 ? fmt::format("point {}: ", point) : "";
}

void check_replicas(const FoundResults& results, std::uint32_t point, const std::optional<Summary>& summary,
                    CsvCheck& csv) {
  const Store& store = *results.store;
  const fs::path database = results.directory / kDatabaseFile;
  const KindPlaces places = places_of(store.faults(), store.point(point).facts.faults);
  std::uint32_t replica = store.first_replica(point);
  std::uint32_t seen = 0;
  std::uint64_t fingerprint = kNoFingerprint;
  Figures figures;
  store.read_rows(point, replica, store.replicas(point), [&](const Row& row) {
    csv.next(point, row);
    read_replica_row(row, places, figures);
    std::string wrong = wrong_times(figures);
    if (wrong.empty()) wrong = wrong_counts(figures, store.point(point).facts.faults);
    if (!wrong.empty())
      found(database, fmt::format("{}replica {}: {}", of_point(store, point), replica, wrong));
    ++replica;
    if (!summary || seen++ < summary->replicas)
      fingerprint = add_fingerprint(fingerprint, figures.fingerprint);
  });
  if (summary && fingerprint != summary->fingerprint)
    found(database, fmt::format("{}the replicas' fingerprints make {}, where its figures say {}",
                                of_point(store, point), fingerprint_text(fingerprint),
                                fingerprint_text(summary->fingerprint)));
}

void check_incidents(const FoundResults& results, std::uint32_t point, CsvCheck& csv) {
  const Store& store = *results.store;
  const fs::path database = results.directory / kDatabaseFile;
  store.read_incident_rows(point, [&](const Row& row) { csv.next(point, row); });
  store.read_incidents(point, [&](std::uint32_t replica, std::size_t number, const Incident& incident) {
    const auto wrong = [&](const char* what) {
      found(database,
            fmt::format("{}incident {} of replica {} {}", of_point(store, point), number, replica, what));
    };
    const std::uint32_t first = store.first_replica(point);
    if (replica < first || replica - first >= store.replicas(point)) wrong("belongs to no replica");
    if (incident.opened < kStart || incident.closed < incident.opened) wrong("ends before it begins");
    for (const Duration lost : incident.lost)
      if (lost < Duration::zero()) wrong("lost a negative time");
  });
}

}  // namespace

std::optional<Problem> check_results(const FoundResults& results, const std::optional<Summary>& summary) {
  const Store& store = *results.store;
  try {
    if (auto damage = store.damage()) found(results.directory / kDatabaseFile, "is damaged: " + *damage);
    CsvCheck replicas(results.directory / kReplicasFile, replica_columns(store.faults()), store);
    for (std::uint32_t point = 0; point < store.points(); ++point)
      check_replicas(results, point, summary ? summary : store.summary(point), replicas);
    replicas.end();
    CsvCheck incidents(results.directory / kIncidentsFile, incident_columns(), store);
    for (std::uint32_t point = 0; point < store.points(); ++point) check_incidents(results, point, incidents);
    incidents.end();
    check_over_time(results);
    check_figures(results);
  } catch (const Found& wrong) {
    return wrong.problem;
  } catch (const std::exception& error) {  // a store that cannot be read says its name
    return Problem{.file = "", .what = error.what(), .why = "", .suggestion = kNotAsWritten};
  }
  return check_manifest(results.directory);
}

}  // namespace gauntlet
