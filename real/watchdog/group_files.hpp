// The files of a control group that limits processor time, of version 1 or 2.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gauntlet {

/// Of a host's group in a lab: the group below it in which its agent and its ranks are. A group of version 2 that limits the groups below it
/// has no processes of its own.
inline constexpr const char* kAgentGroup = "agent";

/// Processor time in each period.
struct GroupQuota {
  std::int64_t quota_us = 0, period_us = 0;
  friend bool operator==(const GroupQuota&, const GroupQuota&) = default;
};

/// Of a control group's files. False where the kernel refuses.
bool write_value(const std::string& file, const std::string& value);

/// `group`: the path of its directory. False where the kernel refuses.
bool set_group_quota(const std::string& group, const GroupQuota& quota);
/// Nothing where it has none or does not exist.
std::optional<GroupQuota> group_quota(const std::string& group);

std::vector<pid_t> members_of_group(const std::string& group);
/// False where the process or the group is gone.
bool move_to_group(pid_t process, const std::string& group);

}  // namespace gauntlet
