#include "report/detection_table.hpp"

#include "report/units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace gauntlet {
namespace {

constexpr std::size_t kNameWidth = 22;

struct Row {
  std::string name;
  double lost = 0;  // seconds a run, to all phases, or spoilt: the order of the rows
  double met = 0, detected = 0, missed = 0, missed_cost = 0, wrong = 0;
  std::optional<double> p50, p95, handled;
};

Row row_of(const Summary& summary, const std::string& fault) {
  const auto mean = [&](std::string_view measure) {
    return summary.mean(fmt::format("detection.by_kind.{}.{}", fault, measure));
  };
  return {.name = fault,
          .lost = std::max(summary.mean("lost_s.by_cause." + fault).value_or(0),
                           mean("missed_cost_s").value_or(0)),
          .met = mean("met").value_or(0),
          .detected = mean("detected").value_or(0),
          .missed = mean("missed").value_or(0),
          .missed_cost = mean("missed_cost_s").value_or(0),
          .wrong = mean("evictions_wrong").value_or(0),
          .p50 = mean("latency_p50_s"),
          .p95 = mean("latency_p95_s"),
          .handled = mean("handled_share")};
}

Row sum_of(std::span<const Row> rows) {
  Row sum;
  sum.name = fmt::format("{} more", rows.size());
  for (const Row& each : rows) {
    sum.met += each.met;
    sum.detected += each.detected;
    sum.missed += each.missed;
    sum.missed_cost += each.missed_cost;
    sum.wrong += each.wrong;
  }
  return sum;
}

std::string cut(const std::string& name) {
  return name.size() <= kNameWidth ? name : name.substr(0, kNameWidth - 2) + "..";
}

// One digit after the point, two where it takes that to be more than nothing, and whole numbers from a thousand on.
std::string times(double count) {
  if (count >= 1000) return count_text(count);
  return fmt::format("{:.{}f}", count, count > 0 && count < 0.05 ? 2 : 1);
}
std::string share(std::optional<double> of) { return of ? fmt::format("{:.1f}%", 100 * *of) : "-"; }
std::string time(double seconds) { return seconds > 0 ? time_text(seconds) : "-"; }
std::string latency(std::optional<double> seconds) { return seconds ? time_text(*seconds) : "-"; }

template <class... Fields>
void add_line(std::string& text, const Fields&... fields) {
  text += fmt::format("  {:<22}{:>8}{:>10}{:>10}{:>10}{:>9}{:>8}{:>10}{:>11}\n", fields...);
}

void add(std::string& text, const Row& row) {
  add_line(text, cut(row.name), times(row.met), times(row.detected), latency(row.p50), latency(row.p95),
           share(row.handled), times(row.missed), time(row.missed_cost), times(row.wrong));
}

}  // namespace

std::string detection_table(const Summary& summary) {
  std::vector<Row> rows;
  for (const std::string& fault : summary.facts.faults)
    if (const Row row = row_of(summary, fault); row.met > 0) rows.push_back(row);
  if (rows.empty()) return "";
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.lost > b.lost; });

  std::string text;
  add_line(text, "", "reached", "", "p50", "p95", "handled", "", "cost of", "wrong");
  add_line(text, "by fault kind", "job", "detected", "latency", "latency", "auto", "missed", "missed",
           "evictions");
  const std::size_t listed = std::min(rows.size(), kDetectionRows);
  for (std::size_t i = 0; i < listed; ++i) add(text, rows[i]);
  if (rows.size() > listed) add(text, sum_of(std::span(rows).subspan(listed)));
  return text +
         "  reached job: the fault struck a host of the job, or came with a host that joined the job.\n"
         "  A fault that is neither detected nor missed did no harm.\n";
}

}  // namespace gauntlet
