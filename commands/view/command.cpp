// gauntlet view: a run in, a page out.
#include "commands/view/command.hpp"

#include "commands/view/view.hpp"
#include "config/scenario.hpp"
#include "core/quantity.hpp"
#include "report/words.hpp"
#include "shell/command_line.hpp"
#include "shell/exit_code.hpp"
#include "shell/open_page.hpp"
#include "shell/output_file.hpp"
#include "shell/study_request.hpp"
#include "shell/terminal.hpp"

#include <fmt/format.h>

#include <exception>
#include <memory>
#include <string>

namespace gauntlet {
namespace {

constexpr std::size_t kMostListed = 12;  // incidents on standard output

struct ViewRequest : ViewQuestion {
  std::optional<std::uint32_t> incident;
  std::string out = "view.html";
  bool open = false;
};

std::string command_of(const ViewRequest& request) {
  CommandLine line("gauntlet view", request.what);
  line.option("--set", request.sets);
  if (request.seed) line.option("--seed", std::to_string(*request.seed));
  if (request.replica) line.option("--replica", std::to_string(*request.replica));
  if (request.drill) line.option("--drill", std::to_string(*request.drill));
  if (request.incident) line.option("--incident", std::to_string(*request.incident));
  return line.text();
}

/// `all`: incidents of the run. `only`: the page has one of them.
std::string listed(const View& view, std::size_t all, bool only) {
  const Layout& layout = view.seats.inventory.layout;
  std::string text =
      fmt::format("{}: {}, {}. {} on {}.\n", view.title, view.origin,
                  only ? fmt::format("one of {}", counted(static_cast<double>(all), "incident"))
                       : counted(static_cast<double>(all), "incident"),
                  counted(layout.ranks(), "rank"), counted(view.seats.inventory.job_hosts, "host"));
  for (std::size_t i = 0; i < view.incidents.size() && i < kMostListed; ++i) {
    const ViewIncident& each = view.incidents[i];
    text += fmt::format("  incident {} after {}: {}{}\n", view.numbered_from + i,
                        to_text(std::chrono::floor<std::chrono::seconds>(each.opened - kStart)), each.cause,
                        each.culprit_hosts.empty() ? "" : ", " + each.component);
  }
  if (view.incidents.size() + view.incidents_left_out > kMostListed)
    text += fmt::format("  and {} more\n", view.incidents.size() + view.incidents_left_out - kMostListed);
  return text;
}

int view_command(const ViewRequest& request) {
  if (const auto problem = problem_of_output(request.out, kViewBegins, "a page", "--out"))
    return wrong_input(*problem);
  try {
    const OpenedView opened = open_view(request);
    if (!opened.source) return wrong_input(opened.problems);
    const std::size_t incidents = incidents_of(*opened.source).size();
    if (request.incident && *request.incident >= incidents)
      return wrong_input(
          {.what = fmt::format("--incident {}", *request.incident),
           .why = incidents == 0
                      ? std::string("is not in the run, which has no incident")
                      : fmt::format("is not in the run, which has incidents 0 to {}", incidents - 1),
           .suggestion = incidents == 0 ? "leave it out" : "choose one of them"});
    View view = view_of(*opened.source,
                        request.incident ? std::optional<std::size_t>(*request.incident) : std::nullopt);
    view.command = command_of(request);
    for (const std::string& note : view.notes) complain(note);
    if (const auto problem = write_output(request.out, to_html(view))) {
      print_problems({&*problem, 1});
      return kFailed;
    }
    if (!print(listed(view, incidents, request.incident.has_value()) +
               fmt::format("{} is written{}.\n", request.out, request.open ? "" : ": open it in a browser")))
      return kFailed;
    if (const auto problem = request.open ? open_page(request.out) : std::nullopt) {
      print_problems({&*problem, 1});
      return kFailed;
    }
    return view.notes.empty()
               ? kSuccess
               : kFailed;  // something is missing on the page, or it shows another run than the results
  } catch (const std::exception& error) {
    complain(fmt::format("the run failed: {}", text_of(error)));
    return kFailed;
  }
}

void add_view_options(Command& view) {
  const auto request = std::make_shared<ViewRequest>();
  view.value("run", request->what,
             "A scenario (a file or the name of a shipped one), a recording, or the --out of `gauntlet run` "
             "or `gauntlet "
             "drill`")
      .type_name("RUN")
      .required();
  add_sets(view, request->sets);
  add_seed(view, request->seed, "Seed of the replica (default: the scenario's)");
  view.value("--replica", request->replica,
             "Replica of a scenario (default: 0) or of results (default: the first one), counted from 0")
      .type_name("K")
      .between(0, 1'000'000'000);
  view.value("--drill", request->drill, "The drill of a directory of several, counted from 1 (default: 1)")
      .type_name("N")
      .between(1, 1'000'000'000);
  view.value("--incident", request->incident,
             "Show this incident alone, counted from 0, with more of its events and samples")
      .type_name("N")
      .between(0, 1'000'000'000);
  view.value("--out", request->out, "The page to write. It replaces only a page of `gauntlet view`")
      .type_name("FILE")
      .shows_default();
  view.flag("--open", request->open, "Open the page in a browser, with xdg-open");
  view.runs([request] { return view_command(*request); });
}

}  // namespace

void add_view(Program& program) {
  program.command("view", "Write a page of a run: its ranks, hosts and incidents, and who waits for whom",
                  "  gauntlet view megascale-175b-12288 --out view.html\n"
                  "  gauntlet view tiny-8 --replica 7 --incident 0 --open\n"
                  "  gauntlet run tiny-8 --out results && gauntlet view results --replica 3\n"
                  "  gauntlet drill drill-tiny --hosts 4 --record drill.rec && gauntlet view drill.rec",
                  add_view_options);
}

}  // namespace gauntlet
