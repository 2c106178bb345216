// A study that runs, or has ended, as its store shows it.
#pragma once

#include "core/problem.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gauntlet {

/// The lines of a screen. `over`: the study is complete.
struct StudyView {
  std::vector<std::string> lines;
  bool over = false;
  std::optional<Problem> problem;  // there are no lines
};

/// Remembers what was there when it looked first, for the rate, and the ETTR of points that have not changed.
class StudyWatch {
 public:
  explicit StudyWatch(std::string directory) : directory_(std::move(directory)) {}
  /// The points that got replicas last come first.
  StudyView look(std::size_t rows);

 private:
  struct Known {
    std::uint32_t replicas = 0;
    std::uint64_t look = 0;  // at which it last had more than before
    std::string ettr;
  };
  std::string directory_;
  std::uint64_t looks_ = 0, first_replicas_ = 0;
  std::chrono::steady_clock::time_point began_{};
  std::map<std::uint32_t, Known> points_;
};

}  // namespace gauntlet
