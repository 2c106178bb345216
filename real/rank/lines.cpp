#include "real/rank/lines.hpp"

#include "core/contract.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace gauntlet {
namespace {

using Kind = RankLine::Kind;

constexpr std::array<std::pair<std::string_view, Kind>, 12> kKinds{{{"up", Kind::up},
                                                                    {"step", Kind::step},
                                                                    {"stall", Kind::stall},
                                                                    {"saved", Kind::saved},
                                                                    {"log", Kind::log},
                                                                    {"finished", Kind::finished},
                                                                    {"loss", Kind::loss},
                                                                    {"mfu", Kind::mfu},
                                                                    {"dropped", Kind::dropped},
                                                                    {"segment", Kind::segment},
                                                                    {"phase", Kind::phase},
                                                                    {"held", Kind::held}}};
constexpr std::size_t kHashDigits = 16;

std::string_view name_of(Kind kind) {
  const auto found =
      std::find_if(kKinds.begin(), kKinds.end(), [&](const auto& k) { return k.second == kind; });
  expect(found != kKinds.end(), "every kind of line has a name");
  return found->first;
}

std::string hexadecimal(std::uint64_t number) {
  std::string out(kHashDigits, '0');
  for (std::size_t i = kHashDigits; number != 0; number >>= 4) out[--i] = "0123456789abcdef"[number & 15];
  return out;
}

/// Cuts the text up to the next space, and that space, off the front.
std::string_view take_word(std::string_view& rest) {
  const std::size_t end = std::min(rest.find(' '), rest.size());
  const std::string_view word = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return word;
}

template <class Number>
bool read_number(std::string_view word, Number& number, int base = 10) {
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number, base);
  return error == std::errc() && end == word.data() + word.size() && number >= 0;
}

bool read_hash(std::string_view word, std::uint64_t& hash) {
  return word.size() == kHashDigits && word.find_first_of("ABCDEF") == word.npos &&
         read_number(word, hash, 16);
}

/// Also "nan" and "inf": a loss may be either.
bool read_value(std::string_view word, double& value) {
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  return error == std::errc() && end == word.data() + word.size();
}

std::string value_text(double value) {
  std::array<char, 32> text{};
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), value);
  return {text.data(), end};
}

/// What follows the kind. `rest` must be used up, or this was no such line.
bool read_fields(std::string_view rest, RankLine& line) {
  if (line.kind == Kind::log) {
    line.pattern = take_word(rest);
    line.text = rest;
    return !line.pattern.empty();
  }
  if (line.kind == Kind::phase) {
    line.pattern = take_word(rest);
    return !line.pattern.empty() && rest.empty();
  }
  // A space at the very end would vanish with the last word.
  if (rest.ends_with(' ') || !read_number(take_word(rest), line.step)) return false;
  if (line.kind == Kind::segment) {
    line.pattern = take_word(rest);
    if (line.pattern.empty() || !read_number(take_word(rest), line.took_ns)) return false;
  } else if (line.kind == Kind::step || line.kind == Kind::stall) {
    if (!read_number(take_word(rest), line.took_ns)) return false;
  } else if (line.kind == Kind::loss || line.kind == Kind::mfu) {
    if (!read_value(take_word(rest), line.value)) return false;
  } else if (line.kind == Kind::finished) {
    if (!read_hash(take_word(rest), line.hash)) return false;
  }
  return rest.empty();
}

}  // namespace

std::string to_line(const RankLine& line) {
  std::string out = std::to_string(line.at_ns) + " " + std::string(name_of(line.kind));
  if (line.kind == Kind::log) {
    expect(!line.pattern.empty() && line.pattern.find_first_of(" \n") == std::string::npos,
           "patterns are words");
    out += " " + line.pattern;
    if (!line.text.empty()) out += " " + line.text;
    std::replace(out.begin(), out.end(), '\n', ' ');
    return out;
  }
  if (line.kind == Kind::phase) {
    expect(!line.pattern.empty() && line.pattern.find_first_of(" \n") == std::string::npos,
           "names of phases are words");
    return out + " " + line.pattern;
  }
  out += " " + std::to_string(line.step);
  if (line.kind == Kind::segment) {
    expect(!line.pattern.empty() && line.pattern.find_first_of(" \n") == std::string::npos,
           "names of segments are words");
    out += " " + line.pattern + " " + std::to_string(line.took_ns);
  }
  if (line.kind == Kind::step || line.kind == Kind::stall) out += " " + std::to_string(line.took_ns);
  if (line.kind == Kind::loss || line.kind == Kind::mfu) out += " " + value_text(line.value);
  if (line.kind == Kind::finished) out += " " + hexadecimal(line.hash);
  return out;
}

std::optional<RankLine> parse_rank_line(std::string_view text) {
  RankLine line;
  if (!read_number(take_word(text), line.at_ns)) return std::nullopt;
  const std::string_view name = take_word(text);
  const auto found =
      std::find_if(kKinds.begin(), kKinds.end(), [&](const auto& kind) { return kind.first == name; });
  if (found == kKinds.end()) return std::nullopt;
  line.kind = found->second;
  if (!read_fields(text, line)) return std::nullopt;
  return line;
}

bool is_checkpoint_warning(const RankLine& line) {
  return line.kind == Kind::log && (line.pattern == kCheckpointDamaged || line.pattern == kCheckpointFailed ||
                                    line.pattern == kCheckpointNotRemoved);
}

}  // namespace gauntlet
