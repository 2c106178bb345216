// Probes of collectives between the GPUs of a host, by NCCL: bandwidths as nccl-tests define them, and whether the result is right.
// https://github.com/NVIDIA/nccl-tests/blob/master/doc/PERFORMANCE.md
#include "real/cuda/device.hpp"
#include "real/cuda/nccl.hpp"
#include "real/probes/cuda/attempt_private.hpp"
#include "real/probes/cuda/probes.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace gauntlet::cuda {
namespace {

// Of a rank. What latency bounds, what it does not, and the size of published lines (Azure's node health checks).
constexpr std::array kSizes = {std::size_t{1} << 20, std::size_t{1} << 28, std::size_t{1} << 34};
constexpr std::size_t kRepetitions = 10;
constexpr std::size_t kInitialisations = 3;
constexpr std::size_t kLeftFree = std::size_t{2} << 30;  // for NCCL's own buffers, and a job's

std::string size_text(std::size_t bytes) {
  return bytes >= (std::size_t{1} << 30) ? std::to_string(bytes >> 30) + " GiB"
                                         : std::to_string(bytes >> 20) + " MiB";
}

/// One rank for each GPU of the host, in this process.
class Ranks {
 public:
  explicit Ranks(const Nccl& nccl, int count) : nccl_(nccl), communicators_(static_cast<std::size_t>(count)) {
    std::vector<int> devices;
    for (int device = 0; device < count; ++device) devices.push_back(device);
    nccl.check(nccl.init_all(communicators_.data(), count, devices.data()), "ncclCommInitAll");
    for (int device = 0; device < count; ++device) {
      check(cudaSetDevice(device), "cudaSetDevice");
      streams_.push_back(std::make_unique<Stream>());
    }
  }
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;
  ~Ranks() {
    for (const Communicator each : communicators_) nccl_.destroy(each);
  }

  std::size_t count() const { return communicators_.size(); }
  const Stream& stream(std::size_t rank) const { return *streams_[rank]; }
  /// `of_rank`: what a rank does, as calls of NCCL that belong together.
  template <class OfRank>
  void together(const OfRank& of_rank) const {
    nccl_.check(nccl_.group_start(), "ncclGroupStart");
    try {
      for (std::size_t rank = 0; rank < count(); ++rank) {
        check(cudaSetDevice(static_cast<int>(rank)), "cudaSetDevice");
        of_rank(rank, communicators_[rank], streams_[rank]->get());
      }
    } catch (...) {
      (void)nccl_.group_end();
      throw;
    }
    nccl_.check(nccl_.group_end(), "ncclGroupEnd");
  }
  void wait() const {
    for (std::size_t rank = 0; rank < count(); ++rank) {
      check(cudaSetDevice(static_cast<int>(rank)), "cudaSetDevice");
      streams_[rank]->wait();
    }
  }
  /// Seconds that each repetition took on the device of rank 0, which is current.
  template <class OfRank>
  std::vector<double> seconds_of(const OfRank& of_rank) const {
    check(cudaSetDevice(0), "cudaSetDevice");
    std::vector<double> seconds = seconds_of_each(kRepetitions, *streams_.front(), [&] {
      together(of_rank);
      check(cudaSetDevice(0), "cudaSetDevice");
    });
    wait();
    return seconds;
  }

 private:
  const Nccl& nccl_;
  std::vector<Communicator> communicators_;
  std::vector<std::unique_ptr<Stream>> streams_;
};

constexpr std::uint32_t kOfByte = 0x01010101;  // a word of bytes that are 1

/// A buffer on each GPU.
class Buffers {
 public:
  Buffers(std::size_t count, std::size_t bytes) : bytes_(bytes) {
    for (std::size_t rank = 0; rank < count; ++rank) {
      check(cudaSetDevice(static_cast<int>(rank)), "cudaSetDevice");
      memory_.push_back(device_memory<std::byte>(bytes));
    }
  }
  std::byte* of(std::size_t rank) const { return memory_[rank].get(); }
  /// Each byte of rank r with r + 1.
  void fill_by_rank() const {
    for (std::size_t rank = 0; rank < memory_.size(); ++rank) fill(rank, static_cast<int>(rank) + 1);
  }
  void clear() const {
    for (std::size_t rank = 0; rank < memory_.size(); ++rank) fill(rank, 0);
  }
  /// A word of a rank's buffer.
  std::uint32_t word(std::size_t rank, std::size_t byte) const {
    std::uint32_t value = 0;
    check(cudaSetDevice(static_cast<int>(rank)), "cudaSetDevice");
    check(cudaMemcpy(&value, of(rank) + byte, sizeof value, cudaMemcpyDeviceToHost), "cudaMemcpy");
    return value;
  }
  /// Empty where the first, a middle and the last word of `bytes` from `begin` on are right.
  std::string wrong_word(std::size_t rank, std::size_t begin, std::size_t bytes, std::uint32_t should) const {
    for (const std::size_t at : {std::size_t{0}, bytes / 8 * 4, bytes - sizeof should})
      if (const std::uint32_t is = word(rank, begin + at); is != should)
        return "GPU " + std::to_string(rank) + " has " + std::to_string(is) + " at byte " +
               std::to_string(begin + at) + ", and should have " + std::to_string(should);
    return {};
  }

 private:
  void fill(std::size_t rank, int byte) const {
    check(cudaSetDevice(static_cast<int>(rank)), "cudaSetDevice");
    fill_bytes(of(rank), byte, bytes_);
  }

