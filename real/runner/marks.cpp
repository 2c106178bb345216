#include "real/runner/marks.hpp"

#include "real/rank/gauntlet_rank.h"
#include "real/runner/rank_file.hpp"
#include "real/system/shown.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <utility>

namespace gauntlet {
namespace {

constexpr std::string_view kMagic = "GNTLMRK1";
static_assert(sizeof(gauntlet_rank_mark) == 64 && offsetof(gauntlet_rank_recorder, marks) == 64,
              "gauntlet_rank.py writes the same");

std::string text_of(const char (&name)[16]) {
  const std::string_view whole(name, sizeof name);
  return printable(whole.substr(0, whole.find('\0')));
}

std::string seconds_text(std::int64_t ns) {
  const std::int64_t tenths = std::max<std::int64_t>(0, ns) / 100'000'000;
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " s";
}

}  // namespace

std::vector<RankMark> parse_marks(std::string_view bytes) {
  std::vector<RankMark> marks;
  constexpr std::size_t kHeader = offsetof(gauntlet_rank_recorder, marks);
  if (bytes.size() < kHeader || !bytes.starts_with(kMagic)) return marks;
  bytes.remove_prefix(kHeader);
  for (std::size_t i = 0; i < GAUNTLET_RANK_MARKS && bytes.size() >= sizeof(gauntlet_rank_mark); ++i) {
    gauntlet_rank_mark mark;
    std::memcpy(&mark, bytes.data(), sizeof mark);
    bytes.remove_prefix(sizeof mark);
    const bool whole = mark.number > 0 && (mark.number - 1) % GAUNTLET_RANK_MARKS == i &&
                       mark.what >= GAUNTLET_RANK_STEP_BEGAN && mark.what <= GAUNTLET_RANK_LEFT;
    if (!whole) continue;
    marks.push_back({.number = mark.number,
                     .at_ns = mark.at_ns,
                     .what = static_cast<RankMark::What>(mark.what),
                     .value = mark.value,
                     .name = text_of(mark.name),
                     .group = text_of(mark.group)});
  }
  std::sort(marks.begin(), marks.end(),
            [](const RankMark& a, const RankMark& b) { return a.number < b.number; });
  return marks;
}

bool names_collective(const std::vector<RankMark>& marks) {
  return std::any_of(marks.begin(), marks.end(), [](const RankMark& each) {
    return each.what == RankMark::What::entered || each.what == RankMark::What::left;
  });
}

std::optional<RankMark> first_unfinished(const std::vector<RankMark>& marks) {
  std::optional<RankMark> last;
  for (auto mark = marks.begin(); mark != marks.end(); ++mark) {
    if (mark->what == RankMark::What::left) last = *mark;
    if (mark->what != RankMark::What::entered) continue;
    const bool left = std::any_of(mark, marks.end(), [&](const RankMark& later) {
      return later.what == RankMark::What::left && later.group == mark->group && later.name == mark->name &&
             later.value == mark->value;
    });
    if (!left) return *mark;
  }
  return last;
}

std::string place_of_rank(const std::vector<RankMark>& marks, std::int64_t now_ns) {
  const auto last = [&](auto... kinds) {
    return std::find_if(marks.rbegin(), marks.rend(),
                        [&](const RankMark& each) { return ((each.what == kinds) || ...); });
  };
  const auto collective = last(RankMark::What::entered, RankMark::What::left);
  const auto step = last(RankMark::What::step_began, RankMark::What::step_ended);
  const auto name = [](const RankMark& mark) {
    return "collective " + std::to_string(mark.value) + " (" + mark.name + " of " + mark.group + ")";
  };
  if (collective != marks.rend() && collective->what == RankMark::What::entered)
    return "inside " + name(*collective) + ", which it entered " + seconds_text(now_ns - collective->at_ns) +
           " before";
  const std::string after = collective == marks.rend() ? "" : ", after " + name(*collective);
  if (step == marks.rend()) return after.empty() ? "" : after.substr(2);
  return (step->what == RankMark::What::step_began ? "inside step " : "after step ") +
         std::to_string(step->value) + after;
}

std::optional<Dimension> waits_in(const std::vector<RankMark>& marks) {
  const auto collective = std::find_if(marks.rbegin(), marks.rend(), [](const RankMark& each) {
    return each.what == RankMark::What::entered || each.what == RankMark::What::left;
  });
  if (collective == marks.rend() || collective->what == RankMark::What::left) return std::nullopt;
  constexpr std::array<std::pair<std::string_view, Dimension>, 4> kGroups = {{{"tp", Dimension::tensor},
                                                                              {"cp", Dimension::context},
                                                                              {"ep", Dimension::expert},
                                                                              {"pp", Dimension::pipeline}}};
  const auto named = std::find_if(kGroups.begin(), kGroups.end(),
                                  [&](const auto& group) { return group.first == collective->group; });
  return named == kGroups.end() ? Dimension::data : named->second;
}

std::vector<RankMark> read_marks(const std::string& path) {
  return parse_marks(read_rank_file(path, sizeof(gauntlet_rank_recorder)).value_or(""));
}

std::optional<std::uint64_t> read_sent(const KeptFile& recorder) {
  std::array<char, offsetof(gauntlet_rank_recorder, pid)> room;
  const std::string_view header = recorder.read(room);
  if (header.size() < room.size() || !header.starts_with(kMagic)) return std::nullopt;
  std::uint64_t sent = 0;
  std::memcpy(&sent, header.data() + offsetof(gauntlet_rank_recorder, sent), sizeof sent);
  return sent;
}

}  // namespace gauntlet
