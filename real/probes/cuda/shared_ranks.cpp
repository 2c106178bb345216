#include "real/probes/cuda/shared_ranks.hpp"

#include "real/cuda/device.hpp"
#include "real/cuda/nccl.hpp"
#include "real/probes/cuda/rank_processes.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <vector>

namespace gauntlet::cuda {
namespace {

constexpr int kRanks = 2;
constexpr std::size_t kWords = std::size_t{1}
                               << 24;          // 64 MiB: more than one chunk of any of NCCL's algorithms
constexpr std::uint32_t kOfByte = 0x01010101;  // a word of bytes that are 1

std::string hexadecimal(const CommunicatorId& id) {
  std::string text;
  for (const char byte : id.bytes) {
    std::array<char, 3> digits{};
    std::snprintf(digits.data(), digits.size(), "%02x", static_cast<unsigned char>(byte));
    text += digits.data();
  }
  return text;
}

CommunicatorId id_of(const std::string& text) {
  CommunicatorId id;
  if (text.size() != 2 * sizeof id.bytes)
    throw LibraryError("the identifier of the communicator is cut short");
  for (std::size_t i = 0; i < sizeof id.bytes; ++i)
    id.bytes[i] = static_cast<char>(std::stoi(text.substr(2 * i, 2), nullptr, 16));
  return id;
}

/// The last word is the number of this process: the rank has the kernel end it when this process dies.
RankCommand command_of(int device, int rank, const CommunicatorId& id) {
  return {.program = "/proc/self/exe",
          .words = {"gauntlet-cuda-probe", "--shared-rank", std::to_string(device), std::to_string(rank),
                    hexadecimal(id), std::to_string(::getpid())},
          .variable = "NCCL_HOSTID=gauntlet-rank-" + std::to_string(rank)};
}

// An answer is "wrong N", "cuda CODE" for an error of CUDA, or a text for any other.
constexpr const char* kWrong = "wrong ";
constexpr const char* kCuda = "cuda ";

/// The number behind such a word; below zero where the answer is another one.
long long number_in(const std::string& answer, const std::string& word) {
  if (answer.rfind(word, 0) != 0) return -1;
  const std::string digits = answer.substr(word.size());
  const bool whole = !digits.empty() && digits.find_first_not_of("0123456789") == std::string::npos;
  return whole ? std::strtoll(digits.c_str(), nullptr, 10) : -1;
}

/// The words that the rank found wrong. Throws what the rank met.
double wrong_words_in(const RankAnswer& answer) {
  if (const long long wrong = number_in(answer.said, kWrong); wrong >= 0 && answer.status == 0)
    return static_cast<double>(wrong);
  if (const long long code = number_in(answer.said, kCuda); code > 0)
    throw Error(static_cast<cudaError_t>(code), "a rank of two on one GPU");
  if (WIFSIGNALED(answer.status))
    throw std::runtime_error("a rank of two on one GPU died of signal " +
                             std::to_string(WTERMSIG(answer.status)));
  throw LibraryError("a rank of two on one GPU: " + (answer.said.empty() ? "it said nothing" : answer.said));
}

std::size_t wrong_words(int device, int rank, const CommunicatorId& id) {
  check(cudaSetDevice(device), "cudaSetDevice");
  const Nccl nccl;
  if (!nccl.why_not().empty()) throw LibraryError(nccl.why_not());
  Communicator communicator = nullptr;
  nccl.check(nccl.init_rank(&communicator, kRanks, id, rank), "ncclCommInitRank");
  const Stream stream;
  const DeviceMemory<std::uint32_t> words = device_memory<std::uint32_t>(kWords);
  fill_bytes(words.get(), rank + 1, kWords * sizeof(std::uint32_t));
  nccl.check(nccl.all_reduce(words.get(), words.get(), kWords, kInt32, kSum, communicator, stream.get()),
             "ncclAllReduce");
  stream.wait();
  std::vector<std::uint32_t> sums(kWords);
  check(cudaMemcpy(sums.data(), words.get(), kWords * sizeof(std::uint32_t), cudaMemcpyDeviceToHost),
        "cudaMemcpy");
  nccl.destroy(communicator);
  constexpr std::uint32_t kSumOfRanks = kOfByte * (kRanks * (kRanks + 1) / 2);
  return static_cast<std::size_t>(
      std::count_if(sums.begin(), sums.end(), [](std::uint32_t each) { return each != kSumOfRanks; }));
}

}  // namespace

int run_shared_rank(std::FILE* answer, int device, int rank, const std::string& id) {
  bool right = false;
  try {
    right = std::fprintf(answer, "%s%zu", kWrong, wrong_words(device, rank, id_of(id))) > 0;
  } catch (const Error& error) {
    std::fprintf(answer, "%s%d", kCuda, static_cast<int>(error.code()));
  } catch (const std::exception& error) {
    std::fputs(error.what(), answer);
  }
  return std::fflush(answer) == 0 && right ? EXIT_SUCCESS : EXIT_FAILURE;
}

Measured shared_ranks() {
  int device = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  const Nccl nccl;
  if (!nccl.why_not().empty()) return {.values = {}, .unsupported = nccl.why_not()};
  CommunicatorId id;
  nccl.check(nccl.unique_id(&id), "ncclGetUniqueId");  // this process listens for the ranks
  Measured measured{.values = {0}};
  for (const RankAnswer& each : run_ranks({command_of(device, 0, id), command_of(device, 1, id)}))
    measured.values[0] += wrong_words_in(each);
  measured.facts.emplace_back("NCCL", nccl.version());
  return measured;
}

}  // namespace gauntlet::cuda
