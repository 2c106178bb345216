#include "real/probes/host/rdma_probes.hpp"

#include "real/probes/host/counters.hpp"
#include "real/probes/host/machine_files.hpp"
#include "real/system/entries.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <filesystem>
#include <span>
#include <string_view>

namespace gauntlet {
namespace {

namespace fs = std::filesystem;

constexpr const char* kNoDevice = "this host has no RDMA device (/sys/class/infiniband)";

struct Port {
  std::string name;  // "mlx5_0:1"
  std::string kind;
  fs::path folder;
};

std::vector<Port> ports_of(const std::string& root) {
  std::vector<Port> ports;
  for (const fs::path& device : entries_of(root + "/sys/class/infiniband"))
    for (const fs::path& folder : entries_of(device / "ports")) {
      const std::string number = folder.filename().string();
      ports.push_back({.name = device.filename().string() + ":" + number,
                       .kind = fmt::format("port {} of {}", number,
                                           first_line((device / "board_id").string()).value_or("")),
                       .folder = folder});
    }
  return ports;
}

std::string text_in(const fs::path& file) { return first_line(file.string()).value_or("not said"); }

/// Of "400 Gb/sec (4X NDR)".
double rate_in(const std::string& text) {
  double rate = 0;
  std::from_chars(text.data(), text.data() + text.size(), rate);
  return rate;
}

/// `files`: of the folder of a port.
ProbeSample growth_of_ports(const ProbedHost& host, std::span<const std::string_view> files) {
  const std::vector<Port> ports = ports_of(host.root);
  if (ports.empty()) return unsupported_sample(kNoDevice);
  const auto read = [&] {
    Counters counters;
    for (const Port& port : ports)
      for (const std::string_view file : files)
        if (const auto value = whole_number_in((port.folder / file).string()))
          counters[port.name + " " + fs::path(file).filename().string()] = static_cast<std::uint64_t>(*value);
    return counters;
  };
  ProbeSample sample = sample_of_growth(
      host, read, [](const std::string& counter) { return counter.substr(0, counter.find(' ')); });
  if (sample.parts.empty()) return unsupported_sample("the driver of the RDMA devices does not count this");
  return sample;
}

}  // namespace

ProbeSample probe_rdma_ports(const ProbedHost& host) {
  ProbeSample sample;
  bool any_active = false;
  for (const Port& port : ports_of(host.root)) {
    const std::string state = text_in(port.folder / "state"), rate = text_in(port.folder / "rate");
    const bool active = state.find("ACTIVE") != std::string::npos;
    any_active = any_active || active;
    sample.parts.push_back({.part = port.name,
                            .kind = port.kind,
                            .values = {active ? rate_in(rate) : 0},
                            .remark = fmt::format("state {}, physical state {}, rate {}", state,
                                                  text_in(port.folder / "phys_state"), rate)});
  }
  if (sample.parts.empty()) return unsupported_sample(kNoDevice);
  if (!any_active) sample.inconclusive = "no port is active: " + sample.parts.front().remark;
  return sample;
}

ProbeSample probe_rdma_errors(const ProbedHost& host) {
  static constexpr std::array<std::string_view, 6> kFiles = {
      "counters/link_downed",        "counters/link_error_recovery",
      "counters/port_rcv_errors",    "counters/local_link_integrity_errors",
      "counters/port_xmit_discards", "counters/excessive_buffer_overrun_errors"};
  return growth_of_ports(host, kFiles);
}

ProbeSample probe_rdma_retries(const ProbedHost& host) {
  // Of NVIDIA's cards: "Understanding mlx5 Linux counters and status parameters", hw_counters
  // (https://enterprise-support.nvidia.com/s/article/understanding-mlx5-linux-counters-and-status-parameters).
  static constexpr std::array<std::string_view, 4> kFiles = {
      "hw_counters/packet_seq_err", "hw_counters/local_ack_timeout_err", "hw_counters/out_of_sequence",
      "hw_counters/rnr_nak_retry_err"};
  return growth_of_ports(host, kFiles);
}

}  // namespace gauntlet
