#include "real/watchdog/quota_injector.hpp"

#include "real/system/process_name.hpp"
#include "real/system/strays.hpp"
#include "real/watchdog/group_files.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <sstream>
#include <system_error>
#include <vector>

namespace gauntlet {
namespace {

namespace fs = std::filesystem;

// A short period, so that a rank that waits during part of its step saves nothing up for the other part. The kernel takes 1 ms at least for
// both (Documentation/scheduler/sched-bwc.rst).
constexpr std::int64_t kPeriodUs = 10'000, kLeastQuotaUs = 1'000;

/// "GROUP QUOTA_US PERIOD_US PID:START PID:START ..."; GROUP has no blanks: the lab names it.
struct QuotaTarget {
  std::string group;
  GroupQuota quota;
  std::vector<ProcessName> processes;
};

std::optional<QuotaTarget> parse_quota(const std::string& text) {
  std::istringstream in(text);
  QuotaTarget target;
  if (!(in >> target.group >> target.quota.quota_us >> target.quota.period_us)) return std::nullopt;
  for (std::string each; in >> each;) {
    const auto process = parse_process_name(each);
    if (!process) return std::nullopt;
    target.processes.push_back(*process);
  }
  return target;
}

constexpr int kLooks = 100;  // one that was being started meanwhile is found by the next look

/// Where its processes were, and go back to.
fs::path group_before(const QuotaTarget& target) {
  return fs::path(target.group).parent_path() / kAgentGroup;
}

bool holds(const std::vector<pid_t>& processes, pid_t process) {
  return std::find(processes.begin(), processes.end(), process) != processes.end();
}

/// Processes of the rank that are in another group of their host. What is in no group of this host is not the rank's: its number is another's
/// by now.
std::vector<pid_t> outside_of(const QuotaTarget& target) {
  std::vector<pid_t> all;
  for (const ProcessName& each : target.processes) {
    if (!is_alive(each)) continue;
    all.push_back(each.pid);
    for (const pid_t below : descendants(each.pid)) all.push_back(below);
  }
  std::vector<pid_t> others;
  std::error_code ignored;
  for (const auto& group : fs::directory_iterator(fs::path(target.group).parent_path(), ignored)) {
    if (!group.is_directory(ignored) || group.path() == target.group) continue;
    for (const pid_t each : members_of_group(group.path().string())) others.push_back(each);
  }
  std::erase_if(all, [&](pid_t each) { return !holds(others, each); });
  return all;
}

std::string not_a_target(const std::string& text) { return "\"" + text + "\" does not name a control group"; }

std::string quota_target(const InjectionSite& site, const DriverInject& what, const InjectionSubject& subject,
                         std::string& why) {
  if (site.group.empty()) why = "only a lab limits the processor time of a rank";
  std::int64_t period = kPeriodUs;
  auto quota = static_cast<std::int64_t>(what.value * static_cast<double>(period));
  if (quota < kLeastQuotaUs && what.value > 0) {
    quota = kLeastQuotaUs;
    period = static_cast<std::int64_t>(static_cast<double>(quota) / what.value);
  }
  std::string text = site.group + "/slow-" + std::to_string(what.injection) + " " + std::to_string(quota) +
                     " " + std::to_string(period);
  for (const pid_t each : subject.processes) {
    if (const auto name = name_process(each)) text += " " + to_text(*name);
  }
  return text;
}

std::string inject_quota(const std::string& text) {
  const std::optional<QuotaTarget> target = parse_quota(text);
  if (!target) return not_a_target(text);
  if (::mkdir(target->group.c_str(), 0755) != 0 && errno != EEXIST)
    return target->group + ": cannot be made: " + std::generic_category().message(errno);
  if (!set_group_quota(target->group, target->quota)) return target->group + ": its quota cannot be set";
  // What is forked before its parent is moved stays outside, and is found by the next look.
  for (int look = 0; look < kLooks; ++look) {
    const std::vector<pid_t> outside = outside_of(*target);
    if (outside.empty()) return "";
    for (const pid_t each : outside) static_cast<void>(move_to_group(each, target->group));
  }
  return target->group + ": does not hold all processes of its rank, which start others all the time";
}

bool quota_observed(const std::string& text) {
  const std::optional<QuotaTarget> target = parse_quota(text);
  if (!target || group_quota(target->group) != target->quota) return false;
  return !members_of_group(target->group).empty() && outside_of(*target).empty();
}

/// Whoever is in the group was put there, or is a child of one that was.
std::string undo_quota(const std::string& text) {
  const std::optional<QuotaTarget> target = parse_quota(text);
  if (!target) return not_a_target(text);
  for (int look = 0; look < kLooks; ++look) {
    for (const pid_t each : members_of_group(target->group))
      static_cast<void>(move_to_group(each, group_before(*target).string()));
    if (::rmdir(target->group.c_str()) == 0 || errno == ENOENT) return "";
  }
  return target->group + ": cannot be removed: " + std::generic_category().message(errno);
}

}  // namespace

HostInjector quota_injector() {
  return {.target = quota_target, .inject = inject_quota, .observed = quota_observed, .undo = undo_quota};
}

}  // namespace gauntlet
