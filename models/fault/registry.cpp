#include "models/fault/registry.hpp"

#include "models/fault/models_private.hpp"

#include <algorithm>

namespace gauntlet {

std::span<const FaultModel> fault_models() {
  static const std::vector<FaultModel> kModels = {
      known_faults::aggregation_lost(),
      known_faults::bad_rollout(),
      known_faults::collective_hang(),
      known_faults::congestion(),
      known_faults::cpu_contention(),
      known_faults::cuda_error(),
      known_faults::degraded_link(),
      known_faults::deterministic_bug(),
      known_faults::disk_full(),
      known_faults::disk_slow(),
      known_faults::ecmp_collision(),
      known_faults::garbage_collection(),
      known_faults::gpu_ecc_contained(),
      known_faults::gpu_ecc_correctable(),
      known_faults::gpu_ecc_uncontained(),
      known_faults::gpu_ecc_uncorrectable(),
      known_faults::gpu_lost(),
      known_faults::gpu_row_remap_failure(),
      known_faults::gsp_timeout(),
      known_faults::host_crash(),
      known_faults::init_container_failure(),
      known_faults::kernel_panic(),
      known_faults::loss_spike(),
      known_faults::memory_pressure(),
      known_faults::mount_lost(),
      known_faults::nan_loss(),
      known_faults::nccl_error(),
      known_faults::nic_flap(),
      known_faults::nic_lost(),
      known_faults::nvlink_error(),
      known_faults::page_compaction(),
      known_faults::pause_storm(),
      known_faults::planned_restart(),
      known_faults::power_supply(),
      known_faults::rack_power(),
      known_faults::silent_data_corruption(),
      known_faults::slow_gpu(),
      known_faults::slow_host(),
      known_faults::spine_lost(),
      known_faults::storage_outage(),
      known_faults::thermal_throttling(),
      known_faults::tor_lost(),
  };
  return kModels;
}

const FaultModel* find_fault_model(std::string_view name) {
  const auto models = fault_models();
  const auto found =
      std::lower_bound(models.begin(), models.end(), name,
                       [](const FaultModel& model, std::string_view wanted) { return model.name < wanted; });
  return found != models.end() && found->name == name ? &*found : nullptr;
}

}  // namespace gauntlet
