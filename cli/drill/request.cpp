#include "cli/drill/request.hpp"

#include "shell/command_line.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <filesystem>

namespace gauntlet {

std::string own_path() { return std::filesystem::read_symlink("/proc/self/exe").string(); }
std::string trainer_path() {
  return (std::filesystem::path(own_path()).parent_path() / "gauntlet-trainer").string();
}

std::optional<std::uint16_t> port_of(const std::string& text) {
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional(port) : std::nullopt;
}

std::optional<RankUser> user_of(const DrillRequest& request) {
  std::optional<RankUser> user;
  static_cast<void>(find_rank_user(request.launch.run_as, geteuid(), user));
  return user;
}

std::string continuation_of(const DrillRequest& request) {
  std::error_code ignored;
  if (request.record.empty() || !std::filesystem::exists(request.record + ".state", ignored)) return "";
  return fmt::format("; the same command continues from {}", request.record);
}

std::string command_of(const DrillRequest& request, std::uint64_t seed) {
  return CommandLine("gauntlet drill", request.scenario)
      .number("--hosts", std::optional(request.hosts))
      .option("--set", request.sets)
      .number("--seed", std::optional(seed))
      .flag("--no-faults", request.no_faults)
      .option("--launch", request.launch.launcher == "local" ? "" : request.launch.launcher)
      .option("--run-as", request.launch.run_as)
      .option("--certs", request.launch.certificates)
      .option("--host-file", request.launch.host_file)
      .text();
}

}  // namespace gauntlet
