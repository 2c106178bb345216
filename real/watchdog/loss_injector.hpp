// A lossy link: a data interface of a lab's host loses a share of the packets that it receives, by nftables (nft(8)).
#pragma once

#include "real/watchdog/host_injector.hpp"

namespace gauntlet {

HostInjector loss_injector();

}  // namespace gauntlet
