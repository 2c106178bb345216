// Memory for the copies that stage one makes: page-locked, so that a device can write to it directly and it is never swapped out.
#pragma once

#include "core/problem.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace gauntlet {

/// An allocator. One for CUDA allocates with cudaHostAlloc, or registers what another one gives with cudaHostRegister.
class HostMemory {
 public:
  virtual ~HostMemory() = default;

  struct Block {
    std::span<std::byte> bytes;      // begins at a page
    std::optional<Problem> problem;  // why its pages may be swapped out, or end with this process
  };
  /// Every page is there: writing to it meets no page fault. Throws std::system_error where there is no memory.
  virtual Block allocate(std::size_t bytes) = 0;
  virtual void release(std::span<std::byte> bytes) = 0;
};

/// Memory of the system, locked with mlock(2).
class LockedMemory final : public HostMemory {
 public:
  /// `path`: the file that holds the block, shared, so that it outlives this process: best on a tmpfs. Such a memory has one block, and a file of its size
  /// that is there already keeps its bytes. Empty, or where that file cannot be made: memory that ends with this process.
  explicit LockedMemory(std::string path = {}) : path_(std::move(path)) {}

  Block allocate(std::size_t bytes) override;
  void release(std::span<std::byte> bytes) override;

 private:
  std::string path_;
};

}  // namespace gauntlet
