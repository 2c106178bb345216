#include "real/runner/flight_recorder.hpp"

#include "real/runner/pickle.hpp"
#include "real/runner/rank_file.hpp"
#include "real/system/clock.hpp"
#include "real/system/shown.hpp"

#include <algorithm>
#include <chrono>

namespace gauntlet {
namespace {

// 2,000 collectives, PyTorch's default, take about 1 MiB, with the stack of each.
constexpr std::size_t kMostBytes = std::size_t{16} << 20;
constexpr std::size_t kMostEntries = 100'000;
constexpr std::size_t kMostKeys = 64;  // of an entry, which has 22 (version 2.10)
constexpr std::size_t kLongestCollectiveName = 64;
constexpr std::string_view kMajorVersion = "2.";
constexpr std::string_view kUndefined = "undefined";  // the description of a group that was given none

std::string name_of(std::string_view text) { return printable(text, kLongestCollectiveName); }

/// The description of a process group, or else its name: (name, description).
std::string group_of(const PickledData& dump, PickledData::Node entry) {
  const auto* both = dump.find_as<PickledData::Items>(entry, "process_group");
  std::string_view name;
  for (std::size_t i = 0; both != nullptr && i < both->size() && i < 2; ++i) {
    const auto* text = std::get_if<std::string_view>(&dump.at((*both)[i]));
    if (text != nullptr && !text->empty() && *text != kUndefined) name = *text;
  }
  return name_of(name);
}

/// Whether the entry has all that a mark needs.
bool read_entry(const PickledData& dump, PickledData::Node entry, std::int64_t ahead_ns, RankMark& mark) {
  const auto* keys = std::get_if<PickledData::Entries>(&dump.at(entry));
  if (keys == nullptr || keys->size() > kMostKeys) return false;
  const auto* p2p = dump.find_as<bool>(entry, "is_p2p");
  const auto* sequence =
      dump.find_as<std::int64_t>(entry, p2p != nullptr && *p2p ? "p2p_seq_id" : "collective_seq_id");
  const auto* kind = dump.find_as<std::string_view>(entry, "profiling_name");
  const auto* state = dump.find_as<std::string_view>(entry, "state");
  const auto* created_ns = dump.find_as<std::int64_t>(entry, "time_created_ns");
  if (sequence == nullptr || kind == nullptr || state == nullptr || created_ns == nullptr || *created_ns < 0)
    return false;
  mark.at_ns = *created_ns - ahead_ns;
  mark.what = *state == "completed" ? RankMark::What::left : RankMark::What::entered;
  mark.value = *sequence;
  mark.name = name_of(kind->substr(kind->find(':') + 1));  // "nccl:all_reduce"
  mark.group = group_of(dump, entry);
  return true;
}

}  // namespace

FlightRecord parse_flight_record(std::string_view bytes, std::int64_t ahead_ns) {
  const ReadPickle read = read_pickle(bytes);
  if (!read.why.empty()) return {.why = read.why};
  const PickledData& dump = read.data;
  const auto* version = dump.find_as<std::string_view>(dump.root(), "version");
  if (version == nullptr) return {.why = "it has no version"};
  if (!version->starts_with(kMajorVersion))
    return {.why = "its version is " + name_of(*version) + ", and only version 2 is known"};
  FlightRecord record;
  const auto* entries = dump.find_as<PickledData::Items>(dump.root(), "entries");
  if (entries == nullptr) return record;
  if (entries->size() > kMostEntries)
    return {.why = "it holds more than " + std::to_string(kMostEntries) + " collectives"};
  for (std::size_t i = 0; i < entries->size(); ++i) {
    RankMark mark{.number = i + 1};
    if (!read_entry(dump, (*entries)[i], ahead_ns, mark))
      return {.why = "its entry " + std::to_string(i + 1) + " is not a collective"};
    record.last = mark;
    if (mark.what == RankMark::What::entered) break;
  }
  return record;
}

FlightRecord read_flight_record(const std::string& path) {
  const std::optional<std::string> bytes = read_rank_file(path, kMostBytes);
  if (!bytes) return {};
  const std::int64_t day_ns =
      std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count();
  return parse_flight_record(*bytes, day_ns - monotonic_ns());
}

}  // namespace gauntlet
