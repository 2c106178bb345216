// The kinds of log lines that an agent looks for in what ranks print and in what the host logs, by regular expressions.
#pragma once

#include "core/time.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace gauntlet {

/// At most so many lines of one source are looked at in a second; those beyond are counted. A rank that prints without end costs its
/// agent no more than that.
inline constexpr std::uint32_t kLinesPerSecond = 1000;
/// At most so many matches are reported in a second, of all sources together.
inline constexpr std::uint32_t kMatchesPerSecond = 100;

class LinePatterns {
 public:
  LinePatterns();
  ~LinePatterns();
  LinePatterns(LinePatterns&&) noexcept;
  LinePatterns& operator=(LinePatterns&&) noexcept;

  /// By PatternId. An empty one, and one that is not valid, finds nothing.
  explicit LinePatterns(const std::vector<std::string>& expressions);

  /// The PatternIds that the line matches, in ascending order. `source`: a rank, kHost or kInjected.
  std::vector<std::uint32_t> match(std::uint32_t source, std::string_view line, Time now);
  static constexpr std::uint32_t kHost = ~0U;
  static constexpr std::uint32_t kInjected = kHost - 1;  // lines of injected faults

  /// How many lines were not looked at or not reported since the last call, and of which sources; once a second at most.
  std::map<std::uint32_t, std::uint64_t> take_skipped(Time now);

 private:
  struct Expressions;
  struct Budget {
    Time second{};  // began
    std::uint32_t used = 0;
    bool spend(Time now, std::uint32_t most);
  };

  std::unique_ptr<Expressions> find_;
  std::map<std::uint32_t, Budget> lines_;
  Budget matches_;
  std::map<std::uint32_t, std::uint64_t> skipped_;
  Time told_{};
};

}  // namespace gauntlet
