#include "core/contract.hpp"
#include "core/files/read.hpp"
#include "core/system_advice.hpp"
#include "study/store/same_study.hpp"
#include "study/store/store_check_private.hpp"
#include "study/store/store_digests_private.hpp"
#include "study/store/store_private.hpp"
#include "study/summary/fingerprint_text.hpp"
#include "study/summary/json.hpp"
#include "study/summary/metrics.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace gauntlet {
namespace {

namespace fs = std::filesystem;

/// Makes the connection one that writes durably. A write-ahead log needs memory that programs share, which not every file
/// system has (https://www.sqlite.org/wal.html): there SQLite stays with a rollback journal and says so. That one has to be
/// on the disk before the file is touched.
void prepare_to_write(sqlite3* database) {
  sqlite::execute(database, store_pragmas());
  RowStatement journal(database, "PRAGMA journal_mode = WAL");
  const bool has_log = journal.step() && journal.text(0) == "wal";
  journal.reset();
  sqlite::execute(database, fmt::format("PRAGMA synchronous = {};", has_log ? "NORMAL" : "FULL"));
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
                   kIntervalCovers,
                   {}};  // put_study_digest
  RowStatement(database, sqlite::insert_into(fmt::format("{}study", schema), row.size())).bind(1, row).run();
}

bool has_tables(sqlite3* database) {
  return RowStatement(database, "SELECT 1 FROM sqlite_master LIMIT 1").step();
}

/// What is wrong with the pages of the file, beyond what opening it shows.
void check_pages(sqlite3* database) {
  RowStatement check(database, "PRAGMA integrity_check(1)");
  if (!check.step() || check.text(0) != "ok") sqlite::damaged(check.text(0));
}

void put_arguments(sqlite3* database, const std::string& arguments) {
  const Cell cell[] = {std::string_view(arguments)};
  sqlite::execute(database, "BEGIN IMMEDIATE");
  RowStatement(database, "UPDATE study SET arguments = ?").bind(1, cell).run();
  put_study_digest(database);
  sqlite::execute(database, "COMMIT");
}

/// What sets the store apart from what is asked.
StudyDifference difference_of(const Store::Connection& store, const StudyIdentity& now,
                              std::span<const std::string> faults) {
  HeldReplicas held{.most = 0, .all = store.replicas()};
  for (const Store::Connection::Entry& entry : store.points) held.most = std::max(held.most, entry.replicas);
  if (StudyDifference other = difference(store.study, now, held); !other.what.empty()) return other;
  if (!std::equal(faults.begin(), faults.end(), store.faults.begin(), store.faults.end()))
    return {.what = fmt::format("holds a study with other kinds of faults: {}, not {}",
                                fmt::join(store.faults, ", "), fmt::join(faults, ", ")),
            .go_on = {}};
  return {};
}

constexpr const char* kOtherStudy = "choose another --out, or start again with --force";
constexpr const char* kBeginAgain = "start again with --force, or bring the file back from a copy";
std::string remedy_of(const StudyDifference& other) {
  return other.go_on.empty() ? kOtherStudy : fmt::format("{}, {}", other.go_on, kOtherStudy);
}

/// What helps where something could not be written; `otherwise` where nothing is known to.
std::string remedy_of(const sqlite::Error& error, const char* otherwise) {
  if (error.code == SQLITE_NOMEM) return system_advice(ENOMEM);
  return system_advice(error.system, otherwise);
}

constexpr const char* kRunAgain = "bring the file back from a copy, or run the study again";

/// What is wrong with a file that is there, and what helps.
Problem problem_of_reading(const fs::path& file, const std::exception& error, const char* if_damaged) {
  if (const auto* other = dynamic_cast<const OtherFormat*>(&error))
    return problem_of(file, other->what(),
                      "use the gauntlet that wrote it, or run the study again from its beginning");
  const auto* sql = dynamic_cast<const sqlite::Error*>(&error);
  if (!sql || sql->code == SQLITE_CORRUPT || sql->code == SQLITE_NOTADB || sql->code == SQLITE_ERROR)
    return problem_of(file, fmt::format("is damaged: {}", error.what()), if_damaged);
  return problem_of(
      file, fmt::format("cannot be opened: {}", error.what()),
      "see that it may be read and written, that there is space and that no other program holds it");
}

std::string with_thousands(std::uint64_t value) {
  std::string text = std::to_string(value);
  for (std::size_t i = text.size(); i > 3;) text.insert(i -= 3, 1, ',');
  return text;
}

}  // namespace

void Store::Connection::begin_study(const StudyIdentity& begun, std::span<const std::string> kinds) {
  study = begun;
  faults.assign(kinds.begin(), kinds.end());
  replica_cells = replica_columns(faults).size();
  sqlite::execute(database.get(), "BEGIN IMMEDIATE");
  sqlite::execute(database.get(), store_schema(faults, ""));
  insert_study(database.get(), "", study);
  put_study_digest(database.get());
  sqlite::execute(database.get(), "COMMIT");
}

