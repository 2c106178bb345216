#include "real/lab/cpu_quota.hpp"

#include "real/system/descriptor.hpp"
#include "real/watchdog/group_files.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <map>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <vector>

namespace gauntlet {
namespace {

namespace fs = std::filesystem;

constexpr const char* kKeeper = "keeper";
constexpr const char *kMostShares = "262144", *kMostWeight = "10000";  // Linux: MAX_SHARES, CGROUP_WEIGHT_MAX
constexpr std::time_t kYoungSeconds = 60;  // a group that is empty because its lab is still being made
constexpr int kTries = 100;
constexpr auto kPause = std::chrono::milliseconds(20);  // until a process that was killed has left its group

bool has_word(const fs::path& file, const std::string& word) {
  std::ifstream words(file);
  for (std::string each; words >> each;)
    if (each == word) return true;
  return false;
}

void make_group(const std::string& path) {
  if (::mkdir(path.c_str(), 0755) != 0 && errno != EEXIST)
    throw std::runtime_error(path + ": cannot be made: " + std::generic_category().message(errno));
}

void set_value(const std::string& path, const std::string& value) {
  if (!write_value(path, value)) throw std::runtime_error(path + ": " + value + " cannot be written");
}

/// With the group itself, which comes last: a group is removed after those below it.
std::vector<fs::path> groups_below(const fs::path& group) {
  std::vector<fs::path> found;
  std::error_code ignored;
  for (const auto& each : fs::directory_iterator(group, ignored)) {
    if (!each.is_directory(ignored)) continue;
    const std::vector<fs::path> below = groups_below(each.path());
    found.insert(found.end(), below.begin(), below.end());
  }
  found.push_back(group);
  return found;
}

/// The kernel kills those of version 2 (Linux 5.14), else each by a handle: it was opened before the process was found there once more.
void kill_members(const fs::path& group) {
  std::ofstream all(group / "cgroup.kill", std::ios::in);  // must exist
  if (all << "1" << std::flush) return;
  std::map<pid_t, Descriptor> opened;
  for (const pid_t each : members_of_group(group)) opened[each] = pidfd_of(each);
  for (const pid_t each : members_of_group(group))
    if (const auto found = opened.find(each); found != opened.end()) signal_process(found->second, SIGKILL);
}

}  // namespace

std::string host_group(const QuotaSystem& system, const LabPlan& plan, std::uint32_t host) {
  return system.root + "/" + plan.cgroup + "/host-" + std::to_string(host);
}

std::optional<Problem> find_quota_system(QuotaSystem& out) {
  for (const char* root : {"/sys/fs/cgroup/cpu", "/sys/fs/cgroup/cpu,cpuacct"}) {
    if (::access((std::string(root) + "/cpu.cfs_quota_us").c_str(), W_OK) != 0) continue;
    out = {.root = root, .unified = false};
    return std::nullopt;
  }
  const fs::path unified = "/sys/fs/cgroup";
  const bool delegated = has_word(unified / "cgroup.subtree_control", "cpu");
  if (delegated && ::access((unified / "cgroup.procs").c_str(), W_OK) == 0) {
    out = {.root = unified.string(), .unified = true};
    return std::nullopt;
  }
  return Problem{
      .what = "--launch lab",
      .why = "finds no control group that can limit processor time",
      .suggestion = "mount cgroup v1 with cpu, or v2 with cpu in /sys/fs/cgroup/cgroup.subtree_control"};
}

void make_groups(const QuotaSystem& system, const LabPlan& plan) {
  const std::string lab = system.root + "/" + plan.cgroup;
  make_group(lab);
  // A group weighs as much as one process of those beside it, so that 16 processes of a lab would share the time of one. The quotas of the
  // hosts leave the machine its part.
  set_value(lab + (system.unified ? "/cpu.weight" : "/cpu.shares"),
            system.unified ? kMostWeight : kMostShares);
  // Memory for faults alone: it has no limit here.
  const bool memory = system.unified && has_word(fs::path(system.root) / "cgroup.subtree_control", "memory");
  const std::string controllers = memory ? "+cpu +memory" : "+cpu";
  if (system.unified) set_value(lab + "/cgroup.subtree_control", controllers);
  make_group(lab + "/" + kKeeper);
  set_value(lab + "/" + kKeeper + "/cgroup.procs", "0");
  for (const LabHost& host : plan.hosts) {
    const std::string group = host_group(system, plan, host.number);
    make_group(group);
    if (!set_group_quota(group, {.quota_us = host.quota_us, .period_us = kQuotaPeriodUs}))
      throw std::runtime_error(group + ": its quota cannot be set");
    if (system.unified) set_value(group + "/cgroup.subtree_control", controllers);
    make_group(group + "/" + kAgentGroup);
  }
}

std::string entrance_of_group(const QuotaSystem& system, const LabPlan& plan, std::uint32_t host) {
  return host_group(system, plan, host) + "/" + kAgentGroup + "/cgroup.procs";
}

void leave_groups(const QuotaSystem& system) { write_value(system.root + "/cgroup.procs", "0"); }

std::vector<std::string> remove_groups(const QuotaSystem& system, const std::string& group) {
  if (!group.starts_with(kLabGroupPrefix)) return {};
  const fs::path lab = fs::path(system.root) / group;
  if (::access(lab.c_str(), F_OK) != 0) return {};
  std::vector<std::string> left;
  for (int i = 0; i < kTries; ++i) {
    if (i > 0) std::this_thread::sleep_for(kPause);
    left.clear();
    for (const fs::path& each : groups_below(lab)) {
      kill_members(each);
      if (::rmdir(each.c_str()) == 0 || errno == ENOENT) continue;
      left.push_back(each.string());
      for (const pid_t member : members_of_group(each)) left.back() += " " + std::to_string(member);
    }
    if (left.empty()) break;
  }
  return left;
}

void remove_dead_groups(const QuotaSystem& system) {
  std::error_code ignored;
  for (const auto& each : fs::directory_iterator(system.root, ignored)) {
    const std::string name = each.path().filename().string();
    struct stat found {};
    if (!name.starts_with(kLabGroupPrefix) || ::stat(each.path().c_str(), &found) != 0) continue;
    bool empty = std::time(nullptr) - found.st_ctime > kYoungSeconds;
    for (const fs::path& group : groups_below(each.path())) empty = empty && members_of_group(group).empty();
    if (!empty) continue;
    for (const fs::path& group : groups_below(each.path())) ::rmdir(group.c_str());
  }
}

}  // namespace gauntlet
