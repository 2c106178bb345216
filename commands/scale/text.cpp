#include "commands/scale/text.hpp"

#include "commands/scale/table.hpp"
#include "core/giving_up.hpp"
#include "report/losses.hpp"
#include "report/style.hpp"
#include "report/tails.hpp"
#include "report/units.hpp"
#include "report/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

namespace gauntlet {
namespace {

constexpr std::size_t kNamed = 6;  // sizes that are named one by one

/// "1,024, 2,048 and 4,096 GPUs"
std::string gpus_text(const std::vector<const ScaledSize*>& sizes) {
  if (sizes.size() > kNamed)
    return fmt::format("{} of the sizes (from {} GPUs on)", sizes.size(), gpus_text(*sizes.front()));
  std::string text;
  for (std::size_t i = 0; i < sizes.size(); ++i)
    text += (i == 0 ? "" : i + 1 == sizes.size() ? " and " : ", ") + gpus_text(*sizes[i]);
  return text + " GPUs";
}

/// As time_text, down to microseconds.
std::string cost_text(Duration cost) {
  const double us = to_seconds(cost) * 1e6;
  return us < 1000 ? fmt::format("{:.0f} us", us) : time_text(to_seconds(cost));
}

std::string replicas_text(const ScaleResult& result) {
  const auto [low, high] = std::ranges::minmax_element(
      result.sizes, {}, [](const ScaledSize& size) { return size.summary.replicas; });
  const std::uint32_t fewest = low->summary.replicas, most = high->summary.replicas;
  return fewest == most ? counted(most, "replica") + " per size"
                        : fmt::format("{} to {} per size", count_text(fewest), counted(most, "replica"));
}

std::string setting(const ScaleResult& result) {
  const std::string sizes = counted(static_cast<double>(result.sizes.size()), "size");
  const std::string of = result.sizes.size() == result.asked_sizes
                             ? sizes
                             : fmt::format("{} of {}", count_text(static_cast<double>(result.sizes.size())),
                                           counted(result.asked_sizes, "size"));
  std::string text = fmt::format("{}; seed {}; gauntlet {}. ", of, result.seed, result.version);
  text += result.keep_batch ? "The global batch stays (strong scaling)."
                            : "The global batch grows with the job (weak scaling).";
  text += " Spares grow with the hosts.";
  if (result.step_time)
    text += fmt::format(" The measured step of {} is scaled with the size as the step model predicts.",
                        to_text(*result.step_time));
  return text;
}

std::string rounded(const ScaleResult& result) {
  if (result.rounded.empty()) return "";
  std::string text =
      fmt::format("Rounded to sizes that the job can have (whole replicas in whole hosts, {}{}): ",
                  counted(static_cast<double>(result.unit), "GPU"),
                  result.keep_batch ? ", dp that divides the global batch" : "");
  for (std::size_t i = 0; i < std::min(result.rounded.size(), kNamed); ++i)
    text += fmt::format("{}{} GPUs to {}", i == 0 ? "" : ", ",
                        count_text(static_cast<double>(result.rounded[i].asked)),
                        count_text(static_cast<double>(result.rounded[i].taken)));
  return text + (result.rounded.size() > kNamed ? ", ..." : ".");
}

std::string why(const ScaleResult& result) {
  const ScaledSize& largest = result.sizes.back();
  const std::vector<Loss> losses = losses_by_phase(largest.summary);
  const double wall = largest.summary.mean("wall_time_s").value_or(0);
  if (losses.empty() || !(wall > 0)) return "";
  std::string text = fmt::format("At {} GPUs `{}` takes {}% of the wall time", gpus_text(largest),
                                 losses[0].name, percent().number(losses[0].seconds / wall));
  if (losses.size() > 1)
    text += fmt::format(", `{}` {}%", losses[1].name, percent().number(losses[1].seconds / wall));
  return text + ".";
}

std::vector<const ScaledSize*> where(const ScaleResult& result, bool (*is)(const ScaledSize&)) {
  std::vector<const ScaledSize*> found;
  for (const ScaledSize& size : result.sizes)
    if (is(size)) found.push_back(&size);
  return found;
}

std::string best_intervals(const ScaleResult& result) {
  if (where(result, [](const ScaledSize& size) { return size.best_interval.has_value(); }).empty()) return "";
  const auto stall = [](const ScaledSize& size) { return size.checkpoint_stall; };
  const auto [low, high] = std::ranges::minmax_element(result.sizes, {}, stall);
  const Duration least = low->checkpoint_stall, most = high->checkpoint_stall;
  const std::string cost = most == Duration::zero()
                               ? "nothing, because checkpoints do not block training here"
                           : least == most ? cost_text(most)
                                           : fmt::format("{} to {}", cost_text(least), cost_text(most));
  std::string text = fmt::format(
      "The best checkpoint interval is the exact optimum for exponential failures, M(1+W(-exp(-1-C/M))) "
      "(Bougeret et al., SC 2011, theorem 1). M is the measured mean time to failure, C is what a checkpoint "
      "costs: {}. The scenario ",
      cost);
  const std::string interval = to_text(result.checkpoint_interval);
  text += result.checkpoint_policy == "fixed"
              ? fmt::format("saves every {}.", interval)
              : fmt::format("adapts its interval (policy `{}`).", result.checkpoint_policy);
  const auto slow = where(result, [](const ScaledSize& size) {
    return size.best_interval && size.best_interval->seconds < to_seconds(size.checkpoint_persist);
  });
  if (!slow.empty())
    text += fmt::format(
        " At {} this interval is shorter than the {} that it takes to make a checkpoint durable, so "
        "checkpoints "
        "are complete less often.",
        gpus_text(slow), time_text(to_seconds(slow.front()->checkpoint_persist)));
  return text;
}

std::string waited(const ScaleResult& result) {
  const auto sizes = where(
      result, [](const ScaledSize& size) { return size.summary.mean("spares.waited").value_or(0) > 0.5; });
  if (sizes.empty()) return "";
  return fmt::format("Most runs waited for spares at {}: --set spares.count=N holds more at every size.",
                     gpus_text(sizes));
}

std::string gave_up(const ScaleResult& result) {
  const auto sizes =
      where(result, [](const ScaledSize& size) { return size.summary.mean("gave_up").value_or(0) > 0; });
  if (sizes.empty()) return "";
  return fmt::format("Some runs gave up at {}: they {}.", gpus_text(sizes), kGaveUpBecause);
}

std::string tails_by_size(const ScaleResult& result) {
  std::vector<TailRow> rows;
  for (const ScaledSize& size : result.sizes)
    add_tails(rows, size.summary, "ettr", gpus_text(size) + " GPUs", "ETTR");
  return tails_table(rows);
}

}  // namespace

std::string answer_line(const ScaleResult& result) {
  if (result.sizes.empty())
    return fmt::format("{}: no size has run, so there is no answer.", result.scenario);
  const ScaledSize &first = result.sizes.front(), &last = result.sizes.back();
  const auto figures = [](const ScaledSize& size) {
    return fmt::format("{} and ETTR {}", mttf_in_hours(size.summary).both("h"),
                       shown(size.summary, "ettr", percent()).both("%"));
  };
  const bool known = first.summary.find("ettr") != nullptr && first.summary.find("ettr")->ci95;
  const std::string sure =
      fmt::format("({}{}{})", known ? fmt::format("95% intervals, {}, ", kIntervalCovers) : "no interval, ",
                  replicas_text(result), result.interrupted ? ", interrupted" : "");
  std::string text =
      fmt::format("At {} GPUs the mean time to failure is {}", gpus_text(first), figures(first));
  if (&first != &last) text += fmt::format("; at {} GPUs it is {}", gpus_text(last), figures(last));
  return text + " " + sure + ".";
}

std::string text_report(const ScaleResult& result, const ReportOptions& options) {
  std::string text = headline(options, answer_line(result));
  const auto add = [&](const std::string& paragraph) {
    if (!paragraph.empty()) text += wrapped(paragraph);
  };
  if (!result.sizes.empty()) {
    add(setting(result));
    text += fault_files_text(options);
    add(replay_warning(result.sizes.front().summary.facts));
    add(rounded(result));
    text += "\n";
    add(why(result));
    add(best_intervals(result));
    add(waited(result));
    add(gave_up(result));
    text += "\n" + sizes_table(result);
    if (const std::string tails = tails_by_size(result); !tails.empty()) text += "\n" + tails;
  }
  return text + reproduce_text(options);
}

}  // namespace gauntlet
