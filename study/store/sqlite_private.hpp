// What a store adds to SQLite, for the .cpp files of this room: statements of rows, and the text of statements.
#pragma once

#include "core/sqlite/sqlite.hpp"
#include "study/store/rows.hpp"

#include <sqlite3.h>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace gauntlet {

/// A statement whose parameters and results are the cells of rows.
class RowStatement : public sqlite::Statement {
 public:
  using sqlite::Statement::Statement;
  /// Cells go to the parameters from `first` (counted from 1). Text must live until the step.
  RowStatement& bind(int first, std::span<const Cell> cells);
  /// Whatever is there, by its own type. Text lives until the next step.
  Cell cell(int column) const;
  /// Replaces `row` by `columns` cells from `first` on.
  void read(int first, std::size_t columns, Row& row) const;
};

}  // namespace gauntlet

namespace gauntlet::sqlite {

/// Throws: what is stored contradicts itself.
[[noreturn]] inline void damaged(const std::string& what) { throw Error(SQLITE_CORRUPT, what); }

/// "name", so that no name is mistaken for syntax.
std::string sql_name(std::string_view name);
/// Without a primary key: a table with row ids.
std::string create_table(std::string_view table, std::span<const Column> columns,
                         std::string_view primary_key);
std::string insert_into(std::string_view table, std::size_t columns);

}  // namespace gauntlet::sqlite
