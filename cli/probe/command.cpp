// gauntlet probe: this host, examined by a suite of probes.
#include "cli/commands.hpp"
#include "cli/probe/links.hpp"
#include "cli/probe/report.hpp"
#include "config/host_suite.hpp"
#include "config/toml/files.hpp"
#include "config/toml/nearest.hpp"
#include "real/probes/suite/examine.hpp"
#include "real/probes/suite/report_json.hpp"
#include "real/system/strays.hpp"
#include "report/table.hpp"
#include "shell/exit_code.hpp"
#include "shell/interrupt.hpp"
#include "shell/terminal.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace gauntlet {
namespace {

/// No probe found anything wrong, and not all of them could say that nothing is.
constexpr int kInconclusive = 3;
// Its own code: a script may drain the host, and kFailed says nothing of the host.
constexpr int kUnhealthy = 4;

struct ProbeRequest {
  std::string suite = "quick";
  std::vector<std::string> only, sets, peers;
  std::string directory = ".";
  std::string nvml;                          // empty: where the driver puts it
  std::string nccl_ras = "localhost:28028";  // NCCL's default
  std::string since;                         // an earlier report of this host; empty: none
  LinkRequest links;
  bool list = false;
  bool json = false;
};

std::string this_host() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 && name[0] != '\0' ? name.data() : "this host";
}

int list_own_probes() {
  TextTable table;
  table.header = {"probe", "unit", "measures"};
  for (const OwnProbe& probe : own_probes())
    table.rows.push_back({std::string(probe.name), probe.metric.unit, std::string(probe.about)});
  return print(to_text(table)) ? kSuccess : kFailed;
}

/// The probes of the suite that --only names, in the suite's order, or what is wrong with --only.
std::optional<Problem> keep_only(const std::vector<std::string>& only, std::vector<SuiteEntry>& probes) {
  std::vector<std::string> known;
  for (const SuiteEntry& each : probes) known.push_back(each.name);
  for (const std::string& name : only)
    if (std::find(known.begin(), known.end(), name) == known.end())
      return Problem{.what = "--only " + name,
                     .why = "is not a probe of the suite",
                     .suggestion = suggest_names(name, known)};
  if (!only.empty())
    std::erase_if(probes, [&](const SuiteEntry& each) {
      return std::find(only.begin(), only.end(), each.name) == only.end();
    });
  return std::nullopt;
}

int exit_code_of(ProbeVerdict verdict) {
  switch (verdict) {
    case ProbeVerdict::pass:
      return kSuccess;
    case ProbeVerdict::degraded:
    case ProbeVerdict::fail:
      return kUnhealthy;
    case ProbeVerdict::inconclusive:
    case ProbeVerdict::unjudged:
    case ProbeVerdict::unsupported:
      return kInconclusive;
  }
  return kFailed;
}

/// The report in a file that --json wrote, or what is wrong with the file.
std::optional<Problem> read_report(const std::string& path, PeerReport& into) {
  const FileText file = read_file(path);
  if (!file.text) {
    Problem problem = file.problem;
    problem.file = path;
    return problem;
  }
  auto report = peer_report(*file.text);
  if (!report)
    return Problem{.file = path,
                   .why = "is not a report of a host",
                   .suggestion = "write it with gauntlet probe --json"};
  into = std::move(*report);
  return std::nullopt;
}

struct OtherReports {
  std::vector<PeerReport> peers;
  std::map<std::string, std::string> earlier;  // facts
};

std::optional<Problem> read_others(const ProbeRequest& request, OtherReports& into) {
  for (const std::string& path : request.peers)
    if (auto problem = read_report(path, into.peers.emplace_back())) return problem;
  if (request.since.empty()) return std::nullopt;
  PeerReport before;
  if (auto problem = read_report(request.since, before)) return problem;
  for (const auto& [probe, facts] : before.facts) into.earlier.insert(facts.begin(), facts.end());
  return std::nullopt;
}

/// Ends what programs of the suite left behind in sessions of their own; a kernel that hangs may keep them.
void end(Strays& strays) {
  constexpr int kSeconds = 10;
  for (int second = 0; second < kSeconds && strays.end(); ++second) {
    std::vector<pollfd> dying;
    strays.add_to(dying);
    ::poll(dying.data(), dying.size(), 1000);
  }
}

int examine_and_print(const ProbeRequest& request, const std::vector<SuiteEntry>& probes,
                      OtherReports others) {
  ProbedHost host{.directory = request.directory, .earlier = std::move(others.earlier)};
  if (!request.nvml.empty()) host.nvml = request.nvml;
  if (const auto problem = read_address("--nccl-ras", request.nccl_ras, host.nccl_ras))
    return wrong_input(*problem);
  if (const auto problem = read_links(request.links, host.neighbours, host.secret))
    return wrong_input(*problem);
  std::vector<PlannedProbe> suite;
  for (const SuiteEntry& each : probes)
    suite.push_back({.name = each.name, .expected = each.time, .measure = each.measure});
  HostExamination how{.host = host, .peers = std::move(others.peers), .stop = &stop_on_interrupt()};
  if (shows_progress())
    how.begins = [](const PlannedProbe& probe) { say(fmt::format("\r\x1b[K{}", probe.name)); };
  Strays strays;
  const ExaminedHost examined{
      .name = this_host(), .suite = request.suite, .reports = examine_host(suite, how)};
  end(strays);
  if (shows_progress()) say("\r\x1b[K");
  // What programs print need not be UTF-8.
  const std::string json =
      json_of(examined).dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  if (!print_answer({.report = probe_report(examined), .json = json}, request.json)) return kFailed;
  if (const int signal = interrupting_signal(); signal != 0) return kSignalBase + signal;
  return exit_code_of(verdict_of(examined.reports));
}

