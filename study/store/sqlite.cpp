#include "study/store/sqlite_private.hpp"
#include "study/summary/fingerprint_text.hpp"

#include <fmt/format.h>

#include <variant>

namespace gauntlet {
namespace {

inline Cell cell_of(sqlite3_stmt* statement, int column) {
  sqlite3_value* value = sqlite3_column_value(statement, column);
  switch (sqlite3_value_type(value)) {
    case SQLITE_INTEGER:
      return std::int64_t{sqlite3_value_int64(value)};
    case SQLITE_FLOAT:
      return sqlite3_value_double(value);
    case SQLITE_NULL:
      return {};
    default:
      const auto* text = reinterpret_cast<const char*>(sqlite3_value_text(value));
      return std::string_view(text ? text : "", static_cast<std::size_t>(sqlite3_value_bytes(value)));
  }
}

}  // namespace

RowStatement& RowStatement::bind(int first, std::span<const Cell> cells) {
  struct Bind {
    Statement& statement;
    int parameter;
    void operator()(std::monostate) const { statement.bind_null(parameter); }
    void operator()(std::int64_t value) const { statement.bind(parameter, value); }
    void operator()(double value) const { statement.bind(parameter, value); }
    void operator()(std::string_view text) const { statement.bind(parameter, text); }
    void operator()(Hex print) const {
      const auto digits = fingerprint_digits(print.value);
      statement.bind_copy(parameter, {digits.data(), digits.size()});
    }
    void operator()(const Latencies* latencies) const { statement.bind_copy(parameter, latencies->text()); }
  };
  for (const Cell& cell : cells) std::visit(Bind{*this, first++}, cell);
  return *this;
}

Cell RowStatement::cell(int column) const { return cell_of(get(), column); }

void RowStatement::read(int first, std::size_t columns, Row& row) const {
  row.resize(columns);
  sqlite3_stmt* const statement = get();
  for (std::size_t i = 0; i < columns; ++i) row[i] = cell_of(statement, first + static_cast<int>(i));
}

}  // namespace gauntlet

namespace gauntlet::sqlite {

std::string sql_name(std::string_view name) {
  std::string out = "\"";
  for (const char c : name) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

std::string create_table(std::string_view table, std::span<const Column> columns,
                         std::string_view primary_key) {
  std::string sql = fmt::format("CREATE TABLE {} (", table);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (i > 0) sql += ", ";
    sql += sql_name(columns[i].name);
    sql += ' ';
    sql += columns[i].type;
  }
  if (primary_key.empty()) return sql + ");";
  return sql + fmt::format(", PRIMARY KEY ({})) WITHOUT ROWID;", primary_key);
}

std::string insert_into(std::string_view table, std::size_t columns) {
  std::string sql = fmt::format("INSERT INTO {} VALUES (", table);
  for (std::size_t i = 0; i < columns; ++i) sql += i == 0 ? "?" : ", ?";
  return sql + ")";
}

}  // namespace gauntlet::sqlite
