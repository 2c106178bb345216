#include "real/probes/cuda/measurements.hpp"

#include "real/cuda/device.hpp"
#include "real/probes/cuda/probes.hpp"

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <string>

namespace gauntlet::cuda {
namespace {

/// As TOML's basic strings have it: what a driver or a GPU calls itself is ASCII.
std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c >= 0x20 && c < 0x7f ? c : '?';
  }
  return out + "\"";
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm date{};
  ::gmtime_r(&now, &date);
  char text[16] = {};
  std::strftime(text, sizeof text, "%Y-%m-%d", &date);
  return text;
}

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

void print_header(std::FILE* to) {
  int driver = 0, runtime = 0;
  if (cudaDriverGetVersion(&driver) != cudaSuccess) driver = 0;
  if (cudaRuntimeGetVersion(&runtime) != cudaSuccess) runtime = 0;
  std::fprintf(to,
               "# Written by `gauntlet-cuda-probe --measurements`.\n"
               "date = %s  # UTC\ncommand = \"gauntlet-cuda-probe --measurements\"\n"
               "driver_cuda = %s\nruntime_cuda = %s\n",
               quoted(today()).c_str(), quoted(version_text(driver)).c_str(),
               quoted(version_text(runtime)).c_str());
}

void print_part(std::FILE* to, const Probe& probe, const Part& part) {
  const auto [low, high] = std::minmax_element(part.values.begin(), part.values.end());
  std::fprintf(to,
               "\n[[measured]]\nprobe = %s\npart = %s\nhardware = %s\nunit = %s\n"
               "median = %.6g\nlow = %.6g\nhigh = %.6g\nn = %zu\n",
               quoted("gpu_" + std::string(probe.name)).c_str(), quoted(part.part).c_str(),
               quoted(part.kind).c_str(), quoted(std::string(probe.unit)).c_str(), median(part.values), *low,
               *high, part.values.size());
  if (!part.remark.empty()) std::fprintf(to, "remark = %s\n", quoted(part.remark).c_str());
}

void print_without(std::FILE* to, const Probe& probe, const char* what, const std::string& why) {
  std::fprintf(to, "\n[[%s]]\nprobe = %s\nwhy = %s\n", what, quoted("gpu_" + std::string(probe.name)).c_str(),
               quoted(why).c_str());
}

void print(std::FILE* to, const Probe& probe, const Sample& sample) {
  for (const Part& part : sample.parts) print_part(to, probe, part);
  for (const std::string& error : sample.errors) print_without(to, probe, "failed", error);
  if (!sample.unsupported.empty()) print_without(to, probe, "unsupported", sample.unsupported);
  if (!sample.inconclusive.empty()) print_without(to, probe, "inconclusive", sample.inconclusive);
  for (const auto& [name, value] : sample.facts) std::fprintf(to, "# %s: %s\n", name.c_str(), value.c_str());
}

}  // namespace

bool print_measurements(std::FILE* to) {
  print_header(to);
  for (const Probe& probe : probes()) {
    print(to, probe, run(probe));
    if (std::fflush(to) != 0) return false;
  }
  return std::ferror(to) == 0;
}

}  // namespace gauntlet::cuda
