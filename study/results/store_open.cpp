#include "core/contract.hpp"
#include "study/results/fingerprint_text.hpp"
#include "study/results/json_private.hpp"
#include "study/results/metrics.hpp"
#include "study/results/scenario_difference.hpp"
#include "study/results/store_private.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace gauntlet {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPageSize =
    "8192";  // a replica with 30 kinds of faults fits a quarter of it, see SQLite's file format
// Beyond this a temporary store goes to a file; KiB, negative as SQLite has it.
constexpr const char* kCache = "-16384";

std::string pragmas(const char* journal, const char* synchronous, std::string_view schema = "") {
  return fmt::format(
      "PRAGMA {0}page_size = {1}; PRAGMA {0}journal_mode = {2}; PRAGMA {0}synchronous = {3}; "
      "PRAGMA {0}cache_size = {4};",
      schema, kPageSize, journal, synchronous, kCache);
}

Problem problem_of(const fs::path& file, std::string why, std::string suggestion) {
  return {.file = file.string(),
          .line = 0,
          .column = 0,
          .what = "",
          .why = std::move(why),
          .suggestion = std::move(suggestion)};
}

Store::Opened refused(Problem problem) { return {.store = nullptr, .problem = std::move(problem)}; }

void insert_study(sqlite3* database, std::string_view schema, const StudyIdentity& study) {
  const std::string seed = std::to_string(study.seed);
  const Row row = {kStoreFormat,
                   std::string_view(study.command),
                   std::string_view(study.arguments),
                   std::string_view(study.version),
                   std::string_view(seed),
                   std::string_view(study.scenario),
                   std::string_view(study.text),
                   kIntervalCovers};
  sqlite::Statement(database, sqlite::insert_into(fmt::format("{}study", schema), row.size()))
      .bind(1, row)
      .run();
}

// Makes the tables of a file that has none.
void begin_study(sqlite3* database, const StudyIdentity& study, std::span<const std::string> faults) {
  sqlite::execute(database, "BEGIN IMMEDIATE");
  sqlite::execute(database, store_schema(faults, ""));
  insert_study(database, "", study);
  sqlite::execute(database, "COMMIT");
}

bool has_tables(sqlite3* database) {
  return sqlite::Statement(database, "SELECT 1 FROM sqlite_master LIMIT 1").step();
}

/// What is wrong inside the file, beyond what opening it shows.
void check_whole(const Store::Connection& of) {
  sqlite::Statement check(of.database.get(), "PRAGMA quick_check(1)");
  if (!check.step() || check.text(0) != "ok") throw sqlite::Error(SQLITE_CORRUPT, check.text(0));
}

void check_counts(const Store::Connection& of) {
  sqlite::Statement count(of.database.get(), "SELECT count(*) FROM replica WHERE point = ?");
  for (std::size_t point = 0; point < of.points.size(); ++point) {
    const Cell number[] = {static_cast<std::int64_t>(point)};
    count.bind(1, number).step();
    if (count.count(0) != of.points[point].replicas)
      throw sqlite::Error(SQLITE_CORRUPT, fmt::format("replicas of point {} are missing", point));
    count.reset();
  }
}

/// What the study in the store has that this one has not; empty where they are the same.
std::string difference(const Store::Connection& store, const StudyIdentity& now,
                       std::span<const std::string> faults) {
  const StudyIdentity& then = store.study;
  if (then.command != now.command)
    return fmt::format("holds a study of another command: `{}`, not `{}`", then.command, now.command);
  if (then.version != now.version)
    return fmt::format("was begun by gauntlet {}, and this is {}: replicas of two versions do not mix",
                       then.version, now.version);
  if (then.seed != now.seed)
    return fmt::format("holds a study with another seed: {}, not {}", then.seed, now.seed);
  if (then.text != now.text) {
    const std::string field = first_difference(then.text, now.text);
    return "holds a study of another scenario" + (field.empty() ? "" : ": " + field);
  }
  if (!std::equal(faults.begin(), faults.end(), store.faults.begin(), store.faults.end()))
    return fmt::format("holds a study with other kinds of faults: {}, not {}", fmt::join(store.faults, ", "),
                       fmt::join(faults, ", "));
  return "";
}

constexpr const char* kOtherStudy = "choose another --out, or begin again with --force";
constexpr const char* kDamaged = "begin again with --force, or bring the file back from a copy";

template <class Open>
Store::Opened guarded(const fs::path& file, const char* what, const char* suggestion, Open open) {
  try {
    return open();
  } catch (const std::exception& error) {  // SQLite's, and JSON's where a text was damaged
    return {.store = nullptr,
            .problem = problem_of(file, fmt::format("{}: {}", what, error.what()), suggestion)};
  }
}

