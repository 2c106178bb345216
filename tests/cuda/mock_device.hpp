// A device in the place of a GPU: it does what its streams hold when a test lets it.
#pragma once

#include "real/cuda/device.hpp"

#include <cstddef>
#include <functional>
#include <string>

namespace gauntlet::cuda {

/// Puts work on the stream that takes the device so long. `does`: what it changes.
void queue_work(const Stream& stream, double milliseconds, const std::function<void()>& does = {});
/// Does so many operations, each the first of its stream. Between streams it prefers the operation that was queued last: work
/// overtakes wherever no event forbids it. Returns how many it did: fewer where no more can be done.
std::size_t run_operations(std::size_t count);
void run_all();

/// Behind so many that succeed, one call of that name fails.
void fail(const std::string& call, cudaError_t code, std::size_t after = 0);
/// How often the host waited for the device.
std::size_t host_waits();
/// Events that exist.
std::size_t events();
/// Bytes of the largest copy so far.
std::size_t largest_copy();

/// A device without work and counts. Throws std::logic_error where a stream or an event of another test exists. The first member of a fixture.
struct FreshDevice {
  FreshDevice();
};

}  // namespace gauntlet::cuda
