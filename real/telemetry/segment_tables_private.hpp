// The tables of segments, for those who write and those who read them.
#pragma once

#include "core/sqlite/sqlite.hpp"

#include <cstdint>

namespace gauntlet {

inline constexpr std::int64_t kSegmentFormat = 1;

/// The key of a segment is in the order in which ranks are compared.
inline constexpr const char* kSegmentTables =
    "CREATE TABLE drill (format INTEGER, scenario TEXT, seed INTEGER);"
    "CREATE TABLE seat (run INTEGER, rank INTEGER, host INTEGER, pp INTEGER, dp INTEGER, cp INTEGER, tp "
    "INTEGER,"
    " PRIMARY KEY (run, rank)) WITHOUT ROWID;"
    "CREATE TABLE segment (run INTEGER, step INTEGER, name TEXT, rank INTEGER, took_ns INTEGER,"
    " reported_ns INTEGER, PRIMARY KEY (run, step, name, rank)) WITHOUT ROWID;";

/// Whether the tables are there and of this format.
inline bool has_segments(sqlite3* database) {
  sqlite::Statement named(
      database,
      "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name IN ('drill', 'seat', 'segment')");
  if (!named.step() || named.integer(0) != 3) return false;
  sqlite::Statement format(database, "SELECT format FROM drill");
  return format.step() && format.integer(0) == kSegmentFormat;
}

}  // namespace gauntlet
