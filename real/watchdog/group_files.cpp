#include "real/watchdog/group_files.hpp"

#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace gauntlet {
namespace {

namespace fs = std::filesystem;

bool is_unified(const std::string& group) { return ::access((group + "/cpu.max").c_str(), F_OK) == 0; }

}  // namespace

/// The kernel refuses a value when it is written, not when the file is closed.
bool write_value(const std::string& file, const std::string& value) {
  std::ofstream out(file);
  out << value << std::flush;
  return static_cast<bool>(out);
}

bool set_group_quota(const std::string& group, const GroupQuota& quota) {
  const std::string period = std::to_string(quota.period_us), time = std::to_string(quota.quota_us);
  const fs::path files = group;
  if (is_unified(group)) return write_value(files / "cpu.max", time + " " + period);
  return write_value(files / "cpu.cfs_period_us", period) && write_value(files / "cpu.cfs_quota_us", time);
}

std::optional<GroupQuota> group_quota(const std::string& group) {
  const fs::path files = group;
  GroupQuota found;
  if (is_unified(group)) {
    std::ifstream file(files / "cpu.max");
    return file >> found.quota_us >> found.period_us ? std::optional(found) : std::nullopt;  // "max 100000"
  }
  std::ifstream quota(files / "cpu.cfs_quota_us"), period(files / "cpu.cfs_period_us");
  const bool limited = quota >> found.quota_us && period >> found.period_us && found.quota_us > 0;
  return limited ? std::optional(found) : std::nullopt;
}

std::vector<pid_t> members_of_group(const std::string& group) {
  std::vector<pid_t> members;
  std::ifstream file(fs::path(group) / "cgroup.procs");
  for (pid_t each = 0; file >> each;) members.push_back(each);
  return members;
}

bool move_to_group(pid_t process, const std::string& group) {
  return write_value(fs::path(group) / "cgroup.procs", std::to_string(process));
}

}  // namespace gauntlet
