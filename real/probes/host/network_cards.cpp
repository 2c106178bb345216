#include "real/probes/host/network_cards.hpp"

#include "real/probes/host/machine_files.hpp"
#include "real/system/entries.hpp"

#include <filesystem>

namespace gauntlet {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& file) { return first_line(file.string()).value_or(""); }

int node_of(const fs::path& device) {
  return static_cast<int>(whole_number_in((device / "device" / "numa_node").string()).value_or(-1));
}

}  // namespace

NetworkCards network_cards(const std::string& root) {
  NetworkCards cards;
  const std::vector<fs::path> devices = entries_of(root + "/sys/class/infiniband");
  for (const fs::path& device : devices)
    for (const fs::path& port : entries_of(device / "ports")) {
      const std::string name = device.filename().string() + ":" + port.filename().string();
      if (text_of(port / "state").find("ACTIVE") == std::string::npos)
        cards.down.push_back(name);
      else
        cards.up.push_back({.name = name,
                            .rdma = true,
                            .speed = text_of(port / "link_layer") + ", " + text_of(port / "rate"),
                            .node = node_of(device)});
    }
  if (!devices.empty()) return cards;
  // The loopback says "unknown" of its state, as do interfaces that cannot tell.
  for (const fs::path& interface : entries_of(root + "/sys/class/net"))
    if (const std::string state = text_of(interface / "operstate"); state == "up" || state == "unknown")
      cards.up.push_back({.name = interface.filename().string(), .rdma = false, .speed = {}, .node = -1});
  return cards;
}

}  // namespace gauntlet
