#include "commands/new/toml_lines.hpp"

#include <algorithm>
#include <utility>

namespace gauntlet {
namespace {

constexpr std::size_t kWidth = 120;
constexpr std::size_t kFarthest =
    40;  // the comments of longer assignments stand behind them, wherever these end

/// Words over as many comment lines as they need.
std::string comment_lines(std::string_view words) {
  std::string out;
  while (!words.empty()) {
    std::size_t end = words.size() + 2 <= kWidth ? words.size() : words.rfind(' ', kWidth - 2);
    if (end == std::string_view::npos) end = std::min(words.find(' '), words.size());
    out += "# " + std::string(words.substr(0, end)) + '\n';
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return out;
}

}  // namespace

void TomlLines::remark(std::string_view words) {
  flush();
  text_ += comment_lines(words);
}

void TomlLines::command(const std::vector<std::string>& parts) {
  flush();
  std::string line = "#  ";
  text_ += "#\n";
  for (const std::string& part : parts) {
    if (line.size() + part.size() + 3 > kWidth) {
      text_ += line + " \\\n";
      line = "#     ";
    }
    line += ' ' + part;
  }
  text_ += line + "\n#\n";
}

void TomlLines::gap() {
  flush();
  text_ += '\n';
}

void TomlLines::table(std::string_view name) {
  gap();
  text_ += '[' + std::string(name) + "]\n";
}

void TomlLines::line(std::string_view key, std::string_view value, std::string_view comment) {
  open_.push_back({std::string(key) + " = " + std::string(value), std::string(comment)});
}

void TomlLines::flush() {
  std::size_t column = 0;
  for (const Line& each : open_)
    if (each.assignment.size() <= kFarthest) column = std::max(column, each.assignment.size());
  for (Line& each : open_) {
    const std::size_t from = std::max(column, each.assignment.size());
    if (each.comment.empty()) {
      text_ += each.assignment + '\n';
    } else if (from + 4 + each.comment.size() <= kWidth) {
      text_ +=
          each.assignment + std::string(from - each.assignment.size(), ' ') + "  # " + each.comment + '\n';
    } else {
      text_ += comment_lines(each.comment) + each.assignment + '\n';
    }
  }
  open_.clear();
}

std::string TomlLines::text() && {
  flush();
  return std::move(text_);
}

}  // namespace gauntlet
