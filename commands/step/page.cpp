#include "commands/step/page.hpp"

#include "commands/step/text.hpp"
#include "report/units.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>

namespace gauntlet {
namespace {

std::string share(double of) { return fmt::format("{:.1f}%", 100 * of); }

Section parts_of(const StepReport& report) {
  BarChart chart{.title = "Parts of the step, of the critical stage",
                 .bars_title = "part",
                 .value = {.title = "time", .unit = ChartUnit::duration}};
  for (const auto& [name, part] : named_parts(report))
    chart.bars.push_back(
        {.name = name,
         .parts = {BarPart{.value = to_seconds(part),
                           .details = {{"of the step", share(to_seconds(part) / report.seconds())}}}}});
  Section section{.heading = "Where the time goes"};
  section.add(Paragraph{communication_text(report)});
  section.add(Chart(std::move(chart)));
  return section;
}

Section memory_of(const StepReport& report) {
  const StepMemory& memory = report.memory;
  BarChart chart{.title = "Memory of one GPU of the fullest stage",
                 .bars_title = "part",
                 .value = {.title = "memory", .unit = ChartUnit::bytes}};
  for (const auto& [name, bytes] :
       {std::pair("weights + gradients", memory.weights), std::pair("optimizer", memory.optimizer),
        std::pair("activations", memory.activations), std::pair("needed", memory.total()),
        std::pair("capacity", memory.capacity)})
    chart.bars.push_back(
        {.name = name,
         .parts = {BarPart{.value = bytes.value,
                           .details = {{"of the capacity", share(bytes / memory.capacity)}}}}});
  Section section{.heading = "Memory"};
  section.add(Chart(std::move(chart)));
  return section;
}

Section bandwidths_of(const StepReport& report) {
  Section section{.heading = "Network"};
  if (report.bandwidths.empty()) return section;
  BarChart chart{.title = "Bandwidth of a rank in each communicator",
                 .bars_title = "communicator",
                 .value = {.title = "bandwidth, each direction", .unit = ChartUnit::bandwidth},
                 .series = {"healthy", "slowest rank"}};
  for (const StepBandwidth& each : report.bandwidths)
    chart.bars.push_back(
        {.name = fmt::format("{} of {} ranks, {}", short_name(each.dimension), count_text(each.members),
                             each.over_nics ? "NICs" : "NVLink"),
         .parts = {BarPart{.value = each.healthy.value}, BarPart{.value = each.slowest.value}}});
  section.add(Paragraph{"The network model is " + report.network + "."});
  section.add(Chart(std::move(chart)));
  return section;
}

}  // namespace

Page page_of(const StepReport& report, const ReportOptions& options) {
  Page page{.name = "gauntlet step: " + report.scenario,
            .answer = answer_line(report),
            .lines = setting_lines(report),
            .command = options.command};
  page.figures = {{.name = "Step", .value = step_time_text(report.time.total)},
                  {.name = "MFU", .value = share(report.mfu)},
                  {.name = "Healthy step", .value = step_time_text(report.healthy)},
                  {.name = "Exposed communication",
                   .value = share(to_seconds(report.time.exposed_communication()) / report.seconds())},
                  {.name = "Bubble", .value = share(report.bubble_share())}};
  page.sections = {parts_of(report), memory_of(report), bandwidths_of(report)};
  return page;
}

}  // namespace gauntlet
