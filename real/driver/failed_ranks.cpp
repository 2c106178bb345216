#include "real/driver/failed_ranks.hpp"

#include "real/system/shown.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <string_view>
#include <system_error>

namespace gauntlet {
namespace {

constexpr std::size_t kMostInText = 20;

std::vector<std::string_view> fields_of(std::string_view line) {
  std::vector<std::string_view> out;
  for (std::size_t end = 0; (end = line.find('\t')) != std::string_view::npos; line.remove_prefix(end + 1))
    out.push_back(line.substr(0, end));
  out.push_back(line);
  return out;
}

template <class Number>
bool read_number(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

bool parse(std::string_view line, FailedRank& rank) {
  constexpr std::size_t kNumbers = 5;
  const std::vector<std::string_view> fields = fields_of(line);
  std::int64_t at = 0;
  if (fields.size() <= kNumbers || !read_number(fields[0], rank.run) || !read_number(fields[1], rank.rank) ||
      !read_number(fields[2], rank.host) || !read_number(fields[3], rank.code) || !read_number(fields[4], at))
    return false;
  rank.at = Time(Duration(at));
  rank.place = fields[kNumbers];
  rank.last_lines.assign(fields.begin() + kNumbers + 1, fields.end());
  return true;
}

/// "12.3 s"
std::string seconds_text(Time at) {
  const std::int64_t tenths = at.time_since_epoch() / std::chrono::milliseconds(100);
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " s";
}

std::string end_text(std::int32_t code) {
  constexpr std::int32_t kSignals = 128;
  return code > kSignals ? "ended by signal " + std::to_string(code - kSignals)
                         : "exit code " + std::to_string(code);
}

}  // namespace

FailedRanks::FailedRanks(const std::string& path, Files& files) : file_(path, files) {
  for (const std::string& line : file_.found()) {
    FailedRank rank;
    if (parse(line, rank)) all_.push_back(rank);
  }
}

// Agents send what a terminal can print; a tab or a newline in it would end a field here.
void FailedRanks::add(const FailedRank& rank) {
  std::string line = std::to_string(rank.run) + '\t' + std::to_string(rank.rank) + '\t' +
                     std::to_string(rank.host) + '\t' + std::to_string(rank.code) + '\t' +
                     std::to_string(rank.at.time_since_epoch().count()) + '\t' + printable(rank.place);
  for (const std::string& each : rank.last_lines) line += '\t' + printable(each);
  file_.append(line);
  all_.push_back(rank);
}

std::string text_of(const std::vector<FailedRank>& ranks) {
  if (ranks.empty()) return "";
  std::string text = "Ranks that failed\n";
  const std::size_t first = ranks.size() > kMostInText ? ranks.size() - kMostInText : 0;
  if (first > 0)
    text += "  the last " + std::to_string(kMostInText) + " of " + std::to_string(ranks.size()) + "\n";
  for (std::size_t i = first; i < ranks.size(); ++i) {
    const FailedRank& rank = ranks[i];
    text += "  rank " + std::to_string(rank.rank) + " on host " + std::to_string(rank.host) + ", start " +
            std::to_string(rank.run) + ", at " + seconds_text(rank.at) + ": " + end_text(rank.code);
    if (!rank.place.empty()) text += ", " + rank.place;
    text += rank.last_lines.empty() ? "; it printed nothing\n" : "; it last printed\n";
    for (const std::string& line : rank.last_lines) text += "    " + line + "\n";
  }
  return text;
}

}  // namespace gauntlet
