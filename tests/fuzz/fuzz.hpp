// What the fuzzers share. A fuzzer calls `ensure` for what must hold of every input; libFuzzer keeps an input that breaks it.
#pragma once

#include "core/contract.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace gauntlet {

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// A file in memory for readers that take a path. Each program has one, which the next input overwrites.
class MemoryFile {
 public:
  MemoryFile();
  ~MemoryFile();
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  void put(std::string_view bytes) const;
  const std::string& path() const { return path_; }

 private:
  int descriptor_;
  std::string path_;
};

/// For formats with checksums, which no mutation of bytes hits: mutates `data`, and in most cases lets `mend` then correct the
/// checksums of the whole, as far as it fits in `most` bytes. Returns the new size, as LLVMFuzzerCustomMutator does.
std::size_t mutate_and_mend(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed,
                            const std::function<std::string(std::string_view)>& mend);

}  // namespace gauntlet
