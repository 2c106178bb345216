// TOML lines with comments in one column per table.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gauntlet {

class TomlLines {
 public:
  /// A comment of whole lines, each at most 120 columns wide.
  void remark(std::string_view words);
  /// A command as a comment, cut between its parts where a shell lets it go on.
  void command(const std::vector<std::string>& parts);
  /// `[name]`, after an empty line.
  void table(std::string_view name);
  /// `key = value  # comment`; a comment that is too long for the line stands above it.
  void line(std::string_view key, std::string_view value, std::string_view comment);
  void gap();

  std::string text() &&;

 private:
  struct Line {
    std::string assignment, comment;
  };
  void flush();

  std::vector<Line> open_;  // of the table that is being written
  std::string text_;
};

}  // namespace gauntlet
