// A probe that an agent is asked to carry out, in a process of its own.
#pragma once

#include "core/time.hpp"
#include "real/probes/link/link_socket.hpp"
#include "real/probes/sample.hpp"

#include <optional>
#include <string>
#include <vector>

namespace gauntlet {

/// The part of a host in a probe of two hosts.
struct ProbeLink {
  bool listens = false;  // there, until the other host has measured; else this host measures
  std::vector<Neighbour> addresses;
  std::string secret;  // that the other host has too
};

struct ProbeTask {
  std::string probe;                   // one of Gauntlet's own by name, unless there are arguments
  std::vector<std::string> arguments;  // of a program that is the probe
  std::string metric;                  // RE2: where its output has the metric; empty: its exit code says all
  Duration deadline{};                 // then it is ended, and the sample says so
  std::optional<ProbeLink> link{};     // of a probe of two hosts
};

/// Why this Gauntlet cannot carry it out, or nothing.
std::string problem_of(const ProbeTask& task);

/// Who carries it out, and where.
struct ProbeSurroundings {
  std::string program;    // of Gauntlet: it runs as `program agent-probe TASK`
  std::string directory;  // takes the files of disk probes
  std::string run_as;     // whose process a program that is the probe is (find_rank_user)
  std::string tag;        // NAME=value, which the program and all that it starts carry in their environment
};

/// In a process of its own, since whoever asks has threads. Blocks, at most a few seconds longer than the deadline.
ProbeSample carry_out(const ProbeTask& task, const ProbeSurroundings& where);

/// That process: the sample of `task` as JSON, for whoever asked. Ends with whoever asked; a program that is
/// the probe is found by its tag. Throws std::runtime_error where the task
/// cannot be read, or its user cannot be found.
std::string carry_out_here(const std::string& task);

}  // namespace gauntlet
