#include "real/agent/probe_threads.hpp"

#include "core/contract.hpp"

#include <algorithm>
#include <exception>
#include <system_error>
#include <thread>

namespace gauntlet {
namespace {

const HostProbe* find(const std::string& name) {
  const auto probes = host_probes();
  const auto found =
      std::find_if(probes.begin(), probes.end(), [&](const HostProbe& probe) { return probe.name == name; });
  return found == probes.end() ? nullptr : &*found;
}

}  // namespace

bool ProbeThreads::knows(const std::string& probe) const { return find(probe) != nullptr; }

std::string ProbeThreads::known() const {
  std::string out;
  for (const HostProbe& probe : host_probes()) out += (out.empty() ? "" : ", ") + std::string(probe.name);
  return out;
}

void ProbeThreads::begin(const std::string& probe, std::uint64_t number) {
  const HostProbe* found = find(probe);
  expect(found != nullptr, "only a probe that is known is begun");
  const auto body = [run = found->run, number, directory = directory_, ended = ended_] {
    ProbeResult result;
    try {
      result = run(directory, number);
    } catch (const std::exception& error) {
      result = {.faulty = true, .value = 0, .why = error.what()};  // no memory is left
    }
    ended({number, result});
  };
  try {
    std::thread(body).detach();
  } catch (const std::system_error& error) {
    ended_({number,
            {.faulty = true, .value = 0, .why = std::string("no thread can be started: ") + error.what()}});
  }
}

}  // namespace gauntlet
