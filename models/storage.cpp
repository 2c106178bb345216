#include "models/storage.hpp"

#include "core/contract.hpp"

namespace gauntlet {
namespace {

Duration transfer(Bytes size, Bandwidth bandwidth) {
  expect(bandwidth.value > 0, "storage that is neither free nor measured has a bandwidth");
  return size / bandwidth;
}

}  // namespace

Bytes checkpoint_size(const World& world) {
  return {world.storage.bytes_per_parameter * world.job.model.parameters};
}

CheckpointCosts checkpoint_costs(const World& world) {
  const StorageModel& storage = world.storage;
  const Bytes size = checkpoint_size(world);
  const bool two_stage = storage.mode == CheckpointMode::two_stage;

  CheckpointCosts costs{.stall = storage.stall, .persist = storage.persist, .load = storage.load};
  if (storage.free) return costs;
  if (costs.stall == Duration::zero()) {
    costs.stall = two_stage ? transfer(size / world.job.layout.ranks(), world.hardware.pcie)
                            : transfer(size, storage.write);
  }
  if (costs.persist == Duration::zero() && two_stage) costs.persist = transfer(size, storage.write);
  if (costs.load == Duration::zero()) costs.load = transfer(size, storage.read);
  return costs;
}

}  // namespace gauntlet
