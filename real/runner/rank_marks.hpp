// All that is known of where a rank stands once it hangs or has ended: what it recorded itself, and what the NCCL in it did.
#pragma once

#include "real/runner/marks.hpp"

#include <string>
#include <vector>

namespace gauntlet {

/// Each of them may be missing.
struct RankMarkFiles {
  std::string own;              // of gauntlet_rank
  std::string nccl;             // of Gauntlet's plugin in NCCL
  std::string flight_recorder;  // PyTorch's dump
};

struct RankMarks {
  std::vector<RankMark> marks{};
  std::string why{};  // the dump cannot be read; empty: it is read, or there is none
};

/// Where the rank's own marks name no collective, the last mark is what the plugin or the dump says of one. One that the plugin says was
/// entered comes first: a dump only knows what was enqueued. Then the dump, and then what the plugin says was left.
RankMarks read_rank_marks(const RankMarkFiles& files);

}  // namespace gauntlet
