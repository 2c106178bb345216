#include "real/driver/job_seats.hpp"

#include "core/reseat.hpp"

#include <algorithm>

namespace gauntlet {

JobSeats::JobSeats(const Inventory& inventory, const Layout& layout) : whole_(inventory) {
  whole_.layout = layout;
  present_ = whole_;
  for (std::uint32_t slot = 0; slot < whole_.job_hosts; ++slot) slots_.push_back(HostId{slot});
}

std::uint32_t JobSeats::wanted() const {
  return static_cast<std::uint32_t>(vacant_.size() + whole_.job_hosts - slots_.size() - beyond_.size());
}

void JobSeats::join(HostId host) {
  if (vacant_.empty()) {
    beyond_.push_back(host);
    return;
  }
  slots_[vacant_.front()] = host;
  vacant_.erase(vacant_.begin());
}

void JobSeats::leave(HostId host) {
  if (std::erase(beyond_, host) > 0) return;
  // A host that was here before may have left its name in an empty slot.
  for (std::uint32_t slot = 0; slot < slots_.size(); ++slot) {
    if (slots_[slot] != host || std::find(vacant_.begin(), vacant_.end(), slot) != vacant_.end()) continue;
    vacant_.push_back(slot);
    return;
  }
}

bool JobSeats::resize(std::uint32_t replicas) {
  const std::uint32_t all = whole_.layout.dp,
                      unit = replicas_in_whole_hosts(whole_.layout, whole_.gpus_per_host);
  if (replicas == 0) replicas = all;
  if (replicas > all || (replicas != all && (unit == 0 || replicas % unit != 0))) return false;
  const Inventory sized = replicas == all ? whole_ : with_replicas(whole_, replicas);
  if (slots_.size() - vacant_.size() + beyond_.size() != sized.job_hosts) return false;
  const auto before = static_cast<std::uint32_t>(slots_.size());
  const Reseating moved =
      reseat(before, sized.job_hosts, vacant_, beyond_, [this](std::uint32_t slot) { return slots_[slot]; });
  slots_.resize(sized.job_hosts);
  for (const auto& [slot, host] : moved.seated) slots_[slot] = host;
  vacant_.clear();
  beyond_.clear();
  present_ = sized;
  return true;
}

std::vector<std::uint32_t> JobSeats::ranks_of(HostId host) const {
  std::vector<std::uint32_t> ranks;
  for (std::uint32_t slot = 0; slot < slots_.size(); ++slot) {
    if (slots_[slot] != host) continue;
    for (std::uint32_t gpu = 0; gpu < whole_.gpus_per_host; ++gpu) {
      const std::uint32_t rank = rank_of_seat({slot, gpu}, whole_.gpus_per_host);
      if (rank < layout().ranks()) ranks.push_back(rank);
    }
  }
  return ranks;
}

std::optional<std::uint32_t> JobSeats::rank_on(HostId host, std::uint32_t gpu) const {
  const auto slot = std::find(slots_.begin(), slots_.end(), host);
  if (slot == slots_.end()) return std::nullopt;
  return rank_of_seat({static_cast<std::uint32_t>(slot - slots_.begin()), gpu}, whole_.gpus_per_host);
}

}  // namespace gauntlet