void Store::Connection::failed(const sqlite::Error& error) {
  if (problem) return;
  sqlite3_exec(database.get(), "ROLLBACK", nullptr, nullptr, nullptr);  // fails where nothing is left to undo
  const std::string why = fmt::format("cannot be written: {}", error.what());
  const std::string remedy = remedy_of(error, "see that it can be written");
  problem =
      file.empty()
          ? problem_of("temporary results", why,
                       fmt::format("{}, name another place for them with TMPDIR, or write to --out", remedy))
          : problem_of(file, why,
                       fmt::format("{} are safe; {}, then continue with --resume", holds(), remedy));
}

void Store::Connection::add_entry(StoredPoint point, std::uint64_t chain) {
  Entry& entry = points.emplace_back();
  entry.places = places_of(faults, point.facts.faults);
  entry.causes = cause_names(point.facts);
  entry.chain = chain;
  entry.point = std::move(point);
  by_text.emplace(entry.point.text, static_cast<std::uint32_t>(points.size() - 1));
}

std::uint64_t Store::Connection::replicas() const {
  std::uint64_t all = 0;
  for (const Entry& entry : points) all += entry.replicas;
  return all;
}

std::string Store::Connection::holds() const {
  const std::uint64_t all = replicas();
  return fmt::format("{} replica{} of {} point{}", with_thousands(all), all == 1 ? "" : "s",
                     with_thousands(points.size()), points.size() == 1 ? "" : "s");
}

Store::Opened Store::create(const fs::path& file, const StudyIdentity& study,
                            std::span<const std::string> faults) {
  try {
    std::error_code error;
    if (fs::exists(fs::symlink_status(file, error)))
      return refused(problem_of(file, "exists and is not overwritten", kOtherStudy));
    auto connection = std::make_unique<Connection>();
    connection->file = file;
    connection->database = sqlite::open(file, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
    prepare_to_write(connection->database.get());
    connection->begin_study(study, faults);
    return {.store = std::unique_ptr<Store>(new Store(std::move(connection))), .problem = std::nullopt};
  } catch (const sqlite::Error& error) {
    return refused(problem_of(file, fmt::format("cannot be made: {}", error.what()),
                              remedy_of(error, "choose another --out")));
  }
}

std::unique_ptr<Store> Store::temporary(const StudyIdentity& study, std::span<const std::string> faults) {
  auto connection = std::make_unique<Connection>();
  connection->database = sqlite::open("", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  sqlite::execute(connection->database.get(), store_pragmas());
  sqlite::execute(connection->database.get(), "PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF;");
  connection->begin_study(study, faults);
  return std::unique_ptr<Store>(new Store(std::move(connection)));
}

Store::Opened Store::resume(const fs::path& file, const StudyIdentity& study,
                            std::span<const std::string> faults) {
  try {
    if (auto why = not_a_file(file)) return refused(problem_of(file, *why, kBeginAgain));
    auto connection = std::make_unique<Connection>();
    connection->file = file;
    connection->database = sqlite::open(file, SQLITE_OPEN_READWRITE);
    sqlite3* database = connection->database.get();
    check_pages(database);
    if (has_tables(database)) {
      connection->load();
    } else {  // killed before it had any
      prepare_to_write(database);
      connection->begin_study(study, faults);
    }
    check_digests(database, connection->points);
    if (const StudyDifference other = difference_of(*connection, study, faults); !other.what.empty())
      return refused(problem_of(file, other.what, remedy_of(other)));
    prepare_to_write(database);
    put_arguments(database, study.arguments);
    connection->study.arguments = study.arguments;
    return {.store = std::unique_ptr<Store>(new Store(std::move(connection))), .problem = std::nullopt};
  } catch (const std::exception& error) {  // SQLite's, and JSON's where a text was damaged
    return refused(problem_of_reading(file, error, kBeginAgain));
  }
}

Store::Opened Store::open_to_read(const fs::path& file) {
  try {
    if (auto why = not_a_file(file)) return refused(problem_of(file, *why, kRunAgain));
    auto connection = std::make_unique<Connection>();
    connection->file = file;
    connection->database = sqlite::open(file, SQLITE_OPEN_READONLY);
    connection->load();
    return {.store = std::unique_ptr<Store>(new Store(std::move(connection))), .problem = std::nullopt};
  } catch (const std::exception& error) {
    return refused(problem_of_reading(file, error, kRunAgain));
  }
}

std::optional<std::string> Store::damage() const {
  try {
    check_pages(connection_->database.get());
    check_digests(connection_->database.get(), connection_->points);
  } catch (const sqlite::Error& error) {
    return error.what();
  }
  return std::nullopt;
}

}  // namespace gauntlet
