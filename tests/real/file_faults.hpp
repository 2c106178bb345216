// Faults of a host that make a file and remove it, for tests of watchdogs.
#pragma once

#include "real/watchdog/watchdog.hpp"
#include "tests/real/scratch.hpp"

#include <poll.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

namespace gauntlet {

inline constexpr auto kLooksFor = std::chrono::seconds(20);

template <class Condition>
bool becomes(Condition condition) {
  const auto until = std::chrono::steady_clock::now() + kLooksFor;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

/// Waits for the next ends as an agent does, by the descriptors of the watchdog.
inline std::vector<FaultEnd> ends_of(Watchdog& watchdog) {
  for (;;) {
    std::vector<pollfd> polled;
    watchdog.add_to(polled);
    constexpr int kLooksForMs = std::chrono::milliseconds(kLooksFor).count();
    if (::poll(polled.data(), polled.size(), kLooksForMs) <= 0) return {};
    if (std::vector<FaultEnd> ends = watchdog.take_ends(); !ends.empty()) return ends;
  }
}

inline bool exists(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

/// Its target is a file, in the folder that the site names. The journal has to know of it before it is there. It cannot be undone while there
/// is a file FILE-held.
inline const HostInjectors& file_faults() {
  static const HostInjectors all = {
      {InjectionKind::link_down,
       {.target =
            [](const InjectionSite& site, const DriverInject& what, const InjectionSubject&,
               std::string& why) {
              if (what.target > 0) why = "this host has one file";
              return site.group + "/fault-" + std::to_string(what.injection);
            },
        .inject =
            [](const std::string& target) {
              const std::string folder = target.substr(0, target.rfind('/'));
              if (bytes_of(folder + "/journal").find(target) == std::string::npos)
                return std::string("not in the journal");
              std::ofstream(target) << "down";
              return std::string();
            },
        .observed = [](const std::string& target) { return bytes_of(target) == "down"; },
        .undo =
            [](const std::string& target) {
              if (exists(target + "-held")) return std::string("it is held");
              ::unlink(target.c_str());
              return std::string();
            }}},
      {InjectionKind::slow,
       {.target = [](const InjectionSite&, const DriverInject&, const InjectionSubject&,
                     std::string&) { return std::string("nothing"); },
        .inject = [](const std::string&) { return std::string(); },
        .observed = [](const std::string&) { return false; },
        .undo = [](const std::string&) { return std::string(); }}}};
  return all;
}

inline DriverInject down(std::uint64_t injection, Duration lasts = kForever) {
  return {.injection = injection, .kind = InjectionKind::link_down, .lasts = lasts};
}

}  // namespace gauntlet
