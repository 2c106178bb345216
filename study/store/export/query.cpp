#include "study/store/export/query.hpp"

#include "study/store/sqlite_private.hpp"
#include "study/summary/fingerprint_text.hpp"
#include "study/summary/json.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <initializer_list>
#include <string_view>
#include <variant>

namespace gauntlet {
namespace {

constexpr const char* kTables =
    "the tables are study, point, replica, incident and metric (docs/files-and-tables.md has their columns)";

Problem wrong(std::string why, std::string suggestion) {
  return {.file = "--sql", .why = std::move(why), .suggestion = std::move(suggestion)};
}

Json json_of(const Cell& cell) {
  struct Convert {
    Json operator()(std::monostate) const { return nullptr; }
    Json operator()(std::int64_t value) const { return value; }
    Json operator()(double value) const { return value; }
    Json operator()(std::string_view text) const { return std::string(text); }
    Json operator()(Hex print) const { return fingerprint_text(print.value); }
    Json operator()(const Latencies* latencies) const { return latencies->text(); }
  };
  return std::visit(Convert{}, cell);
}

std::string on_one_line(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '\n' ? std::string("\\n") : std::string(1, c);
  return out;
}

/// What SQLite is to let a statement do: read tables, call functions, and ask how tables are made. No other PRAGMA, no ATTACH
/// (which writes a file, and so does VACUUM INTO), nothing that loads code. https://www.sqlite.org/c3ref/set_authorizer.html
int only_reads(void*, int action, const char* object, const char* function, const char*, const char*) {
  const auto is_one_of = [](const char* name, std::initializer_list<std::string_view> names) {
    return name != nullptr && std::find(names.begin(), names.end(), std::string_view(name)) != names.end();
  };
  switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_RECURSIVE:
      return SQLITE_OK;
    case SQLITE_FUNCTION:
      return is_one_of(function, {"load_extension", "fts3_tokenizer"}) ? SQLITE_DENY : SQLITE_OK;
    case SQLITE_PRAGMA:
      return is_one_of(object, {"table_info", "table_xinfo", "table_list"}) ? SQLITE_OK : SQLITE_DENY;
    case SQLITE_UPDATE:  // declaring a table-valued function asks for it; the connection reads all the same
      return is_one_of(object, {"sqlite_master"}) ? SQLITE_OK : SQLITE_DENY;
    default:
      return SQLITE_DENY;
  }
}

Problem only_questions() {
  return wrong("does more than ask: it would write, or change what the database does",
               "write a SELECT, which reads; copy results.sqlite, and use sqlite3 on the copy, for all else");
}

std::optional<Problem> answer_all(sqlite3* database, const std::string& sql, const Answer& answer) {
  std::string_view rest;
  RowStatement statement(database, sql, &rest);
  if (!statement) return wrong("asks nothing", kTables);
  if (!sqlite3_stmt_readonly(statement.get())) return only_questions();
  if (rest.find_first_not_of(" \t\r\n;") != std::string_view::npos)
    return wrong("has more than one statement", "ask one after the other");
  const auto columns = static_cast<std::size_t>(sqlite3_column_count(statement.get()));
  std::vector<std::string> names;
  for (std::size_t i = 0; i < columns; ++i)
    names.push_back(sqlite3_column_name(statement.get(), static_cast<int>(i)));
  answer.columns(names);
  Row row;
  while (statement.step()) {
    statement.read(0, columns, row);
    if (!answer.row(row)) break;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Problem> ask(const std::filesystem::path& database, const std::string& sql,
                           const Answer& answer) {
  try {
    const sqlite::Handle handle = sqlite::open(database, SQLITE_OPEN_READONLY);
    sqlite3_set_authorizer(handle.get(), only_reads, nullptr);
    return answer_all(handle.get(), sql, answer);
  } catch (const sqlite::Error& error) {
    if (error.code == SQLITE_AUTH) return only_questions();
    return wrong(error.what(), kTables);
  }
}

std::string cell_text(const Cell& cell) {
  struct Convert {
    std::string operator()(std::monostate) const { return "-"; }
    std::string operator()(std::int64_t value) const { return std::to_string(value); }
    std::string operator()(double value) const { return fmt::format("{:.6g}", value); }
    std::string operator()(std::string_view text) const { return on_one_line(text); }
    std::string operator()(Hex print) const { return fingerprint_text(print.value); }
    std::string operator()(const Latencies* latencies) const { return latencies->text(); }
  };
  return std::visit(Convert{}, cell);
}

std::string json_object(std::span<const std::string> names, const Row& row) {
  Json object = Json::object();
  for (std::size_t i = 0; i < names.size(); ++i) object[names[i]] = json_of(row[i]);
  return object.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace gauntlet
