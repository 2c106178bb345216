// SQLite, for the .cpp files of this room: statements that clean up after themselves, and errors that are thrown.
#pragma once

#include "study/store/rows.hpp"

#include <sqlite3.h>

#include <filesystem>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace gauntlet::sqlite {

/// What SQLite said, and what the system said to it: "disk I/O error (Permission denied)".
struct Error : std::runtime_error {
  Error(int error_code, const std::string& text, int errno_of_system = 0)
      : std::runtime_error(text), code(error_code), system(errno_of_system) {}
  int code;    // SQLITE_FULL and the like, without their extensions
  int system;  // the errno of the call that failed; 0 where it is not known
};

struct Close {
  void operator()(sqlite3* database) const { sqlite3_close_v2(database); }
};
struct Finalize {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Handle = std::unique_ptr<sqlite3, Close>;

/// Bind, step, read; `reset` before it is used again. Errors are thrown.
class Statement {
 public:
  Statement() = default;
  /// The first statement of `sql`, if it has one; `rest`: what stands after it.
  Statement(sqlite3* database, std::string_view sql, std::string_view* rest = nullptr);
  explicit operator bool() const { return statement_ != nullptr; }
  sqlite3_stmt* get() const { return statement_.get(); }

  /// Cells go to the parameters from `first` (counted from 1). Text must live until the step.
  Statement& bind(int first, std::span<const Cell> cells);
  /// Whether there is a row.
  bool step();
  void reset() { sqlite3_reset(statement_.get()); }
  /// For statements that give no rows: step and reset.
  void run();

  std::int64_t integer(int column) const { return sqlite3_column_int64(statement_.get(), column); }
  std::uint32_t count(int column) const { return static_cast<std::uint32_t>(integer(column)); }
  double real(int column) const { return sqlite3_column_double(statement_.get(), column); }
  std::string text(int column) const;
  /// Whatever is there, by its own type. Text lives until the next step.
  Cell cell(int column) const;
  /// Replaces `row` by `columns` cells from `first` on.
  void read(int first, std::size_t columns, Row& row) const;

 private:
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

/// A database with extended errors and a wait for others' locks. `flags` are those of sqlite3_open_v2.
Handle open(const std::filesystem::path& file, int flags);
/// Statements without rows, or whose rows nobody wants.
void execute(sqlite3* database, const std::string& sql);
[[noreturn]] void fail(sqlite3* database, int code);
/// Throws: what is stored contradicts itself.
[[noreturn]] inline void damaged(const std::string& what) { throw Error(SQLITE_CORRUPT, what); }

/// "name", so that no name is mistaken for syntax.
std::string sql_name(std::string_view name);
/// Without a primary key: a table with row ids.
std::string create_table(std::string_view table, std::span<const Column> columns,
                         std::string_view primary_key);
std::string insert_into(std::string_view table, std::size_t columns);

}  // namespace gauntlet::sqlite
