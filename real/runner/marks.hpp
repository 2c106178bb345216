// The recorder of a rank: the last marks that gauntlet_rank.h or gauntlet_rank.py wrote to a shared file, which survives them.
#pragma once

#include "core/layout.hpp"
#include "real/system/kept_file.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gauntlet {

struct RankMark {
  enum class What : std::uint8_t { step_began = 1, step_ended = 2, segment = 3, entered = 4, left = 5 };
  std::uint64_t number = 0;  // counts from 1
  std::int64_t at_ns = 0;    // CLOCK_MONOTONIC
  What what = What::step_began;
  std::int64_t value = 0;       // a step, nanoseconds of a segment, or the sequence number of a collective
  std::string name{}, group{};  // printable characters
};

/// In the order of their numbers. Nothing where the bytes are not a recorder; marks that are half written are left out.
std::vector<RankMark> parse_marks(std::string_view bytes);

/// Whether a collective was entered or left.
bool names_collective(const std::vector<RankMark>& marks);

/// Where several collectives may run at once: the first that was entered and not left after that, else the last one, as left. Nothing where
/// the marks name none.
std::optional<RankMark> first_unfinished(const std::vector<RankMark>& marks);

/// Where the rank stands, by its last marks: "inside collective 41 (all_reduce of dp), which it entered 3.2 s before". Empty where they do
/// not say.
std::string place_of_rank(const std::vector<RankMark>& marks, std::int64_t now_ns);

/// The dimension of the collective that the rank has entered and not left. Groups are named tp, cp, ep, dp or pp; one of another name
/// counts as data parallel. Nothing where the rank is in none.
std::optional<Dimension> waits_in(const std::vector<RankMark>& marks);

/// Of the recorder in that file; nothing where there is none.
std::vector<RankMark> read_marks(const std::string& path);
/// The bytes that its rank says it sent, likewise.
std::optional<std::uint64_t> read_sent(const KeptFile& recorder);

}  // namespace gauntlet
