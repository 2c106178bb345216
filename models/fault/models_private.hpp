// The fault models, one file each. registry.cpp lists them.
#pragma once

#include "models/fault/fault_model.hpp"

#include <chrono>
#include <limits>
#include <string_view>

namespace gauntlet::known_faults {

inline constexpr std::string_view kGpu = "gpu", kNetwork = "network", kHost = "host", kSoftware = "software";
inline constexpr double kMinute = 60, kHour = 3600;  // in seconds, as laws take them
inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

FaultModel aggregation_lost();
FaultModel bad_rollout();
FaultModel collective_hang();
FaultModel congestion();
FaultModel cpu_contention();
FaultModel cuda_error();
FaultModel degraded_link();
FaultModel deterministic_bug();
FaultModel disk_full();
FaultModel disk_slow();
FaultModel ecmp_collision();
FaultModel garbage_collection();
FaultModel gpu_ecc_contained();
FaultModel gpu_ecc_correctable();
FaultModel gpu_ecc_uncontained();
FaultModel gpu_ecc_uncorrectable();
FaultModel gpu_lost();
FaultModel gpu_row_remap_failure();
FaultModel gsp_timeout();
FaultModel host_crash();
FaultModel init_container_failure();
FaultModel kernel_panic();
FaultModel loss_spike();
FaultModel memory_pressure();
FaultModel mount_lost();
FaultModel nan_loss();
FaultModel nccl_error();
FaultModel nic_flap();
FaultModel nic_lost();
FaultModel nvlink_error();
FaultModel page_compaction();
FaultModel pause_storm();
FaultModel planned_restart();
FaultModel power_supply();
FaultModel rack_power();
FaultModel silent_data_corruption();
FaultModel slow_gpu();
FaultModel slow_host();
FaultModel spine_lost();
FaultModel storage_outage();
FaultModel thermal_throttling();
FaultModel tor_lost();

}  // namespace gauntlet::known_faults
