// Accidents that happen to files, each repeated by its number, and the content of a store as a text to compare.
#pragma once

#include "tests/study/store/random_figures.hpp"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>

namespace gauntlet::damage {

inline std::string bytes_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
inline void put(const std::filesystem::path& file, const std::string& bytes) {
  std::filesystem::remove_all(file);
  std::ofstream(file, std::ios::binary) << bytes;
}

/// What became of some bytes, and in words what was done to them.
struct Damaged {
  std::string bytes;
  std::string what;
};

/// One of: a bit flipped, a byte or a run of bytes replaced, a piece zeroed, cut out or moved, the end cut or lengthened.
/// Never the same bytes.
inline Damaged damaged(const std::string& sound, std::uint64_t number) {
  TestNumbers numbers(number * 0x9e3779b97f4a7c15U + 1);
  const auto below = [&](std::size_t end) { return static_cast<std::size_t>(numbers.below(end)); };
  for (;;) {
    Damaged out{.bytes = sound, .what = {}};
    const std::size_t at = below(sound.size()), left = sound.size() - at;
    const std::size_t length = 1 + below(std::min<std::size_t>(left, std::size_t{1} << (3 + below(10))));
    switch (below(10)) {
      case 0:
        out.bytes.resize(at);
        out.what = "cut";
        break;
      case 1:
        out.bytes.erase(at, length);
        out.what = "piece cut out";
        break;
      case 2:
        out.bytes.replace(at, length, length, '\0');
        out.what = "piece zeroed";
        break;
      case 3:
        out.bytes.replace(at, length, sound, below(sound.size() - length + 1), length);
        out.what = "piece moved";
        break;
      case 4:
        out.bytes += sound.substr(at, length);
        out.what = "lengthened";
        break;
      case 5:
        out.bytes[at] = static_cast<char>(below(256));
        out.what = "byte replaced";
        break;
      default:
        out.bytes[at] = static_cast<char>(out.bytes[at] ^ (1 << below(8)));
        out.what = "bit flipped";
    }
    if (out.bytes == sound) continue;
    out.what = "damage " + std::to_string(number) + ": " + out.what + " at " + std::to_string(at) +
               ", length " + std::to_string(length);
    return out;
  }
}

/// A connection for tests.
class Database {
 public:
  explicit Database(const std::filesystem::path& file) {
    sqlite3* opened = nullptr;
    sqlite3_open_v2(file.c_str(), &opened, SQLITE_OPEN_READWRITE, nullptr);
    database_.reset(opened);
    execute("PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY");  // as far as a damaged one lets it
  }
  /// Every cell of every row as SQLite quotes it; nothing where an error came up.
  std::optional<std::string> rows(const std::string& sql) const {
    sqlite3_stmt* prepared = nullptr;
    if (sqlite3_prepare_v2(database_.get(), sql.c_str(), -1, &prepared, nullptr) != SQLITE_OK)
      return std::nullopt;
    const std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> statement(prepared, sqlite3_finalize);
    std::string out;
    int code = SQLITE_OK;
    while ((code = sqlite3_step(prepared)) == SQLITE_ROW) {
      for (int i = 0; i < sqlite3_column_count(prepared); ++i) {
        out += std::to_string(sqlite3_column_type(prepared, i)) + ":";
        const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(prepared, i));
        out.append(text ? text : "", static_cast<std::size_t>(sqlite3_column_bytes(prepared, i)));
        out += '|';
      }
      out += '\n';
    }
    return code == SQLITE_DONE ? std::optional(out) : std::nullopt;
  }
  bool execute(const std::string& sql) {
    return sqlite3_exec(database_.get(), sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK;
  }

 private:
  struct Close {
    void operator()(sqlite3* database) const { sqlite3_close(database); }
  };
  std::unique_ptr<sqlite3, Close> database_;
};

/// All that a store says, with the types of its cells and the names of its columns.
inline std::optional<std::string> content_of(const std::filesystem::path& file) {
  const Database database(file);
  std::string all;
  for (const char* sql :
       {"SELECT type, name, sql FROM sqlite_master ORDER BY name", "SELECT * FROM study",
        "SELECT * FROM point ORDER BY point", "SELECT * FROM replica ORDER BY point, replica",
        "SELECT * FROM incident ORDER BY point, replica, incident",
        "SELECT * FROM metric ORDER BY point, name"}) {
    const auto rows = database.rows(sql);
    if (!rows) return std::nullopt;
    all += *rows + "---\n";
  }
  return all;
}

}  // namespace gauntlet::damage
