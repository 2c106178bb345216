// Comma-separated values, as RFC 4180 has them but with bare newlines: a line of names, then one line a row.
#pragma once

#include "core/files/open_file.hpp"
#include "study/store/rows.hpp"

#include <filesystem>
#include <fstream>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gauntlet {

/// Appends the fields of a row, a comma after each: the last one becomes the newline.
void append_csv(std::string& line, std::span<const Cell> cells);

/// Writes rows as they come. What goes wrong first (a full disk) is what `close` says; nothing is written after it.
class CsvWriter {
 public:
  CsvWriter(const std::filesystem::path& file, const std::vector<Column>& columns,
            Files& files = system_files());
  ~CsvWriter() { close(); }
  CsvWriter(const CsvWriter&) = delete;
  CsvWriter& operator=(const CsvWriter&) = delete;
  /// `before`: the first cells of the line, if the row does not have them.
  void add(const Row& row, std::span<const Cell> before = {});
  /// Writes what is left and closes: 0, or the errno of what failed first.
  int close();

 private:
  void flush();

  std::size_t columns_;
  std::string buffer_;
  OpenFile out_;
  int error_;
};

/// Reads line by line, so that memory does not grow with the file.
class CsvReader {
 public:
  explicit CsvReader(const std::filesystem::path& file) : in_(file, std::ios::binary) {}
  bool opened() const { return in_.is_open(); }
  /// The fields of the next line; nothing at the end. Lines are counted from 1.
  std::optional<std::vector<std::string>> next();
  std::uint32_t line() const { return line_; }
  /// Whether the file ended where a line ends: a file that was cut does not.
  bool whole() const { return whole_; }

 private:
  std::ifstream in_;
  std::uint32_t line_ = 0;
  bool whole_ = true;
};

/// The text of a field, in quotes where it needs them.
std::string csv_field(std::string_view text);
/// The fields of one line (without its newline).
std::vector<std::string> csv_fields(std::string_view line);

}  // namespace gauntlet
