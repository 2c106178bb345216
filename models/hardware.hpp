// Hardware and model catalogue entries: plain data that config fills from scenarios/catalog/.
#pragma once

#include "core/quantity.hpp"

#include <cstdint>
#include <string>

namespace gauntlet {

/// One host type. Per-GPU figures are of the SXM/HGX form with 8 GPUs unless the entry says otherwise.
struct Hardware {
  std::string name;
  std::uint32_t gpus_per_host = 8;
  std::uint32_t nics_per_host = 8;
  FlopRate peak;               // dense bf16/fp16 per GPU
  Bytes memory;                // per GPU
  Bandwidth memory_bandwidth;  // per GPU
  Bandwidth nvlink;            // per GPU, both directions together, as vendors state it
  Bandwidth nic;               // per NIC, each direction
  Bandwidth pcie;              // device to pinned host memory, per GPU, each direction
};

/// A decoder transformer.
struct Transformer {
  std::string name;
  double parameters = 0;  // all, embeddings included
  std::uint32_t layers = 1;
  std::uint32_t hidden = 1;
  std::uint32_t heads = 1;
  std::uint32_t kv_heads = 1;
  std::uint32_t ffn_hidden = 1;
  bool gated_mlp = false;
  std::uint32_t vocabulary = 1;
  std::uint32_t sequence = 1;  // tokens
};

}  // namespace gauntlet
