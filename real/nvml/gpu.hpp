// One GPU, and what its driver says of it.
#pragma once

#include "real/nvml/library.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace gauntlet::nvml {

/// Since the driver was loaded.
struct EccErrors {
  std::uint64_t corrected = 0, uncorrected = 0;
};
struct RowRemaps {
  std::uint32_t rows = 0;
  bool pending = false;  // until the GPU is reset
  bool failed = false;   // the GPU has to be replaced
  friend bool operator==(const RowRemaps&, const RowRemaps&) = default;
};
/// In lanes.
struct PcieWidth {
  std::uint32_t now = 0, most = 0;
};
struct NvLinks {
  std::uint32_t active = 0;
  std::vector<std::uint32_t> inactive;  // their numbers
};
/// How much a GPU is used, and how warm it is.
struct Load {
  std::uint32_t celsius = 0, milliwatts = 0, megahertz = 0;  // the clock of its multiprocessors
  std::uint32_t percent = 0;                                 // share of the last second in which a kernel ran
  std::uint64_t memory_bytes = 0;                            // that are used
  std::uint32_t processes = 0;                               // that compute
  std::uint64_t link_bytes = 0;  // over all its NVLinks, both ways, since they came up
};

/// Asks one GPU. After trouble an answer is incomplete.
class Gpu {
 public:
  /// Asks the library for it; `trouble` says why it cannot be asked.
  Gpu(const Library& library, std::uint32_t index, Trouble& trouble)
      : library_(library), functions_(library.functions()) {
    trouble = library.device(index, device_);
  }

  const Library& library() const { return library_; }
  const Table& functions() const { return functions_; }
  /// What the function says of this GPU.
  template <class... Parameters, class... Arguments>
  Trouble ask(const char* name, Call<Device, Parameters...> function, Arguments... arguments) const {
    return library_.ask(name, function, device_, arguments...);
  }

  Trouble pci(PciInfo& into) const;
  /// There is trouble, too, where error correction is off.
  Trouble ecc_errors(EccErrors& into) const;
  Trouble row_remaps(RowRemaps& into) const;
  /// Reasons for which the hardware protects itself: bits of api.hpp.
  Trouble slowdown(std::uint64_t& reasons) const;
  Trouble pcie_width(PcieWidth& into) const;
  Trouble pcie_replays(std::uint64_t& count) const;
  Trouble links(NvLinks& into) const;
  /// Of all its NVLinks together.
  Trouble link_errors(std::uint64_t& count) const;
  /// There is trouble only where the GPU is lost: what the driver does not say is 0.
  Trouble load(Load& into) const;

 private:
  const Library& library_;
  const Table& functions_;
  Device device_ = nullptr;
};

/// "temperature, by the hardware, power brake": those reasons for which the hardware protects itself.
std::string words_of_slowdown(std::uint64_t reasons);
/// "0, 1".
std::string numbers_text(const std::vector<std::uint32_t>& numbers);

}  // namespace gauntlet::nvml
