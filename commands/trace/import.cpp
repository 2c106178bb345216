#include "commands/trace/fault_toml.hpp"
#include "commands/trace/profile.hpp"
#include "commands/trace/records/components.hpp"
#include "commands/trace/records/date.hpp"
#include "commands/trace/source.hpp"
#include "commands/trace/trace.hpp"
#include "config/toml/files.hpp"

#include <fmt/format.h>

#include <utility>

namespace gauntlet {

TraceImported import_trace(const TraceQuestion& question) {
  TraceSelected opened = open_trace(question);
  TraceImported out;
  out.problems = std::move(opened.problems);
  if (!opened.selected) return out;
  const SelectedTrace& selected = *opened.selected;
  const TraceSource& source = selected.source;
  const auto fail = [&](std::string why, std::string suggestion) {
    out.problems.push_back(
        {.file = question.file, .why = std::move(why), .suggestion = std::move(suggestion)});
    return out;
  };
  const TraceLosses losses = trace_losses(selected.trace);
  if (losses.without_node == selected.trace.records.size())
    return fail("names no node, and a fault of a scenario strikes a host", "trace fit needs none");
  out.faults = fault_trace_toml(
      selected.trace, {.source = source_text(source),
                       .about = fmt::format("{} failures of {}, by gauntlet trace import.",
                                            source.selected - losses.without_node, source_text(source)),
                       .origin = selected.origin});
  if (out.faults.size() > kLargestFile)
    return fail(fmt::format("has {} failures, more than a scenario's file of 4 MiB holds", source.selected),
                "choose a system with --system, or a window with --from and --until");
  out.result = TraceImport{.source = source,
                           .out = {},
                           .written = source.selected - losses.without_node,
                           .hosts = component_numbers(selected.trace).count,
                           .zero_repairs = losses.zero_repairs,
                           .without_node = losses.without_node,
                           .origin = source.format == "gauntlet" ? "" : iso_text(selected.origin),
                           .causes = cause_shares(selected.trace)};
  return out;
}

}  // namespace gauntlet
