// What NVIDIA's driver and libraries say of themselves. Facts to compare with those of other hosts; none where they are not installed.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace gauntlet {

/// Model, firmware and PCIe width of each GPU, in the order of their PCI addresses. `root`: before /proc and /sys.
std::vector<std::pair<std::string, std::string>> gpu_facts(const std::string& root);

/// Of the library that a program of this machine would load (libnccl.so.2); empty where it finds none. Loads it.
std::string nccl_version();
/// As NCCL counts (nccl.h): 10,000 for each major version since 2.9, 1,000 before.
std::string nccl_version_of(int code);

}  // namespace gauntlet
