// SQLite: statements that clean up after themselves, and errors that are thrown.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace gauntlet::sqlite {

/// What SQLite said, and what the system said to it: "disk I/O error (Permission denied)".
struct Error : std::runtime_error {
  Error(int error_code, const std::string& text, int errno_of_system = 0)
      : std::runtime_error(text), code(error_code), system(errno_of_system) {}
  int code;    // SQLITE_FULL and the like, without their extensions
  int system;  // the errno of the call that failed; 0 where it is not known
};

struct Close {
  void operator()(sqlite3* database) const;
};
struct Finalize {
  void operator()(sqlite3_stmt* statement) const;
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

  /// Parameters count from 1. Text must live until the step.
  void bind(int parameter, std::int64_t value);
  void bind(int parameter, double value);
  void bind(int parameter, std::string_view text);
  void bind_null(int parameter);
  void bind_copy(int parameter, std::string_view text);
  /// Whether there is a row.
  bool step();
  void reset();
  /// For statements that give no rows: step and reset.
  void run();

  std::int64_t integer(int column) const;
  std::uint32_t count(int column) const { return static_cast<std::uint32_t>(integer(column)); }
  double real(int column) const;
  std::string text(int column) const;

 private:
  void expect_bound(int code) const;

  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

/// A database with extended errors and a wait for others' locks. `flags` are those of sqlite3_open_v2.
Handle open(const std::filesystem::path& file, int flags);
/// Statements without rows, or whose rows nobody wants.
void execute(sqlite3* database, const std::string& sql);
[[noreturn]] void fail(sqlite3* database, int code);

}  // namespace gauntlet::sqlite
