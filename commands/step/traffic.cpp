#include "commands/step/traffic.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

namespace gauntlet {
namespace {

std::optional<std::uint32_t> host_in(std::string_view text) {
  constexpr std::string_view kBegins = "host:";
  if (!text.starts_with(kBegins)) return std::nullopt;
  text.remove_prefix(kBegins.size());
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

class TrafficReader {
 public:
  explicit TrafficReader(const World& world) : world_(world) {}

  void beside(const std::string& said) {
    const std::size_t dash = said.find('-');
    const auto from = host_in(std::string_view(said).substr(0, dash));
    const auto to =
        dash == std::string::npos ? std::nullopt : host_in(std::string_view(said).substr(dash + 1));
    if (!from || !to) return wrong("--beside", said, "does not name two hosts", "write host:3-host:8");
    if (!there_is("--beside", said, *from) || !there_is("--beside", said, *to)) return;
    if (*from == *to) return wrong("--beside", said, "stays within a host", "name two hosts");
    add(*from, *to);
  }

  void storm(const std::string& said) {
    const auto from = host_in(said);
    if (!from) return wrong("--storm", said, "names no host", "write host:8");
    if (!there_is("--storm", said, *from)) return;
    for (std::uint32_t host = 0; host < world_.inventory.job_hosts; ++host)
      if (host != *from) add(*from, host);
  }

  Traffic traffic() { return std::move(out_); }

 private:
  void wrong(const char* option, const std::string& said, std::string why, std::string suggestion) {
    out_.problems.push_back(
        {.file = option, .what = said, .why = std::move(why), .suggestion = std::move(suggestion)});
  }

  bool there_is(const char* option, const std::string& said, std::uint32_t host) {
    const std::uint32_t hosts = world_.inventory.hosts();
    if (host < hosts) return true;
    wrong(option, said, fmt::format("names host {} of {}", host, hosts),
          fmt::format("hosts are 0 to {}, the spares last", hosts - 1));
    return false;
  }

  /// A flow through each NIC.
  void add(std::uint32_t from, std::uint32_t to) {
    const HostShape host = {.gpus = world_.hardware.gpus_per_host, .nics = world_.hardware.nics_per_host};
    for (std::uint32_t nic = 0; nic < host.nics; ++nic) {
      const std::uint32_t gpu = host.gpu_of_nic(nic);
      out_.flows.push_back({from * host.gpus + gpu, to * host.gpus + gpu, nic});
    }
  }

  const World& world_;
  Traffic out_;
};

}  // namespace

Traffic parse_traffic(std::span<const std::string> beside, std::span<const std::string> storms,
                      const World& world) {
  TrafficReader reader(world);
  for (const std::string& each : beside) reader.beside(each);
  for (const std::string& each : storms) reader.storm(each);
  return reader.traffic();
}

}  // namespace gauntlet
