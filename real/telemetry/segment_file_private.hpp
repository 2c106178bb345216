// A file of segments, opened to read.
#pragma once

#include "core/problem.hpp"
#include "real/telemetry/segment_tables_private.hpp"

#include <sqlite3.h>

#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

namespace gauntlet {

/// `read`: gets the database, in one state also while a drill writes it, and says what is wrong; empty: nothing.
template <class Read>
std::optional<Problem> with_segment_file(const std::string& file, const Read& read) {
  const auto refused = [&](std::string why) {
    return problem_of(file, std::move(why), "name a file that `gauntlet drill --segments FILE` wrote");
  };
  std::error_code error;
  const std::filesystem::file_type type = std::filesystem::status(file, error).type();
  if (type == std::filesystem::file_type::not_found) return refused("does not exist");
  if (type == std::filesystem::file_type::none) return refused("cannot be read: " + error.message());
  if (type != std::filesystem::file_type::regular) return refused("is not a regular file");
  try {
    const sqlite::Handle database = sqlite::open(file, SQLITE_OPEN_READONLY);
    if (std::string why = problem_of_tables(database.get()); !why.empty()) return refused(std::move(why));
    sqlite::execute(database.get(), "BEGIN");
    if (std::string why = problem_of_rows(database.get()); !why.empty()) return refused(std::move(why));
    if (std::string why = read(database.get()); !why.empty()) return refused(std::move(why));
    return std::nullopt;
  } catch (const sqlite::Error& failure) {
    return refused(std::string("cannot be read: ") + failure.what());
  }
}

}  // namespace gauntlet
