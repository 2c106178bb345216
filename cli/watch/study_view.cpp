#include "cli/watch/study_view.hpp"

#include "cli/watch/screen.hpp"
#include "report/table.hpp"
#include "report/units.hpp"
#include "report/words.hpp"
#include "study/statistics.hpp"
#include "study/store/directory/result_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>

namespace gauntlet {
namespace {

/// "91.52% +- 0.20".
std::string ettr_text(const Store& store, std::uint32_t point, std::uint32_t replicas) {
  const Summary summary = summarize(store, point, replicas);
  const Statistics* const ettr = summary.find("ettr");
  if (ettr == nullptr || !ettr->mean) return "-";
  std::string text = fmt::format("{:.2f}%", 100 * *ettr->mean);
  if (ettr->ci95) text += fmt::format(" +- {:.2f}", 100 * half_width(ettr->ci95));
  return text;
}

/// What distinguishes it from the other points.
std::string name_of(const StoredPoint& point) {
  if (!point.label.empty()) return point.label;
  std::string name;
  for (const auto& [path, value] : point.settings) name += (name.empty() ? "" : ", ") + path + " = " + value;
  return name.empty() ? point.facts.name : name;
}

std::string command_of(const StudyIdentity& study) {
  return study.command.substr(0, study.command.find(' '));
}

}  // namespace

StudyView StudyWatch::look(std::size_t rows) {
  StudyView view;
  const FoundResults results = find_results(directory_);
  if (!results.store) {
    view.problem = results.problem;
    return view;
  }
  const Store& store = *results.store;
  view.over = results.complete;
  const auto now = std::chrono::steady_clock::now();
  if (looks_++ == 0) {
    began_ = now;
    first_replicas_ = store.replicas();
  }
  if (!view.over && store.study().command == "drill") {
    view.lines = {"A drill that is not complete. If it runs, `gauntlet watch` without a directory shows it."};
    view.over = true;
    return view;
  }
  view.lines.push_back(fmt::format("{} {} of {}: {}", view.over ? "A complete" : "An unfinished",
                                   command_of(store.study()), store.study().scenario, store.holds()));
  view.lines.push_back("Command: " + store.study().arguments);
  const double seconds = std::chrono::duration<double>(now - began_).count();
  if (const std::uint64_t more = store.replicas() - std::min(store.replicas(), first_replicas_);
      more > 0 && seconds > 0)
    view.lines.push_back(fmt::format("{} more replicas in {}: {} per second",
                                     count_text(static_cast<double>(more)), time_text(seconds),
                                     count_text(static_cast<double>(more) / seconds)));
  std::vector<std::uint32_t> order;
  for (std::uint32_t point = 0; point < store.points(); ++point) {
    Known& known = points_[point];
    if (const std::uint32_t replicas = store.replicas(point); replicas != known.replicas) {
      known = {.replicas = replicas, .look = looks_, .ettr = ettr_text(store, point, replicas)};
    }
    order.push_back(point);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return points_[a].look > points_[b].look; });
  constexpr std::size_t kAround =
      3;  // the blank line, the head of the table, and how many points are left out
  const std::size_t shown =
      std::min(order.size(), rows > view.lines.size() + kAround ? rows - view.lines.size() - kAround : 0);
  TextTable table{.header = {"point", "replicas", "ETTR"}, .rows = {}};
  for (std::size_t i = 0; i < shown; ++i) {
    const Known& known = points_[order[i]];
    table.rows.push_back(
        {name_of(store.point(order[i])), count_text(known.replicas), known.ettr.empty() ? "-" : known.ettr});
  }
  view.lines.emplace_back();
  for (std::string& line : lines_of(to_text(table))) view.lines.push_back(std::move(line));
  if (order.size() > shown)
    view.lines.push_back("  and " + counted(static_cast<double>(order.size() - shown), "more point"));
  return view;
}

}  // namespace gauntlet
