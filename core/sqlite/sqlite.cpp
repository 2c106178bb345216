#include "core/sqlite/sqlite.hpp"

#include "core/system_advice.hpp"

#include <sqlite3.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <system_error>

namespace gauntlet::sqlite {
namespace {

// How long another program may hold the database: it does for a moment where it opens or closes it.
constexpr int kPatienceMs = 10'000;

/// Nobody asks how much memory SQLite has. It counts that all the same, with a lock at each allocation, unless it is told before its first use.
/// Where another part of the process has used it before (Python's sqlite3), it keeps counting.
void leave_memory_uncounted() {
  [[maybe_unused]] static const int code = sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

/// Whether one of the database's files has no room for a page below the limit on the size of files. SQLite writes a page in
/// several calls and tidies up after the one that fails, and by then the errno is another call's.
bool at_size_limit(sqlite3* database) {
  constexpr std::uintmax_t kMostOfAPage = 65536 + 24;  // with the header of a frame of the write-ahead log
  rlimit limit{};
  const char* main = sqlite3_db_filename(database, "main");
  if (!main || *main == '\0' || getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return false;
  return std::ranges::any_of(std::array{"", "-wal", "-journal", "-shm"}, [&](const char* suffix) {
    std::error_code absent;
    const std::uintmax_t size = std::filesystem::file_size(std::string(main) + suffix, absent);
    return limit.rlim_cur < kMostOfAPage + (absent ? 0 : size);
  });
}

/// The errno behind what SQLite says; 0 where it is not known.
int errno_of(sqlite3* database, int code) {
  if (code == SQLITE_FULL) return ENOSPC;
  if (!database || (code != SQLITE_IOERR && code != SQLITE_CANTOPEN)) return 0;
  if (code == SQLITE_IOERR && at_size_limit(database)) return EFBIG;
  // EAGAIN is a lock's that another program held for a moment, met on the way out: it is never what failed.
  const int system = sqlite3_system_errno(database);
  return system == EAGAIN ? 0 : system;
}

}  // namespace

void Close::operator()(sqlite3* database) const { sqlite3_close_v2(database); }

void Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

void fail(sqlite3* database, int code) {
  std::string text = database ? sqlite3_errmsg(database) : sqlite3_errstr(code);
  const int system = errno_of(database, code & 0xff);
  if (system == EFBIG)
    text = system_message(system);  // which is all there is to say
  else if (system != 0)
    text += " (" + system_message(system) + ")";
  throw Error(code & 0xff, text, system);
}

Statement::Statement(sqlite3* database, std::string_view sql, std::string_view* rest) {
  sqlite3_stmt* prepared = nullptr;
  const char* end = nullptr;
  const int code = sqlite3_prepare_v3(database, sql.data(), static_cast<int>(sql.size()), 0, &prepared, &end);
  statement_.reset(prepared);
  if (code != SQLITE_OK) fail(database, code);
  if (rest) *rest = sql.substr(static_cast<std::size_t>(end - sql.data()));
}

void Statement::expect_bound(int code) const {
  if (code != SQLITE_OK) fail(sqlite3_db_handle(get()), code);
}

void Statement::bind(int parameter, std::int64_t value) {
  expect_bound(sqlite3_bind_int64(get(), parameter, value));
}

void Statement::bind(int parameter, double value) {
  expect_bound(sqlite3_bind_double(get(), parameter, value));
}

void Statement::bind(int parameter, std::string_view text) {
  expect_bound(
      sqlite3_bind_text(get(), parameter, text.data(), static_cast<int>(text.size()), SQLITE_STATIC));
}

void Statement::bind_null(int parameter) { expect_bound(sqlite3_bind_null(get(), parameter)); }

void Statement::bind_copy(int parameter, std::string_view text) {
  expect_bound(
      sqlite3_bind_text(get(), parameter, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT));
}

bool Statement::step() {
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  try {
    fail(sqlite3_db_handle(statement_.get()), code);
  } catch (const Error&) {
    reset();
    throw;
  }
}

void Statement::run() {
  step();
  reset();
}

void Statement::reset() { sqlite3_reset(get()); }

std::int64_t Statement::integer(int column) const { return sqlite3_column_int64(get(), column); }

double Statement::real(int column) const { return sqlite3_column_double(get(), column); }

std::string Statement::text(int column) const {
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(get(), column));
  return text ? std::string(text, static_cast<std::size_t>(sqlite3_column_bytes(get(), column))) : "";
}

Handle open(const std::filesystem::path& file, int flags) {
  leave_memory_uncounted();
  sqlite3* opened = nullptr;
  const int code = sqlite3_open_v2(file.c_str(), &opened, flags | SQLITE_OPEN_NOMUTEX, nullptr);
  Handle database(opened);
  if (code != SQLITE_OK) fail(opened, code);
  sqlite3_extended_result_codes(opened, 1);
  sqlite3_busy_timeout(opened, kPatienceMs);
  return database;
}

void execute(sqlite3* database, const std::string& sql) {
  if (const int code = sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr); code != SQLITE_OK)
    fail(database, code);
}

}  // namespace gauntlet::sqlite
