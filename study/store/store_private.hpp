// The inside of a store, shared by the .cpp files that make one, write it and read it.
#pragma once

#include "study/store/sqlite_private.hpp"
#include "study/store/store.hpp"

#include <cstdint>
#include <deque>
#include <filesystem>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace gauntlet {

/// What this program writes and reads; another one's store is refused.
inline constexpr std::int64_t kStoreFormat = 10;
inline constexpr const char* kMetricTable = "metric";

std::vector<Column> study_columns();
std::vector<Column> point_columns();
std::vector<Column> metric_columns();
std::vector<Column> digest_columns();
/// With `point` before the columns of the CSV files.
std::vector<Column> stored_replica_columns(std::span<const std::string> faults);
std::vector<Column> stored_incident_columns();
/// All CREATE TABLE statements. `schema` is "" or that of an attached database: "other.".
std::string store_schema(std::span<const std::string> faults, std::string_view schema);
/// The size of pages and of the cache. `schema` as above; before the first table.
std::string store_pragmas(std::string_view schema = "");
/// The names of the tables, in the order of the schema.
inline constexpr const char* kStoreTables[] = {"study",    "point",      "replica",
                                               "incident", kMetricTable, "digest"};

/// Thrown for a store that is sound, and that another version of the program wrote.
struct OtherFormat : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Store::Connection {
  /// A point with what its rows need.
  struct Entry {
    StoredPoint point;
    KindPlaces places;
    std::vector<std::string> causes;
    std::uint32_t first = 0, replicas = 0;
    std::uint64_t chain = 0;  // of the digests of all its rows: store_digests_private.hpp
  };

  sqlite::Handle database;
  std::filesystem::path file;  // empty: temporary
  StudyIdentity study;
  std::vector<std::string> faults;  // of all points
  std::size_t replica_cells = 0;    // of replica_columns
  std::deque<Entry> points;
  std::unordered_map<std::string_view, std::uint32_t> by_text;  // keys are borrowed from `points`
  std::optional<Problem> problem;

  // Made when they are first needed, and kept.
  RowStatement begin, commit, insert_replica, insert_incident, insert_digest, delete_digest, select_replicas;
  Row row;
  std::deque<std::string> texts;  // that cells of `row` borrow

  /// Keeps what went wrong while writing, undoes the transaction and says what to do.
  void failed(const sqlite::Error& error);
  /// `chain` is that of a point without replicas.
  void add_entry(StoredPoint point, std::uint64_t chain);
  /// Latencies in `row` become text, once for the database and for the digest.
  void write_out_latencies();
  /// The statements of Store::add.
  void prepare_to_add();
  /// Of the chain of a point (store_digests_private.hpp): drops the last link where more replicas go on from it, adds one.
  void drop_last_link(std::uint32_t point);
  void add_link(std::uint32_t point, std::uint32_t replicas, std::uint64_t chain);
  /// Makes the tables of a database that has none, and holds the study that has no points yet.
  void begin_study(const StudyIdentity& begun, std::span<const std::string> kinds);
  /// Reads the study, its points and how many replicas they have. Throws where it is not a store.
  void load();
  std::uint64_t replicas() const;
  /// "1,234 replicas of 3 points"
  std::string holds() const;
};

}  // namespace gauntlet