  std::size_t bytes_;
  std::vector<DeviceMemory<std::byte>> memory_;
};

/// Of all GPUs, the least.
std::size_t free_on_all(std::size_t count) {
  std::size_t least = ~std::size_t{0};
  for (std::size_t rank = 0; rank < count; ++rank) {
    check(cudaSetDevice(static_cast<int>(rank)), "cudaSetDevice");
    least = std::min(least, free_bytes());
  }
  return least;
}

/// `factor`: of the rate of the buffer, what each link of the fastest ring or switch carries.
void add_part(Sample& sample, const Ranks& ranks, std::size_t bytes, double factor,
              const std::vector<double>& seconds) {
  Part part{std::to_string(ranks.count()) + " GPUs, " + size_text(bytes),
            model_of(0) + " x " + std::to_string(ranks.count()) + ", " + size_text(bytes),
            {}};
  for (const double each : seconds) part.values.push_back(factor * static_cast<double>(bytes) / each / 1e9);
  sample.parts.push_back(std::move(part));
}

/// `measure`: at one size, with a communicator of all GPUs.
template <class Measure>
void with_all_gpus(Sample& sample, const Measure& measure) {
  int devices = 0;
  check(cudaGetDeviceCount(&devices), "cudaGetDeviceCount");
  const Nccl nccl;
  if (devices < 2)
    sample.unsupported = "this host has one GPU";
  else
    sample.unsupported = nccl.why_not();
  if (!sample.unsupported.empty()) return;
  sample.facts.emplace_back("NCCL", nccl.version());
  const Ranks ranks(nccl, devices);
  for (const std::size_t bytes : kSizes) {
    constexpr std::size_t kBuffers = 2;
    if (kBuffers * bytes + kLeftFree > free_on_all(ranks.count())) continue;
    attempt(sample, size_text(bytes), [&] { measure(nccl, ranks, bytes); });
  }
  if (sample.parts.empty() && sample.errors.empty() && sample.inconclusive.empty())
    sample.inconclusive = "too little memory of a GPU is free";
}

}  // namespace

void all_reduce(Sample& sample) {
  with_all_gpus(sample, [&](const Nccl& nccl, const Ranks& ranks, std::size_t bytes) {
    const Buffers from(ranks.count(), bytes), to(ranks.count(), bytes);
    from.fill_by_rank();
    to.clear();
    const auto seconds =
        ranks.seconds_of([&](std::size_t rank, Communicator communicator, StreamHandle stream) {
          nccl.check(nccl.all_reduce(from.of(rank), to.of(rank), bytes / sizeof(std::uint32_t), kInt32, kSum,
                                     communicator, stream),
                     "ncclAllReduce");
        });
    const auto count = static_cast<double>(ranks.count());
    add_part(sample, ranks, bytes, 2 * (count - 1) / count, seconds);
    const auto sum = static_cast<std::uint32_t>(ranks.count() * (ranks.count() + 1) / 2);
    for (std::size_t rank = 0; rank < ranks.count(); ++rank)
      if (const std::string wrong = to.wrong_word(rank, 0, bytes, sum * kOfByte); !wrong.empty())
        sample.errors.push_back("all-reduce of " + size_text(bytes) + ": " + wrong);
  });
}

void all_to_all(Sample& sample) {
  with_all_gpus(sample, [&](const Nccl& nccl, const Ranks& ranks, std::size_t bytes) {
    constexpr std::size_t kAligned = 512;
    const std::size_t share = bytes / ranks.count() / kAligned * kAligned;
    const Buffers from(ranks.count(), bytes), to(ranks.count(), bytes);
    from.fill_by_rank();
    to.clear();
    const auto seconds =
        ranks.seconds_of([&](std::size_t rank, Communicator communicator, StreamHandle stream) {
          for (std::size_t peer = 0; peer < ranks.count(); ++peer) {
            const int other = static_cast<int>(peer);
            nccl.check(nccl.send(from.of(rank) + peer * share, share, kInt8, other, communicator, stream),
                       "ncclSend");
            nccl.check(nccl.receive(to.of(rank) + peer * share, share, kInt8, other, communicator, stream),
                       "ncclRecv");
          }
        });
    const auto count = static_cast<double>(ranks.count());
    const double sent = count * static_cast<double>(share) / static_cast<double>(bytes);
    add_part(sample, ranks, bytes, sent * (count - 1) / count, seconds);
    for (std::size_t rank = 0; rank < ranks.count(); ++rank)
      for (std::size_t peer = 0; peer < ranks.count(); ++peer)
        if (const std::string wrong =
                to.wrong_word(rank, peer * share, share, static_cast<std::uint32_t>(peer + 1) * kOfByte);
            !wrong.empty())
          sample.errors.push_back("all-to-all of " + size_text(bytes) + ": " + wrong);
  });
}

void communicator_init(Sample& sample) {
  int devices = 0;
  check(cudaGetDeviceCount(&devices), "cudaGetDeviceCount");
  const Nccl nccl;
  sample.unsupported = nccl.why_not();
  if (!sample.unsupported.empty()) return;
  sample.facts.emplace_back("NCCL", nccl.version());
  Part part{std::to_string(devices) + " GPUs", model_of(0) + " x " + std::to_string(devices), {}};
  for (std::size_t i = 0; i < kInitialisations; ++i) {
    const auto began = std::chrono::steady_clock::now();
    const Ranks ranks(nccl, devices);
    part.values.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count());
  }
  sample.parts.push_back(std::move(part));
}

}  // namespace gauntlet::cuda
