#include "real/signals/printed_progress.hpp"

#include "real/signals/expression_private.hpp"

#include <algorithm>

namespace gauntlet {
namespace {

using Kind = RankLine::Kind;

}  // namespace

struct PrintedProgress::Expressions {
  explicit Expressions(const ProgressLines& lines)
      : step(lines.step, expression_options()),
        saved(lines.saved, expression_options()),
        resumed(lines.resumed, expression_options()),
        timed_out(lines.timed_out, expression_options()) {}

  /// The number in the first group.
  static std::optional<std::int64_t> number(const re2::RE2& expression, std::string_view line) {
    std::int64_t value = 0;
    const bool usable =
        expression.ok() && !expression.pattern().empty() && expression.NumberOfCapturingGroups() > 0;
    if (!usable || !re2::RE2::PartialMatch(re2::StringPiece(line.data(), line.size()), expression, &value) ||
        value < 0)
      return std::nullopt;
    return value;
  }
  static bool found(const re2::RE2& expression, std::string_view line) {
    return expression.ok() && !expression.pattern().empty() &&
           re2::RE2::PartialMatch(re2::StringPiece(line.data(), line.size()), expression);
  }

  re2::RE2 step, saved, resumed, timed_out;
};

PrintedProgress::PrintedProgress() = default;
PrintedProgress::~PrintedProgress() = default;
PrintedProgress::PrintedProgress(PrintedProgress&&) noexcept = default;
PrintedProgress& PrintedProgress::operator=(PrintedProgress&&) noexcept = default;

PrintedProgress::PrintedProgress(const ProgressLines& lines, Duration step_time, std::int64_t began_ns)
    : step_time_ns_(step_time.count()), began_ns_(began_ns), last_ns_(began_ns) {
  if (lines.any()) find_ = std::make_unique<Expressions>(lines);
}

std::vector<RankLine> PrintedProgress::on_line(std::string_view line, std::int64_t now_ns) {
  std::vector<RankLine> out;
  if (!find_) return out;
  const auto resumed = Expressions::number(find_->resumed, line);
  if (resumed && !up_) {
    up_ = true;
    step_ = *resumed;
    last_ns_ = now_ns;
    out.push_back({.at_ns = now_ns, .kind = Kind::up, .step = *resumed});
  }
  if (const auto step = Expressions::number(find_->step, line)) on_step(*step, now_ns, out);
  if (const auto saved = Expressions::number(find_->saved, line))
    out.push_back({.at_ns = now_ns, .kind = Kind::saved, .step = *saved});
  if (Expressions::found(find_->timed_out, line))
    out.push_back(
        {.at_ns = now_ns, .kind = Kind::log, .pattern = "collective_timeout", .text = std::string(line)});
  return out;
}

void PrintedProgress::on_step(std::int64_t step, std::int64_t now_ns, std::vector<RankLine>& out) {
  if (!up_ && step > 0) {
    const bool would_say = !find_->resumed.pattern().empty();
    step_ = would_say ? 0 : step - 1;
    const double usual = static_cast<double>(step_time_ns_) * static_cast<double>(step - step_);
    const double since_began = static_cast<double>(now_ns - began_ns_);
    last_ns_ = now_ns - static_cast<std::int64_t>(std::min(usual, since_began));
    up_ = true;
    out.push_back({.at_ns = last_ns_, .kind = Kind::up, .step = step_});
  }
  if (step <= step_) return;
  const std::int64_t took = (now_ns - last_ns_) / (step - step_);
  out.push_back(
      {.at_ns = now_ns, .kind = Kind::step, .step = step, .took_ns = std::max<std::int64_t>(took, 0)});
  step_ = step;
  last_ns_ = now_ns;
}

RankLine PrintedProgress::finished(std::int64_t now_ns) const {
  return {.at_ns = now_ns, .kind = Kind::finished, .step = step_};
}

}  // namespace gauntlet
