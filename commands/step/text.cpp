#include "commands/step/text.hpp"

#include "report/style.hpp"
#include "report/table.hpp"
#include "report/units.hpp"
#include "report/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

namespace gauntlet {
namespace {

constexpr double kGB = 1e9;              // as hardware entries count
constexpr double kBar = 24;              // characters of the longest one
constexpr double kSame = 0.0005;         // of the step: less rounds to nothing
constexpr double kUnequal = 0.005;       // of the step: what the formula misses is worth a word
constexpr std::size_t kListedHosts = 4;  // hosts; more are counted

std::string share_text(double share) { return fmt::format("{:.1f}%", 100 * share); }

/// "host 17", "hosts 17 and 18", "6 hosts"
std::string hosts_text(const std::vector<std::uint32_t>& hosts) {
  if (hosts.size() > kListedHosts) return counted(static_cast<double>(hosts.size()), "host");
  std::string text = hosts.size() == 1 ? "host" : "hosts";
  for (std::size_t i = 0; i < hosts.size(); ++i)
    text += fmt::format("{} {}", i == 0 ? "" : i + 1 == hosts.size() ? " and" : ",", hosts[i]);
  return text;
}

/// Whoever makes the step longer; empty where no host does.
std::string cause_text(const StepReport& report) {
  if (!report.critical || !report.critical->host) return "";
  const StepCritical& critical = *report.critical;
  if (!critical.equally_late.empty()) return hosts_text(critical.equally_late);
  return to_seconds(critical.saves) < kSame * report.seconds() ? "" : fmt::format("host {}", *critical.host);
}

std::string longer(const StepReport& report) {
  if (report.degraded.empty()) return "";
  const double more = report.slowdown() - 1;
  if (more <= -kSame) return "; " + share_text(-more) + " shorter than healthy";
  if (more < kSame) return "; no longer than healthy";
  const std::string cause = cause_text(report);
  return "; " + share_text(more) + " longer than healthy" + (cause.empty() ? "" : " because of " + cause);
}

std::string layout_text(const StepReport& report) {
  const Layout& layout = report.layout;
  std::string text = fmt::format("tp {} x pp {} x dp {}", layout.tp, layout.pp, layout.dp);
  if (layout.cp > 1) text += fmt::format(" x cp {}", layout.cp);
  if (layout.ep > 1) text += fmt::format(", experts over ep {}", layout.ep);
  if (layout.virtual_stages > 1) text += fmt::format(", {} virtual stages per rank", layout.virtual_stages);
  return text;
}

std::string setting(const StepReport& report) {
  const std::string micro_batches =
      report.micro_batches == 1 ? "1 micro-batch" : count_text(report.micro_batches) + " micro-batches";
  return fmt::format(
      "{}: {} on {}, stack {}; {}; {} of {} per replica; network: {}; gauntlet {}.{}", report.scenario,
      report.model, report.hardware, report.stack, layout_text(report), micro_batches,
      counted(report.micro_batch, "sequence"), report.network, report.version,
      report.given ? " The healthy step takes job.step_time; the step model gives the shares of its parts."
      : report.factor != 1
          ? fmt::format(" Every time is the model's by job.step_time_factor = {:g}.", report.factor)
          : "");
}

std::string rates(const StepReport& report) {
  const Unit tokens = amount_unit(report.tokens_per_s(), "tokens/s");
  return fmt::format(
      "{:.1f} TFLOP/s per GPU, counted in model FLOPs: attention counts in full, recomputation does not. {} "
      "{}.",
      report.flops_per_gpu() / 1e12, tokens.number(report.tokens_per_s()), tokens.name);
}

std::string breakdown_table(const StepReport& report) {
  const auto parts = named_parts(report);
  Duration longest{1};
  for (const auto& [name, part] : parts) longest = std::max(longest, part);
  const Unit unit = Unit{.divisor = report.seconds() < 1 ? 1e-3 : 1.0,
                         .name = report.seconds() < 1 ? "ms" : "s",
                         .decimals = report.seconds() < 1 ? 2 : 3};
  TextTable table{.header = {"part of the step", unit.name, "share", ""}, .rows = {}};
  for (const auto& [name, part] : parts) {
    const double length = std::max(0.0, to_seconds(part) / to_seconds(longest));
    table.rows.push_back({name, unit.number(to_seconds(part)),
                          share_text(to_seconds(part) / report.seconds()),
                          std::string(static_cast<std::size_t>(kBar * length + 0.5), '#')});
  }
  table.rows.push_back({"whole step", unit.number(report.seconds()), "100.0%", ""});
  return to_text(table);
}

/// What the formula makes of unequal stages; empty where it is about right.
std::string formula(const StepReport& report) {
  const double formula = to_seconds(report.formula), healthy = to_seconds(report.healthy);
  if (formula == 0 || std::abs(formula - healthy) <= kUnequal * healthy) return "";
  return fmt::format(
      "The formula (m + (p-1)/v) tau + c gives {} for a healthy step instead of {}, because the stages are "
      "unequal.",
      step_time_text(report.formula), step_time_text(report.healthy));
}

std::string memory_table(const StepReport& report) {
  const StepMemory& memory = report.memory;
  TextTable table{.header = {"memory of a GPU", "GB", "share"}, .rows = {}};
  const auto row = [&](const char* name, Bytes bytes) {
    table.rows.push_back(
        {name, fmt::format("{:.1f}", bytes.value / kGB), share_text(bytes / memory.capacity)});
  };
  row("weights + gradients", memory.weights);
  row("optimizer", memory.optimizer);
  row("activations", memory.activations);
  row("needed", memory.total());
  row("capacity", memory.capacity);
  if (memory.total() <= memory.capacity) return to_text(table);
  return to_text(table) +
         "The job ran, because its step was measured. So it shards more than the scenario describes.\n";
}

std::string bandwidth_table(const StepReport& report) {
  TextTable table{.header = {"communicator", "ranks", "GB/s per rank", "slowest rank", "link"}, .rows = {}};
  for (const StepBandwidth& each : report.bandwidths)
    table.rows.push_back({std::string(short_name(each.dimension)), count_text(each.members),
                          fmt::format("{:.1f}", each.healthy.value / 1e9),
                          fmt::format("{:.1f}", each.slowest.value / 1e9),
                          each.over_nics ? "NICs" : "NVLink"});
  return to_text(table);
}

std::string degradation_text(const Degradation& of) {
  switch (of.kind) {
    case DegradationKind::slow:
      return fmt::format("{} takes {} longer {}", of.component, share_text(of.value - 1),
                         of.segment.empty()          ? "to compute"
                         : of.segment == "optimizer" ? "in the optimizer"
                                                     : "in " + of.segment + " passes");
    case DegradationKind::stall:
      return fmt::format("{} stalls for {}", of.component, time_text(of.value));
    case DegradationKind::degrade:
      if (of.value > std::numeric_limits<double>::max()) return of.component + " is lost";
      return fmt::format("{} has 1/{:g} of its bandwidth", of.component, of.value);
    case DegradationKind::jitter:
      return fmt::format("every compute segment varies by {} (relative standard deviation)",
                         share_text(of.value));
  }
  return "";
}

std::string degraded(const StepReport& report) {
  std::string text = "Degraded: ";
  for (std::size_t i = 0; i < report.degraded.size(); ++i)
    text += (i == 0 ? "" : "; ") + degradation_text(report.degraded[i]);
  return text + fmt::format(". A healthy step takes {}.", step_time_text(report.healthy));
}

std::string critical(const StepReport& report) {
  const StepCritical& critical = *report.critical;
  const std::string where =
      fmt::format("pipeline stage {} of data-parallel replica {}", critical.stage, critical.replica);
  if (!critical.host) return fmt::format("No single host is the cause: the step waits for {}.", where);
  if (!critical.equally_late.empty())
    return fmt::format("No single repair helps: {} are equally late.", hosts_text(critical.equally_late));
  const double saved = to_seconds(critical.saves);
  if (saved < kSame * report.seconds())
    return fmt::format("Repairing host {} alone ({}) saves nothing.", *critical.host, where);
  return fmt::format("The step waits for host {}, in {}. Its repair saves {}, {} of each step.",
                     *critical.host, where, time_text(saved), share_text(saved / report.seconds()));
}

}  // namespace

std::string step_time_text(Duration time) {
  const double seconds = to_seconds(time);
  return seconds >= 1 && seconds < 120 ? fmt::format("{:.3g} s", seconds) : time_text(seconds);
}

std::string answer_line(const StepReport& report) {
  return fmt::format("One step takes {}: {} MFU on {} GPUs{}.", step_time_text(report.time.total),
                     share_text(report.mfu), count_text(report.gpus()), longer(report));
}

std::vector<std::string> setting_lines(const StepReport& report) {
  std::vector<std::string> lines = {rates(report), setting(report), formula(report)};
  if (!report.degraded.empty()) lines.push_back(degraded(report));
  if (report.critical) lines.push_back(critical(report));
  std::erase(lines, "");
  return lines;
}

std::vector<std::pair<std::string, Duration>> named_parts(const StepReport& report) {
  const StepBreakdown& time = report.time;
  const Layout& layout = report.layout;
  std::vector<std::pair<std::string, Duration>> parts = {{"compute", time.compute},
                                                         {"recompute", time.recompute},
                                                         {"bubble", time.bubble},
                                                         {"tp transfer", time.tensor_bandwidth}};
  std::string inside = "tp";
  if (layout.cp > 1) parts.emplace_back("cp transfer", time.context), inside += ", cp";
  if (layout.ep > 1) parts.emplace_back("ep transfer", time.expert), inside += ", ep";
  parts.emplace_back(inside + " latency", time.latency);
  parts.emplace_back("pp", time.pipeline);
  parts.emplace_back("dp", time.data);
  parts.emplace_back("optimizer", time.optimizer);
  return parts;
}

std::string communication_text(const StepReport& report) {
  const double exposed = to_seconds(report.time.exposed_communication());
  const std::string inside = report.layout.cp > 1 && report.layout.ep > 1 ? "tp, cp, ep"
                             : report.layout.cp > 1                       ? "tp, cp"
                             : report.layout.ep > 1                       ? "tp, ep"
                                                                          : "tp";
  return fmt::format("Exposed communication ({}, pp, dp): {} of the step. No compute overlaps it.", inside,
                     share_text(exposed / report.seconds()));
}

std::string text_report(const StepReport& report, const ReportOptions& options) {
  std::string text = headline(options, answer_line(report));
  text += wrapped(rates(report)) + wrapped(setting(report));
  text += "\n" + breakdown_table(report) + wrapped(communication_text(report));
  if (const std::string words = formula(report); !words.empty()) text += wrapped(words);
  text += "\n" + memory_table(report);
  if (!report.bandwidths.empty()) text += "\n" + bandwidth_table(report);
  if (!report.degraded.empty()) text += "\n" + wrapped(degraded(report));
  if (report.critical) text += wrapped(critical(report));
  return text + reproduce_text(options);
}

}  // namespace gauntlet
