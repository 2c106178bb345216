// The probes that Gauntlet has of its own, by name.
#pragma once

#include "core/files/files.hpp"
#include "real/nvml/library.hpp"
#include "real/probes/host/file_system_space.hpp"
#include "real/probes/judge.hpp"
#include "real/probes/link/link_socket.hpp"
#include "real/probes/sample.hpp"

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gauntlet {

/// What the probes look at.
struct ProbedHost {
  std::string root = {};        // before /proc and /sys; empty: those of this machine
  std::string directory = ".";  // takes the files of disk probes
  Files* files = &system_files();
  FileSystemSpace (*space)(const std::string& directory) = space_of;
  std::map<std::string, std::string> earlier = {};  // facts of an earlier report of this host
  std::vector<Neighbour> neighbours = {};           // hosts to measure the links to
  std::string secret = {};                          // that they have too
  /// How many further connections measure a link that seems slow: two connections over one link differ by how both hosts schedule them. 0
  /// where the neighbour listens for one connection.
  int looks_again = 5;
  Neighbour nccl_ras{.host = "localhost", .port = 28028};  // where a job's NCCL answers: its default
  std::string nvml = nvml::kLibrary;  // NVIDIA's management library, as dlopen(3) takes it
  std::string cuda_program = {};      // empty: gauntlet-cuda-probe beside this program
  std::string ucx_program = {};       // empty: gauntlet-ucx-probe beside it
};

struct OwnProbe {
  std::string_view name;
  std::string_view about;  // what it measures, for people
  ProbeMetric metric;
  /// May take long on a sick host, and may never end.
  ProbeSample (*run)(const ProbedHost& host);
  bool needs_neighbour = false;
};

std::span<const OwnProbe> own_probes();
/// Null where there is none of that name.
const OwnProbe* own_probe(std::string_view name);

}  // namespace gauntlet
