// Questions to a store in SQL.
#pragma once

#include "core/problem.hpp"
#include "study/store/rows.hpp"

#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gauntlet {

/// Takes an answer as it comes. Text in rows lives until the next.
struct Answer {
  std::function<void(const std::vector<std::string>& names)> columns;
  std::function<bool(const Row& row)> row;  // false: no more is wanted
};

/// Puts one statement to a database that is opened to read, also while a study writes it. What is wrong with it, or with the
/// database; by then some rows may have been answered.
std::optional<Problem> ask(const std::filesystem::path& database, const std::string& sql,
                           const Answer& answer);

/// A cell for people, on one line; "-" where there is nothing. Reals have 6 digits.
std::string cell_text(const Cell& cell);
/// {"name": value, ...}; what is not there is null.
std::string json_object(std::span<const std::string> names, const Row& row);

}  // namespace gauntlet