void copy_into(sqlite3* database, const fs::path& file, std::span<const std::string> faults) {
  const std::string name = file.string();
  const Cell cell[] = {std::string_view(name)};
  sqlite::Statement(database, "ATTACH DATABASE ? AS canonical").bind(1, cell).run();
  // Nobody sees the file before it is whole: it needs no journal.
  sqlite::execute(database, pragmas("OFF", "OFF", "canonical."));
  sqlite::execute(database, "BEGIN");
  sqlite::execute(database, store_schema(faults, "canonical."));
  for (const char* table : kStoreTables)  // by key, in which order every table here is kept
    sqlite::execute(database, fmt::format("INSERT INTO canonical.{0} SELECT * FROM main.{0}", table));
  sqlite::execute(database, "COMMIT");
  sqlite::execute(database, "DETACH DATABASE canonical");
}

std::string with_thousands(std::uint64_t value) {
  std::string text = std::to_string(value);
  for (std::size_t i = text.size(); i > 3;) text.insert(i -= 3, 1, ',');
  return text;
}

}  // namespace

void Store::Connection::failed(const sqlite::Error& error) {
  if (problem) return;
  sqlite3_exec(database.get(), "ROLLBACK", nullptr, nullptr, nullptr);  // fails where nothing is left to undo
  const std::string why = fmt::format("cannot be written: {}", error.what());
  problem =
      file.empty()
          ? problem_of("temporary results", why,
                       "free space, name another place for them with TMPDIR, or write to --out")
          : problem_of(file, why, fmt::format("{} are safe; free space, then go on with --resume", holds()));
}

void Store::Connection::add_entry(StoredPoint point) {
  Entry& entry = points.emplace_back();
  entry.places = places_of(faults, point.facts.faults);
  entry.causes = cause_names(point.facts);
  entry.point = std::move(point);
  by_text.emplace(entry.point.text, static_cast<std::uint32_t>(points.size() - 1));
}

std::string Store::Connection::holds() const {
  std::uint64_t replicas = 0;
  for (const Entry& entry : points) replicas += entry.replicas;
  return fmt::format("{} replica{} of {} point{}", with_thousands(replicas), replicas == 1 ? "" : "s",
                     with_thousands(points.size()), points.size() == 1 ? "" : "s");
}

Store::Opened Store::create(const fs::path& file, const StudyIdentity& study,
                            std::span<const std::string> faults) {
  return guarded(file, "cannot be made", "choose another --out", [&]() -> Opened {
    std::error_code error;
    if (fs::exists(fs::symlink_status(file, error)))
      return refused(problem_of(file, "exists and is not overwritten", kOtherStudy));
    auto connection = std::make_unique<Connection>();
    connection->file = file;
    connection->database = sqlite::open(file, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
    sqlite::execute(connection->database.get(), pragmas("WAL", "NORMAL"));
    begin_study(connection->database.get(), study, faults);
    connection->load();
    return {.store = std::unique_ptr<Store>(new Store(std::move(connection))), .problem = std::nullopt};
  });
}

std::unique_ptr<Store> Store::temporary(const StudyIdentity& study, std::span<const std::string> faults) {
  auto connection = std::make_unique<Connection>();
  connection->database = sqlite::open("", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  sqlite::execute(connection->database.get(), pragmas("MEMORY", "OFF"));
  begin_study(connection->database.get(), study, faults);
  connection->load();
  return std::unique_ptr<Store>(new Store(std::move(connection)));
}

Store::Opened Store::resume(const fs::path& file, const StudyIdentity& study,
                            std::span<const std::string> faults) {
  return guarded(file, "is damaged", kDamaged, [&]() -> Opened {
    auto connection = std::make_unique<Connection>();
    connection->file = file;
    connection->database = sqlite::open(file, SQLITE_OPEN_READWRITE);
    sqlite3* database = connection->database.get();
    check_whole(*connection);
    sqlite::execute(database, pragmas("WAL", "NORMAL"));
    if (!has_tables(database)) begin_study(database, study, faults);  // killed before it had any
    connection->load();
    if (const std::string what = difference(*connection, study, faults); !what.empty())
      return refused(problem_of(file, what, kOtherStudy));
    check_counts(*connection);
    const Cell arguments[] = {std::string_view(study.arguments)};
    sqlite::Statement(database, "UPDATE study SET arguments = ?").bind(1, arguments).run();
    connection->study.arguments = study.arguments;
    return {.store = std::unique_ptr<Store>(new Store(std::move(connection))), .problem = std::nullopt};
  });
}

Store::Opened Store::open_to_read(const fs::path& file) {
  return guarded(file, "cannot be read", "", [&]() -> Opened {
    auto connection = std::make_unique<Connection>();
    connection->file = file;
    connection->database = sqlite::open(file, SQLITE_OPEN_READONLY);
    connection->load();
    return {.store = std::unique_ptr<Store>(new Store(std::move(connection))), .problem = std::nullopt};
  });
}

void Store::write_canonical(const fs::path& file) {
  Connection& from = *connection_;
  if (from.problem) return;
  std::error_code ignored;
  std::ofstream(file, std::ios::binary | std::ios::trunc);  // an empty file is an empty database
  try {
    copy_into(from.database.get(), file, from.faults);
  } catch (const sqlite::Error& error) {
    from.failed(error);
    fs::remove(file, ignored);
  }
}

}  // namespace gauntlet
