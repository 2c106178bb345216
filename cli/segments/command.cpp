// gauntlet segments: which ranks of a drill took longer than their peers, and in which part of a step.
#include "cli/commands.hpp"
#include "cli/segments/page.hpp"
#include "cli/segments/text.hpp"
#include "cli/segments/trace.hpp"
#include "real/telemetry/heat_map.hpp"
#include "report/page/page.hpp"
#include "report/trace_events/trace_events.hpp"
#include "shell/command_line.hpp"
#include "shell/exit_code.hpp"
#include "shell/output_file.hpp"
#include "shell/study_request.hpp"
#include "shell/terminal.hpp"
#include "study/summary/json.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace gauntlet {
namespace {

constexpr std::uint64_t kMostSteps = 1'000'000'000'000;

struct SegmentsRequest {
  std::string file;
  std::optional<std::uint64_t> first_step, last_step;
  double slower = kSlower;
  std::string page, trace;  // empty: none is written
  std::string by = "pp";    // of the trace
  bool json = false;
};

Json json_of(const SegmentHeatMap& map, const HeatMapCell& cell, std::size_t segment) {
  return {{"segment", map.segments[segment]},
          {"mean_s", cell.mean_s},
          {"steps", cell.steps},
          {"of_peers", cell.compared == 0 ? Json() : Json(cell.of_peers)},
          {"compared_steps", cell.compared},
          {"slow_steps", cell.slow}};
}

std::string json_of(const SegmentHeatMap& map, double slower) {
  Json ranks = Json::array(), outliers = Json::array();
  for (const HeatMapRow* shown : rows_of(map)) {
    const HeatMapRow& row = *shown;
    Json segments = Json::array();
    for (std::size_t i = 0; i < row.cells.size(); ++i)
      if (row.cells[i].steps > 0) segments.push_back(json_of(map, row.cells[i], i));
    ranks.push_back({{"rank", row.rank},
                     {"host", row.host},
                     {"pp", row.at.pp},
                     {"dp", row.at.dp},
                     {"cp", row.at.cp},
                     {"tp", row.at.tp},
                     {"segments", std::move(segments)}});
  }
  for (const HeatMapOutlier& each : map.outliers) {
    const HeatMapRow& row = map.rows[each.row];
    Json outlier = {{"rank", row.rank}, {"host", row.host}};
    outlier.update(json_of(map, row.cells[each.segment], each.segment));
    outliers.push_back(std::move(outlier));
  }
  return document({{"scenario", map.scenario},
                   {"seed", map.seed},
                   {"steps", map.steps},
                   {"slower", slower},
                   {"outliers", std::move(outliers)},
                   {"ranks", std::move(ranks)}});
}

std::string command_of(const SegmentsRequest& request) {
  CommandLine line("gauntlet segments", request.file);
  if (request.first_step) line.option("--first-step", std::to_string(*request.first_step));
  if (request.last_step) line.option("--last-step", std::to_string(*request.last_step));
  if (request.slower != kSlower) line.option("--slower", fmt::format("{:g}", request.slower));
  return line.text();
}

int segments(const SegmentsRequest& request) {
  if (!request.page.empty())
    if (const auto problem = problem_of_output(request.page, kPageBegins, "a page", "--page"))
      return wrong_input(*problem);
  if (request.first_step && request.last_step && *request.first_step > *request.last_step)
    return wrong_input(Problem{.what = fmt::format("--first-step {}", *request.first_step),
                               .why = fmt::format("is after --last-step {}", *request.last_step),
                               .suggestion = "swap them"});
  if (!request.trace.empty())
    if (const auto problem = problem_of_output(request.trace, trace_begins("segments"), "a trace", "--trace"))
      return wrong_input(*problem);
  if (const auto problem = problem_of_same_outputs(
          std::to_array<NamedOutput>({{"--page", request.page}, {"--trace", request.trace}})))
    return wrong_input(*problem);
  const auto step_of = [](const std::optional<std::uint64_t>& step) {
    return step ? std::optional(static_cast<std::int64_t>(*step)) : std::nullopt;
  };
  const ReadHeatMap read = read_heat_map(request.file, {.first_step = step_of(request.first_step),
                                                        .last_step = step_of(request.last_step),
                                                        .slower = request.slower});
  if (read.problem) return wrong_input(*read.problem);
  if (rows_of(read.map).empty() && !(request.page.empty() && request.trace.empty()))
    return wrong_input(Problem{.file = request.file,
                               .why = "holds no segment of these steps, so that nothing can be drawn",
                               .suggestion = "choose others with --first-step and --last-step"});
  SegmentsTrace trace;
  if (!request.trace.empty()) {
    const ReadSegmentSteps steps = read_segment_steps(
        request.file, {.first_step = step_of(request.first_step), .last_step = step_of(request.last_step)});
    if (steps.problem) return wrong_input(*steps.problem);
    trace = segments_trace(steps.steps, request.by);
    if (trace.problem) return wrong_input(*trace.problem);
  }
  std::optional<Problem> problem;
  if (!request.page.empty())
    problem =
        write_output(request.page, to_html(segments_page(read.map, request.slower, command_of(request))));
  if (!problem && !request.trace.empty()) problem = write_output(request.trace, trace.text);
  if (problem) {
    print_problems({&*problem, 1});
    return kFailed;
  }
  return print(request.json ? json_of(read.map, request.slower) : segments_text(read.map, request.slower))
             ? kSuccess
             : kFailed;
}

void add_segments_options(Command& command) {
  const auto request = std::make_shared<SegmentsRequest>();
  command.value("file", request->file, "File of `gauntlet drill --segments`, also while the drill runs")
      .type_name("FILE")
      .required();
  command.value("--first-step", request->first_step, "Leave out the steps before")
      .type_name("N")
      .between(std::uint64_t{0}, kMostSteps);
  command.value("--last-step", request->last_step, "Leave out the steps after")
      .type_name("N")
      .between(std::uint64_t{0}, kMostSteps);
  command
      .value("--slower", request->slower,
             "A rank is slow in a step when it takes longer than its peers by more than this share")
      .type_name("SHARE")
      .shows_default()
      .between(0.0, 1000.0);
  command.value("--page", request->page, "Write a page with the heat map of ranks and segments here")
      .type_name("FILE");
  command
      .value("--trace", request->trace,
             "Write a time line of these steps here, for https://ui.perfetto.dev (without --first-step: of "
             "the last three)")
      .type_name("FILE");
  command
      .value("--by", request->by,
             "Dimension whose groups of ranks lie together in the trace: pp, dp, cp or tp")
      .type_name("DIMENSION")
      .shows_default()
      .one_of({"pp", "dp", "cp", "tp"});
  add_json(command, request->json);
  command.runs([request] { return segments(*request); });
}

}  // namespace

void add_segments(Program& program) {
  program.command("segments",
                  "Name the ranks of a drill that are slower than their peers, and in which segment",
                  "  gauntlet drill scenarios/drill-tiny.toml --hosts 4 --segments segments.sqlite\n"
                  "  gauntlet segments segments.sqlite\n"
                  "  gauntlet segments segments.sqlite --first-step 20 --page segments.html\n"
                  "  gauntlet segments segments.sqlite --trace steps.json --by dp\n"
                  "  gauntlet segments segments.sqlite --json",
                  add_segments_options);
}

}  // namespace gauntlet
