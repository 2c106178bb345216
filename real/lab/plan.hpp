// The plan of a lab on one machine: a network, a clock and a share of the processors for each host of a drill.
//
// Every interface lies in a network namespace of the lab, so nothing of it is seen outside. One namespace has the bridges: one for
// management, one per ToR switch, and the spine above these. Each host has a namespace with one management and two data interfaces.
#pragma once

#include "core/problem.hpp"
#include "core/time.hpp"
#include "models/world/world.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gauntlet {

inline constexpr std::size_t kDataInterfaces = 2;
inline constexpr double kLabShareOfCores = 0.8;  // of the machine's processors, for all hosts together
inline constexpr std::uint32_t kMostLabHosts = 250;
inline constexpr const char* kLabGroupPrefix = "gauntlet-lab-";  // the drill's id follows

/// The name of a data interface on each host.
inline std::string data_interface(std::size_t number) { return "data" + std::to_string(number); }

struct LabInterface {
  std::string name;     // in the host's namespace
  std::string port;     // the other end, in the namespace of the bridges
  std::string bridge;   // that the port belongs to
  std::string address;  // IPv4, without the length of its network, which is 24
};

struct LabHost {
  std::uint32_t number = 0;
  std::string name;  // that its agent's certificate carries
  LabInterface management;
  std::array<LabInterface, kDataInterfaces> data;
  Duration clock_offset{};    // of its CLOCK_MONOTONIC
  std::int64_t quota_us = 0;  // of processor time in each period
};

struct LabPlan {
  std::string cgroup;             // name of the control group of all hosts
  std::string driver_address;     // of the driver, on the management bridge
  std::vector<std::string> tors;  // bridges
  std::vector<LabHost> hosts;
};

inline constexpr std::int64_t kQuotaPeriodUs = 100'000;
inline constexpr const char* kManagementBridge = "management";
inline constexpr const char* kSpineBridge = "spine";

/// `directory`: of the drill, whose name gives the id. `cores`: of this machine.
std::optional<Problem> plan_lab(const World& world, const std::string& directory, unsigned cores,
                                LabPlan& out);

/// The data interfaces of a host that are below a ToR switch, in ascending order.
std::vector<std::uint32_t> interfaces_below(const World& world, std::uint32_t host, std::uint32_t tor);

/// The commands of `ip -batch` that make the bridges, and the hosts' interfaces but for their addresses. `namespaces`: the path of
/// each host's network namespace.
std::string network_commands(const LabPlan& plan, const std::vector<std::string>& namespaces);
/// Those that finish the network of a host, within its namespace.
std::string network_commands(const LabHost& host);

}  // namespace gauntlet
