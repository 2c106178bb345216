// gauntlet ctl: operators of a drill that runs.
#include "cli/commands.hpp"
#include "cli/running_drill.hpp"
#include "real/control/control_client.hpp"
#include "real/driver/drill_place.hpp"
#include "report/table.hpp"
#include "shell/exit_code.hpp"
#include "shell/terminal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

namespace gauntlet {
namespace {

struct CtlRequest {
  std::string drill;  // empty: the only one that runs
  std::uint32_t host = 0;
  std::string reason;
  std::optional<std::uint32_t> culprit;
  std::string mark;
  bool nobody = false;
};

/// The directory of the drill, or a problem.
std::optional<Problem> find_drill(const CtlRequest& request, std::string& directory) {
  directory = request.drill;
  return directory.empty() ? find_running_drill(directory, "with --drill DIR") : std::nullopt;
}

int ask(const CtlRequest& request, const OperatorRequest& what) {
  std::string directory;
  if (const auto problem = find_drill(request, directory)) return wrong_input(*problem);
  OperatorReply reply;
  if (const auto problem = ask_driver(directory, what, reply)) {
    print_problems({&*problem, 1});
    return kFailed;
  }
  if (!reply.done) {
    complain("refused: " + reply.text);
    return kWrongInput;
  }
  std::string text = reply.text.empty() ? "" : reply.text + "\n";
  if (what.verb == OperatorVerb::hosts && !reply.rows.empty()) {
    TextTable table{.header = reply.rows.front(), .rows = {reply.rows.begin() + 1, reply.rows.end()}};
    text += to_text(table);
  } else {
    for (const auto& row : reply.rows) text += fmt::format("{:<18} {}\n", row.at(0), row.at(1));
  }
  return print(text) ? kSuccess : kFailed;
}

/// The log is a file: it can be read though the driver is busy, or gone.
int print_log(const CtlRequest& request) {
  std::string directory;
  if (const auto problem = find_drill(request, directory)) return wrong_input(*problem);
  const std::string path = drill_log(directory);
  std::ifstream file(path, std::ios::binary);
  if (!file)
    return wrong_input(
        Problem{.file = path,
                .why = "cannot be read",
                .suggestion = "name the directory of a drill, which the drill prints when it begins"});
  std::string part(std::size_t{1} << 16, '\0');
  while (file.read(part.data(), static_cast<std::streamsize>(part.size())) || file.gcount() > 0) {
    if (!print(without_controls(part.substr(0, static_cast<std::size_t>(file.gcount()))))) return kFailed;
  }
  return kSuccess;
}

void add_drill_option(Command& command, CtlRequest& request) {
  command
      .value("--drill", request.drill, "Directory of the drill (default: that of the only drill that runs)")
      .type_name("DIR");
}

void add_reason(Command& command, CtlRequest& request) {
  command
      .value("--reason", request.reason, "For people: the drill prints and logs it, and its report says it")
      .type_name("TEXT")
      .check([](const std::string& text) { return problem_of_reason(text); });
}

void add_host(Command& command, CtlRequest& request) {
  command.value("host", request.host, "Number of the host").type_name("HOST").required();
}

using Request = std::shared_ptr<CtlRequest>;

void add_plain(Command& ctl, const Request& request, const char* name, const char* what, const char* example,
               OperatorVerb verb) {
  Command command = ctl.subcommand(name, what, example);
  add_drill_option(command, *request);
  command.runs([request, verb] { return ask(*request, {.verb = verb}); });
}

void add_with_reason(Command& ctl, const Request& request, const char* name, const char* what,
                     const char* example, OperatorVerb verb) {
  Command command = ctl.subcommand(name, what, example);
  add_reason(command, *request);
  add_drill_option(command, *request);
  command.runs([request, verb] { return ask(*request, {.verb = verb, .reason = request->reason}); });
}

void add_of_host(Command& ctl, const Request& request, const char* name, const char* what,
                 const char* example, OperatorVerb verb) {
  Command command = ctl.subcommand(name, what, example);
  add_host(command, *request);
  add_reason(command, *request);
  add_drill_option(command, *request);
  command.runs([request, verb] {
    return ask(*request, {.verb = verb, .host = HostId{request->host}, .reason = request->reason});
  });
}

void add_mark(Command& ctl, const Request& request) {
  Command mark = ctl.subcommand(
      "mark", "Mark a host for maintenance: it is evicted after a checkpoint, or at the next stop of the job",
      "  gauntlet ctl mark 3 maintenance --reason 'new firmware'");
  add_host(mark, *request);
  mark.value("maintenance", request->mark, "The word `maintenance`")
      .type_name("MARK")
      .required()
      .one_of({"maintenance"});
  add_reason(mark, *request);
  add_drill_option(mark, *request);
  mark.runs([request] {
    return ask(*request,
               {.verb = OperatorVerb::maintenance, .host = HostId{request->host}, .reason = request->reason});
  });
}

void add_answer(Command& ctl, const Request& request) {
  Command answer = ctl.subcommand("answer", "Answer the question which host is the culprit",
                                  "  gauntlet ctl answer 3\n  gauntlet ctl answer --none");
  Option host = answer.value("host", request->culprit, "Number of the host").type_name("HOST");
  answer.flag("--none", request->nobody, "No host is the culprit").excludes(host);
  add_reason(answer, *request);
  add_drill_option(answer, *request);
  answer.runs([request] {
    if (!request->culprit && !request->nobody)
      return wrong_input(Problem{.file = "gauntlet ctl answer",
                                 .why = "names no host",
                                 .suggestion = "write the number of the culprit, or --none"});
    OperatorRequest what{.verb = OperatorVerb::answer, .reason = request->reason};
    if (request->culprit) what.host = HostId{*request->culprit};
    return ask(*request, what);
  });
}

void add_ctl_options(Command& ctl) {
  const auto request = std::make_shared<CtlRequest>();
  ctl.requires_subcommand();
  add_plain(ctl, request, "status", "Print how the drill stands", "  gauntlet ctl status",
            OperatorVerb::status);
  add_plain(ctl, request, "hosts", "Print the state of each host", "  gauntlet ctl hosts",
            OperatorVerb::hosts);
  add_of_host(
      ctl, request, "evict",
      "Take a host out now, as if the diagnosis had named it: the job stops and continues with another",
      "  gauntlet ctl evict 3 --reason 'ECC errors'", OperatorVerb::evict);
  add_of_host(ctl, request, "readmit", "Return a host that was evicted: its repair is over now",
              "  gauntlet ctl readmit 3", OperatorVerb::readmit);
  add_mark(ctl, request);
  add_answer(ctl, request);
  add_with_reason(ctl, request, "stop", "End the drill in order: the job is saved and stopped",
                  "  gauntlet ctl stop --reason 'the machines are wanted'", OperatorVerb::stop);
  add_with_reason(ctl, request, "disarm", "Undo every injected fault, and inject no other",
                  "  gauntlet ctl disarm", OperatorVerb::disarm);
  Command log = ctl.subcommand("log", "Print the log of the drill: a line of JSON for each event",
                               "  gauntlet ctl log | jq 'select(.event == \"order\")'");
  add_drill_option(log, *request);
  log.runs([request] { return print_log(*request); });
}

}  // namespace

void add_ctl(Program& program) {
  program.command("ctl", "Operate a drill that runs: its hosts, its questions, its end",
                  "  gauntlet ctl status\n"
                  "  gauntlet ctl evict 3 --reason 'ECC errors'\n"
                  "  gauntlet ctl stop",
                  add_ctl_options);
}

}  // namespace gauntlet