int probe_host(const ProbeRequest& request) {
  if (request.list) return list_own_probes();
  if (!request.links.serve.empty()) return serve_links(request.links);
  std::error_code unknown;
  if (!std::filesystem::is_directory(request.directory, unknown))
    return wrong_input(Problem{
        .what = "--directory " + request.directory,
        .why = std::filesystem::exists(request.directory, unknown) ? "is not a directory" : "is not there",
        .suggestion = "name a directory on the disk that jobs of this host write to"});
  const std::string shipped = shipped_host_suite(request.suite);
  if (shipped.empty() && !std::filesystem::exists(request.suite, unknown) && !unknown)
    return wrong_input(
        Problem{.what = "--suite " + request.suite,
                .why = "is neither a suite nor a file",
                .suggestion = suggest_names(request.suite, std::vector<std::string>{"full", "quick"})});
  LoadedSuite suite = load_host_suite(shipped.empty() ? request.suite : shipped, request.sets);
  if (!suite.problems.empty()) return wrong_input(suite.problems);
  if (const auto problem = keep_only(request.only, suite.probes)) return wrong_input(*problem);
  if (suite.probes.empty())
    return wrong_input(
        Problem{.file = request.suite, .why = "has no probes", .suggestion = "write [probes.NAME] in it"});
  OtherReports others;
  if (const auto problem = read_others(request, others)) return wrong_input(*problem);
  return examine_and_print(request, suite.probes, std::move(others));
}

void add_probe_options(Command& probe) {
  const auto request = std::make_shared<ProbeRequest>();
  probe
      .value("--suite", request->suite,
             "Probes to run: quick (seconds), full (minutes), or a file with [probes], such as a scenario")
      .type_name("SUITE")
      .shows_default();
  probe.value("--only", request->only, "Run only these probes of the suite")
      .type_name("NAME,...")
      .separated_by(',');
  probe.value("--directory", request->directory, "Directory whose disk is examined; nothing stays in it")
      .type_name("DIR")
      .shows_default();
  probe.value("--peers", request->peers, "Compare with these reports of other hosts, as --json prints them")
      .type_name("FILE,...")
      .separated_by(',');
  probe.value("--since", request->since, "Count errors since this report of the host, not during one second")
      .type_name("FILE");
  probe
      .value("--nvml", request->nvml,
             "NVIDIA's management library, where it is not libnvidia-ml.so.1 of the system")
      .type_name("FILE");
  probe
      .value("--nccl-ras", request->nccl_ras,
             "Where the RAS of a running job's NCCL listens, as NCCL_RAS_ADDR of the job says")
      .type_name("HOST:PORT")
      .shows_default();
  probe
      .value("--pair", request->links.neighbours,
             "Measure the links to these hosts, which run gauntlet probe --serve")
      .type_name("HOST:PORT,...")
      .separated_by(',');
  probe
      .value("--serve", request->links.serve,
             "Listen there for hosts that measure their link to this one, until Ctrl-C; port 0 is any that "
             "is free")
      .type_name("HOST:PORT");
  probe
      .value("--secret-file", request->links.secret_file,
             "File with a secret by which the two hosts of a link know each other")
      .type_name("FILE");
  probe.value("--set", request->sets, "Change a value of the suite, such as a threshold")
      .type_name("KEY=VALUE")
      .one_value_each();
  probe.flag("--list", request->list, "List the probes that Gauntlet has of its own, with their units");
  probe.flag("--json", request->json, "Print JSON");
  probe.runs([request] { return probe_host(*request); });
}

}  // namespace

void add_probe(Program& program) {
  program.command(
      "probe", "Examine this host: cores, memory, disk, links, and programs of yours",
      "  gauntlet probe\n"
      "  gauntlet probe --suite full --directory /scratch --json > node-7.json\n"
      "  gauntlet probe --peers node-8.json,node-9.json --since node-7.json\n"
      "  gauntlet probe --only disk_fsync --set probes.disk_fsync.threshold.at_most=5\n"
      "  gauntlet probe --serve node-8:7500 --secret-file probe.secret\n"
      "  gauntlet probe --suite full --pair node-8:7500,node-9:7500 --secret-file probe.secret\n"
      "  gauntlet probe --list\n\n"
      "Exit codes: 0 nothing wrong was found, and at least one probe passes; 1 the answer cannot be\n"
      "written; 2 the input is wrong; 3 nothing wrong was found, and a probe was inconclusive or none\n"
      "passes; 4 the host is degraded or fails; 130 Ctrl-C.",
      add_probe_options);
}

}  // namespace gauntlet
