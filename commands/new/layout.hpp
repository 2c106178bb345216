// A parallel layout for a model on so many GPUs: the fastest by the step model of those that fit the GPUs' memory.
#pragma once

#include "commands/new/facts.hpp"
#include "core/problem.hpp"
#include "core/time.hpp"
#include "models/workload.hpp"

#include <cstdint>
#include <optional>

namespace gauntlet {

struct ChosenLayout {
  Layout layout;
  std::uint32_t global_batch = 1;  // sequences
  std::uint32_t micro_batch = 1;   // sequences
  Recompute recompute = Recompute::selective;
  double memory_share = 0;  // of a GPU's memory that it may take at most
  Duration step{};          // healthy
  std::uint32_t tried = 0;  // layouts that fit, this one among them
};

struct LayoutChoice {
  std::optional<ChosenLayout> chosen;
  Problem problem;  // why there is none
};

/// Tokens of a step where --batch does not say it: 2,048 sequences of 8,192 (Llama 3 405B, Table 4 of
/// https://arxiv.org/abs/2407.21783).
inline constexpr double kUsualBatch = 2048.0 * 8192.0;

/// Of a model of the catalogue. --tp and --pp are held to where they were given. The batch is the one wanted, as nearly as the
/// replicas can share it.
LayoutChoice choose_layout(const Facts& facts);

/// Of a job whose step time is known and whose model is not: one replica on each host, or as --tp and --pp say.
LayoutChoice layout_of_stand_in(const Facts& facts);

}  // namespace gauntlet
