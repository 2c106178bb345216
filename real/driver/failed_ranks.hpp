// How ranks ended badly, and what they last printed: kept in a file of the drill, so that a driver that takes over knows too.
#pragma once

#include "core/files/line_file.hpp"
#include "core/time.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace gauntlet {

struct FailedRank {
  std::uint32_t run = 0, rank = 0, host = 0;
  std::int32_t code = 0;  // exit code, or 128 + signal
  Time at{};
  std::string place{};                    // where it stood, where it says: "inside step 3"
  std::vector<std::string> last_lines{};  // the oldest first
  friend bool operator==(const FailedRank&, const FailedRank&) = default;
};

class FailedRanks {
 public:
  /// Throws std::runtime_error.
  explicit FailedRanks(const std::string& path, Files& files = system_files());

  /// Throws std::runtime_error where it cannot be written.
  void add(const FailedRank& rank);
  const std::vector<FailedRank>& all() const { return all_; }

 private:
  LineFile file_;
  std::vector<FailedRank> all_;
};

/// For the report: one paragraph a rank, those of one failure together. Empty where none failed.
std::string text_of(const std::vector<FailedRank>& ranks);

}  // namespace gauntlet
