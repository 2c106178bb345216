#include "real/watchdog/all_injectors.hpp"

#include "real/watchdog/checkpoint_injector.hpp"
#include "real/watchdog/disk_injector.hpp"
#include "real/watchdog/link_injector.hpp"
#include "real/watchdog/loss_injector.hpp"
#include "real/watchdog/memory_injector.hpp"
#include "real/watchdog/pause_injector.hpp"
#include "real/watchdog/quota_injector.hpp"
#include "real/watchdog/rate_injector.hpp"

namespace gauntlet {

const HostInjectors& host_injectors() {
  static const HostInjectors all = {{InjectionKind::slow, quota_injector()},
                                    {InjectionKind::link_down, link_injector()},
                                    {InjectionKind::link_lost, link_injector()},
                                    {InjectionKind::pause, pause_injector()},
                                    {InjectionKind::packet_loss, loss_injector()},
                                    {InjectionKind::partition, partition_injector()},
                                    {InjectionKind::rate, rate_injector()},
                                    {InjectionKind::damage, checkpoint_injector()},
                                    {InjectionKind::disk_full, disk_injector<StorageFault::full>()},
                                    {InjectionKind::disk_failing, disk_injector<StorageFault::failing>()},
                                    {InjectionKind::memory, memory_injector()}};
  return all;
}

}  // namespace gauntlet
