// A study of one scenario with a seed: what runs its replicas, and a store that nobody else sees.
#pragma once

#include "study/executor.hpp"
#include "study/experiment.hpp"
#include "study/point.hpp"

#include <cstdint>
#include <memory>

namespace gauntlet {

struct SeededStudy {
  SeededStudy(const PointSource& source, std::uint64_t of, unsigned threads = 1)
      : seed(of),
        executor(make_thread_executor({.seed = of}, threads)),
        store(Store::temporary({}, source.point().point->facts.faults)),
        experiment(*executor, *store, {}) {}
  std::uint64_t seed;
  std::unique_ptr<Executor> executor;
  std::unique_ptr<Store> store;
  Experiment experiment;
};

}  // namespace gauntlet
