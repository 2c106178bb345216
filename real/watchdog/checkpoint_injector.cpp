#include "real/watchdog/checkpoint_injector.hpp"

#include "real/checkpoint/damage.hpp"

#include <cstdint>
#include <optional>
#include <sstream>

namespace gauntlet {
namespace {

/// "DAMAGE STEP DIRECTORY".
struct DamageTarget {
  std::uint32_t damage = 0;
  std::int64_t step = 0;
  std::string directory;
};

std::optional<DamageTarget> parse_damage(const std::string& text) {
  std::istringstream in(text);
  DamageTarget target;
  if (!(in >> target.damage >> target.step >> std::ws) || target.damage >= kDamages) return std::nullopt;
  std::getline(in, target.directory);
  return target;
}

/// The faults of a plan take the kinds of damage in turn: the same fault does the same in each drill.
std::string damage_target(const InjectionSite&, const DriverInject& what, const InjectionSubject&,
                          std::string& why) {
  const std::optional<std::int64_t> newest = newest_whole(what.directory);
  if (!newest) why = what.directory + ": holds no complete checkpoint that could be damaged";
  return std::to_string(what.injection % kDamages) + " " + std::to_string(newest.value_or(0)) + " " +
         what.directory;
}

std::string inject_damage(const std::string& text) {
  const std::optional<DamageTarget> target = parse_damage(text);
  if (!target) return "\"" + text + "\" does not name a checkpoint";
  return damage_checkpoint(target->directory, target->step, static_cast<Damage>(target->damage));
}

/// The survey of the directory does not find it whole any more.
bool damage_observed(const std::string& text) {
  const std::optional<DamageTarget> target = parse_damage(text);
  return target && !is_whole(target->directory, target->step);
}

std::string undo_damage(const std::string&) { return ""; }

}  // namespace

HostInjector checkpoint_injector() {
  return {.target = damage_target, .inject = inject_damage, .observed = damage_observed, .undo = undo_damage};
}

}  // namespace gauntlet
