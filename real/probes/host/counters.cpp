#include "real/probes/host/counters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <thread>

namespace gauntlet {
namespace {

std::map<std::string, std::string> facts_of(const Counters& counters) {
  std::map<std::string, std::string> out;
  for (const auto& [name, value] : counters) out[name] = std::to_string(value);
  return out;
}

}  // namespace

Counters growth(const Counters& now, const std::map<std::string, std::string>& earlier) {
  Counters out;
  for (const auto& [name, value] : now) {
    const auto before = earlier.find(name);
    if (before == earlier.end()) continue;
    std::uint64_t was = 0;
    std::from_chars(before->second.data(), before->second.data() + before->second.size(), was);
    out[name] = value - (was <= value ? was : 0);
  }
  return out;
}

ProbeSample sample_of_growth(const ProbedHost& host, const std::function<Counters()>& read,
                             const std::function<std::string(const std::string& counter)>& part_of) {
  Counters now = read();
  const auto is_known = [&](const auto& counter) { return host.earlier.contains(counter.first); };
  const bool looked_before = std::any_of(now.begin(), now.end(), is_known);
  std::map<std::string, std::string> earlier = host.earlier;
  if (!looked_before) {
    earlier = facts_of(now);
    std::this_thread::sleep_for(std::chrono::seconds(1));
    now = read();
  }
  ProbeSample sample;
  for (const auto& [name, value] : facts_of(now)) sample.facts.emplace_back(name, value);
  std::map<std::string, PartSample> parts;
  for (const auto& [name, grown] : growth(now, earlier)) {
    PartSample& part = parts[part_of(name)];
    part.part = part_of(name);
    if (part.values.empty()) part.values.push_back(0);
    part.values[0] += static_cast<double>(grown);
    if (grown > 0) part.remark += fmt::format("{}{}: {} more", part.remark.empty() ? "" : ", ", name, grown);
  }
  for (auto& [name, part] : parts) sample.parts.push_back(std::move(part));
  return sample;
}

}  // namespace gauntlet
