// Comma-separated values of a file, plain or compressed, line by line.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gauntlet {

/// Fields as RFC 4180 has them, parsed strictly by libcsv; but a line is a row: a field holds no line break, so that a quote
/// that was not closed costs its own line and no other. Spaces around a field and empty lines are skipped, and so is a byte
/// order mark. Files that begin as .gz or .xz do are decompressed by Boost.Iostreams, whatever their name.
///
/// Never throws for what a file holds; what goes wrong for good is in `failure`.
class CsvFile {
 public:
  explicit CsvFile(const std::filesystem::path& file);
  ~CsvFile();

  struct Row {
    std::uint32_t line = 0;                          // from 1
    std::optional<std::vector<std::string>> fields;  // none where quotes stand where they must not
  };
  /// The next line that is not empty; nothing at the end, or when the file cannot be read on.
  std::optional<Row> next();
  /// Why the file could not be opened or read to its end; empty: it was.
  const std::string& failure() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace gauntlet
