// This machine as the place of a drill, for tests.
#pragma once

#include "real/launch/local_launcher.hpp"
#include "real/launch/machine_platform.hpp"

#include <unistd.h>

#include <memory>
#include <string>
#include <utility>

namespace gauntlet {

/// For --run-as: ranks of tests run as whoever runs the tests.
inline std::string own_user() { return geteuid() == 0 ? "root" : ""; }

class LocalPlatform final : public MachinePlatform {
 public:
  LocalPlatform(std::string gauntlet, std::string trainer)
      : MachinePlatform(std::make_unique<LocalLauncher>(
            AgentCommand{
                .gauntlet = std::move(gauntlet), .trainer = std::move(trainer), .run_as = own_user()},
            DrillCertificates{})) {}
};

}  // namespace gauntlet
