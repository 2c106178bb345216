#include "real/signals/line_patterns.hpp"

#include "real/signals/expression_private.hpp"

#include <re2/set.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace gauntlet {
namespace {

constexpr auto kSecond = std::chrono::seconds(1);
}  // namespace

struct LinePatterns::Expressions {
  re2::RE2::Set set{expression_options(), re2::RE2::UNANCHORED};
  std::vector<std::uint32_t> patterns;  // by their place in the set
  bool usable = false;
};

LinePatterns::LinePatterns() = default;
LinePatterns::~LinePatterns() = default;
LinePatterns::LinePatterns(LinePatterns&&) noexcept = default;
LinePatterns& LinePatterns::operator=(LinePatterns&&) noexcept = default;

LinePatterns::LinePatterns(const std::vector<std::string>& expressions) {
  auto find = std::make_unique<Expressions>();
  for (std::size_t i = 0; i < expressions.size(); ++i) {
    if (expressions[i].empty() || find->set.Add(expressions[i], nullptr) < 0) continue;
    find->patterns.push_back(static_cast<std::uint32_t>(i));
  }
  find->usable = !find->patterns.empty() && find->set.Compile();
  if (find->usable) find_ = std::move(find);
}

bool LinePatterns::Budget::spend(Time now, std::uint32_t most) {
  if (now - second >= kSecond) *this = {.second = now, .used = 0};
  return used++ < most;
}

std::vector<std::uint32_t> LinePatterns::match(std::uint32_t source, std::string_view line, Time now) {
  if (!find_) return {};
  if (!lines_[source].spend(now, kLinesPerSecond)) {
    ++skipped_[source];
    return {};
  }
  std::vector<int> found;
  if (!find_->set.Match(re2::StringPiece(line.data(), line.size()), &found)) return {};
  if (!matches_.spend(now, kMatchesPerSecond)) {
    ++skipped_[source];
    return {};
  }
  std::vector<std::uint32_t> patterns;
  for (const int each : found) patterns.push_back(find_->patterns[static_cast<std::size_t>(each)]);
  std::sort(patterns.begin(), patterns.end());
  return patterns;
}

std::map<std::uint32_t, std::uint64_t> LinePatterns::take_skipped(Time now) {
  if (skipped_.empty() || now - told_ < kSecond) return {};
  told_ = now;
  return std::exchange(skipped_, {});
}

}  // namespace gauntlet
