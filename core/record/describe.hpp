// One description of every observation, order, entry of a log and part of them: its name and its members. Writing, reading,
// printing, hashing and comparing all walk it, so that no member can be forgotten in one of them.
#pragma once

#include "core/action.hpp"
#include "core/observation.hpp"
#include "core/record/run_logs.hpp"

#include <string_view>
#include <tuple>
#include <variant>
#include <vector>

namespace gauntlet {

template <class Owner, class Member>
struct DescribedMember {
  std::string_view name;
  Member Owner::*pointer;
};
template <class Owner, class Member>
constexpr DescribedMember<Owner, Member> member(std::string_view name, Member Owner::*pointer) {
  return {name, pointer};
}

template <class T>
struct Describe;  // specialised below: `name` and the tuple `members`

#define GAUNTLET_DESCRIBE(Type, ...)                         \
  template <>                                                \
  struct Describe<Type> {                                    \
    using T = Type;                                          \
    static constexpr std::string_view name = #Type;          \
    static constexpr auto members = std::tuple{__VA_ARGS__}; \
  }
#define GAUNTLET_MEMBER(name) member(#name, &T::name)

GAUNTLET_DESCRIBE(ComponentId, GAUNTLET_MEMBER(kind), GAUNTLET_MEMBER(index));
GAUNTLET_DESCRIBE(Scope, GAUNTLET_MEMBER(kind), GAUNTLET_MEMBER(subset), GAUNTLET_MEMBER(index),
                  GAUNTLET_MEMBER(stage), GAUNTLET_MEMBER(most));
GAUNTLET_DESCRIBE(Layout, GAUNTLET_MEMBER(tp), GAUNTLET_MEMBER(pp), GAUNTLET_MEMBER(dp),
                  GAUNTLET_MEMBER(virtual_stages), GAUNTLET_MEMBER(cp), GAUNTLET_MEMBER(ep));
GAUNTLET_DESCRIBE(Inventory, GAUNTLET_MEMBER(job_hosts), GAUNTLET_MEMBER(spares),
                  GAUNTLET_MEMBER(gpus_per_host), GAUNTLET_MEMBER(hosts_per_tor), GAUNTLET_MEMBER(layout));

GAUNTLET_DESCRIBE(Silence, GAUNTLET_MEMBER(longest));
GAUNTLET_DESCRIBE(Outside, GAUNTLET_MEMBER(low), GAUNTLET_MEMBER(high));
GAUNTLET_DESCRIBE(Match, GAUNTLET_MEMBER(pattern));
GAUNTLET_DESCRIBE(Sample, GAUNTLET_MEMBER(count));

GAUNTLET_DESCRIBE(Watch, GAUNTLET_MEMBER(id), GAUNTLET_MEMBER(signal), GAUNTLET_MEMBER(who),
                  GAUNTLET_MEMBER(until), GAUNTLET_MEMBER(first));
GAUNTLET_DESCRIBE(Unwatch, GAUNTLET_MEMBER(watch));
GAUNTLET_DESCRIBE(Wake, GAUNTLET_MEMBER(at));
GAUNTLET_DESCRIBE(Cancel, GAUNTLET_MEMBER(order));
GAUNTLET_DESCRIBE(CheckpointEvery, GAUNTLET_MEMBER(job), GAUNTLET_MEMBER(interval), GAUNTLET_MEMBER(tier));
GAUNTLET_DESCRIBE(Checkpoint, GAUNTLET_MEMBER(job));
GAUNTLET_DESCRIBE(Stop, GAUNTLET_MEMBER(job), GAUNTLET_MEMBER(reason));
GAUNTLET_DESCRIBE(Start, GAUNTLET_MEMBER(job), GAUNTLET_MEMBER(collective_timeout), GAUNTLET_MEMBER(restore),
                  GAUNTLET_MEMBER(back), GAUNTLET_MEMBER(schedule), GAUNTLET_MEMBER(replicas));
GAUNTLET_DESCRIBE(Retire, GAUNTLET_MEMBER(host));
GAUNTLET_DESCRIBE(Release, GAUNTLET_MEMBER(job));
GAUNTLET_DESCRIBE(StandBy, GAUNTLET_MEMBER(host));
GAUNTLET_DESCRIBE(Acquire, GAUNTLET_MEMBER(job));
GAUNTLET_DESCRIBE(Evict, GAUNTLET_MEMBER(host));
GAUNTLET_DESCRIBE(Readmit, GAUNTLET_MEMBER(host));
GAUNTLET_DESCRIBE(Probe, GAUNTLET_MEMBER(probe), GAUNTLET_MEMBER(who), GAUNTLET_MEMBER(report));
GAUNTLET_DESCRIBE(Ask, GAUNTLET_MEMBER(job));
GAUNTLET_DESCRIBE(Alert, GAUNTLET_MEMBER(job), GAUNTLET_MEMBER(who));
GAUNTLET_DESCRIBE(Order, GAUNTLET_MEMBER(id), GAUNTLET_MEMBER(what));

GAUNTLET_DESCRIBE(Probed, GAUNTLET_MEMBER(component), GAUNTLET_MEMBER(verdict), GAUNTLET_MEMBER(value));
GAUNTLET_DESCRIBE(Granted, GAUNTLET_MEMBER(host));
GAUNTLET_DESCRIBE(Saved, GAUNTLET_MEMBER(step));
GAUNTLET_DESCRIBE(Loaded, GAUNTLET_MEMBER(step));
GAUNTLET_DESCRIBE(Answered, GAUNTLET_MEMBER(choice), GAUNTLET_MEMBER(found));

GAUNTLET_DESCRIBE(Started, GAUNTLET_MEMBER(job), GAUNTLET_MEMBER(inventory));
GAUNTLET_DESCRIBE(Seen, GAUNTLET_MEMBER(watch), GAUNTLET_MEMBER(who), GAUNTLET_MEMBER(edge),
                  GAUNTLET_MEMBER(sensed), GAUNTLET_MEMBER(value), GAUNTLET_MEMBER(more));
GAUNTLET_DESCRIBE(Outcome, GAUNTLET_MEMBER(order), GAUNTLET_MEMBER(status), GAUNTLET_MEMBER(took),
                  GAUNTLET_MEMBER(result));
GAUNTLET_DESCRIBE(HostReturned, GAUNTLET_MEMBER(host));
GAUNTLET_DESCRIBE(Noticed, GAUNTLET_MEMBER(job));
GAUNTLET_DESCRIBE(StopRequest, GAUNTLET_MEMBER(job), GAUNTLET_MEMBER(hold), GAUNTLET_MEMBER(preempted));
GAUNTLET_DESCRIBE(OperatorActed, GAUNTLET_MEMBER(job), GAUNTLET_MEMBER(what), GAUNTLET_MEMBER(host),
                  GAUNTLET_MEMBER(scripted));
GAUNTLET_DESCRIBE(Overflow, GAUNTLET_MEMBER(watch), GAUNTLET_MEMBER(dropped));
GAUNTLET_DESCRIBE(Finished, GAUNTLET_MEMBER(job), GAUNTLET_MEMBER(ending));
GAUNTLET_DESCRIBE(Observed, GAUNTLET_MEMBER(at), GAUNTLET_MEMBER(what));

GAUNTLET_DESCRIBE(Truth, GAUNTLET_MEMBER(at), GAUNTLET_MEMBER(what), GAUNTLET_MEMBER(kind),
                  GAUNTLET_MEMBER(component), GAUNTLET_MEMBER(host), GAUNTLET_MEMBER(hosts),
                  GAUNTLET_MEMBER(on_job), GAUNTLET_MEMBER(stops), GAUNTLET_MEMBER(disturbs),
                  GAUNTLET_MEMBER(corrupts), GAUNTLET_MEMBER(repairable), GAUNTLET_MEMBER(factor),
                  GAUNTLET_MEMBER(orders));
GAUNTLET_DESCRIBE(Cadence::Further, GAUNTLET_MEMBER(every), GAUNTLET_MEMBER(taken), GAUNTLET_MEMBER(stall));
GAUNTLET_DESCRIBE(Cadence, GAUNTLET_MEMBER(first), GAUNTLET_MEMBER(every), GAUNTLET_MEMBER(stall),
                  GAUNTLET_MEMBER(further));
GAUNTLET_DESCRIBE(Stretch, GAUNTLET_MEMBER(begin), GAUNTLET_MEMBER(end), GAUNTLET_MEMBER(origin),
                  GAUNTLET_MEMBER(first_step), GAUNTLET_MEMBER(step), GAUNTLET_MEMBER(healthy_step),
                  GAUNTLET_MEMBER(for_fewer), GAUNTLET_MEMBER(cadence));
GAUNTLET_DESCRIBE(Pause, GAUNTLET_MEMBER(begin), GAUNTLET_MEMBER(end), GAUNTLET_MEMBER(kind));
GAUNTLET_DESCRIBE(ProgressLog, GAUNTLET_MEMBER(stretches), GAUNTLET_MEMBER(pauses));
GAUNTLET_DESCRIBE(RunLogs, GAUNTLET_MEMBER(truth), GAUNTLET_MEMBER(progress),
                  GAUNTLET_MEMBER(planned_faults));

#undef GAUNTLET_MEMBER
#undef GAUNTLET_DESCRIBE

/// What else a member may be.
template <class T>
inline constexpr bool kIsVariant = false;
template <class... Each>
inline constexpr bool kIsVariant<std::variant<Each...>> = true;
template <class T>
inline constexpr bool kIsVector = false;
template <class Each>
inline constexpr bool kIsVector<std::vector<Each>> = true;

template <class T>
concept Described = requires {
  Describe<std::remove_const_t<T>>::members;
};

/// Calls `visit(name, member)` for each member in its order; `value` may be const.
template <Described T, class Visit>
constexpr void for_each_member(T& value, Visit&& visit) {
  std::apply([&](const auto&... each) { (visit(each.name, value.*(each.pointer)), ...); },
             Describe<std::remove_const_t<T>>::members);
}

}  // namespace gauntlet
