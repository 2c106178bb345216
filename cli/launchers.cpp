#include "cli/launchers.hpp"

#include "core/contract.hpp"
#include "real/driver/local_launcher.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace gauntlet {
namespace {

std::optional<Problem> make_local(const LaunchRequest& request, std::unique_ptr<Launcher>& out) {
  DrillCertificates certificates;
  if (!request.certificates.empty()) {
    if (auto problem = load_drill_certificates(request.certificates, certificates)) return problem;
  }
  out = std::make_unique<LocalLauncher>(
      AgentCommand{.gauntlet = request.gauntlet, .trainer = request.trainer, .run_as = request.run_as},
      std::move(certificates));
  return std::nullopt;
}

struct KnownLauncher {
  const char* name;
  std::optional<Problem> (*make)(const LaunchRequest& request, std::unique_ptr<Launcher>& out);
};

constexpr std::array<KnownLauncher, 1> kLaunchers = {{{"local", make_local}}};

}  // namespace

std::vector<std::string> launcher_names() {
  std::vector<std::string> names;
  for (const KnownLauncher& each : kLaunchers) names.emplace_back(each.name);
  return names;
}

std::optional<Problem> make_launcher(const LaunchRequest& request, std::unique_ptr<Launcher>& out) {
  const auto found = std::find_if(kLaunchers.begin(), kLaunchers.end(),
                                  [&](const KnownLauncher& each) { return each.name == request.launcher; });
  expect(found != kLaunchers.end(), "the command line knows the names");
  return found->make(request, out);
}

}  // namespace gauntlet
