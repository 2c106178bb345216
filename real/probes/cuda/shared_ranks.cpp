#include "real/probes/cuda/shared_ranks.hpp"

#include "real/cuda/device.hpp"
#include "real/cuda/nccl.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <system_error>
#include <vector>

extern char** environ;

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

/// A process that its owner ends; the kernel does where the owner dies.
class Rank {
 public:
  Rank(int device, int rank, const std::string& id) {
    std::array<int, 2> pipe{};
    if (::pipe2(pipe.data(), O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
    says_ = pipe[0];
    const std::string own = "NCCL_HOSTID=gauntlet-rank-" + std::to_string(rank);
    std::vector<std::string> words = {
        "gauntlet-cuda-probe",     "--shared-rank", std::to_string(device), std::to_string(rank), id,
        std::to_string(::getpid())};
    std::vector<char*> arguments, variables = {const_cast<char*>(own.c_str())};
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    for (char** each = environ; *each != nullptr; ++each)
      if (std::string(*each).rfind("NCCL_HOSTID=", 0) != 0) variables.push_back(*each);
    variables.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, pipe[1], STDOUT_FILENO);
    const int error =
        ::posix_spawn(&process_, "/proc/self/exe", &actions, nullptr, arguments.data(), variables.data());
    ::posix_spawn_file_actions_destroy(&actions);
    ::close(pipe[1]);
    if (error == 0) return;
    ::close(says_);
    throw std::system_error(error, std::generic_category(), "posix_spawn");
  }
  Rank(const Rank&) = delete;
  Rank& operator=(const Rank&) = delete;
  ~Rank() {
    end();
    if (process_ > 0) static_cast<void>(::waitpid(process_, nullptr, 0));
    ::close(says_);
  }
  pid_t process() const { return process_; }
  /// Its process was waited for.
  void ended() { process_ = -1; }
  void end() const {
    if (process_ > 0) ::kill(process_, SIGKILL);
  }
  /// All that it printed.
  std::string said() const {
    std::string text;
    std::array<char, 512> room{};
    for (ssize_t got = 0; (got = ::read(says_, room.data(), room.size())) > 0;)
      text.append(room.data(), static_cast<std::size_t>(got));
    return text;
  }

 private:
  pid_t process_ = -1;
  int says_ = -1;
};

/// Waits for a process. Returns its status.
int wait_for(pid_t process) {
  int status = 0;
  while (::waitpid(process, &status, 0) < 0)
    if (errno != EINTR) throw std::system_error(errno, std::generic_category(), "waitpid");
  return status;
}

/// Waits for the rank that ends first.
pid_t wait_for_any(int& status) {
  while (true) {
    const pid_t ended = ::waitpid(-1, &status, 0);
    if (ended > 0) return ended;
    if (errno != EINTR) throw std::system_error(errno, std::generic_category(), "waitpid");
  }
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
double wrong_words_in(const std::string& answer, int status) {
  if (const long long wrong = number_in(answer, kWrong); wrong >= 0 && status == 0)
    return static_cast<double>(wrong);
  if (const long long code = number_in(answer, kCuda); code > 0)
    throw Error(static_cast<cudaError_t>(code), "a rank of two on one GPU");
  if (WIFSIGNALED(status))
    throw std::runtime_error("a rank of two on one GPU died of signal " + std::to_string(WTERMSIG(status)));
  throw LibraryError("a rank of two on one GPU: " + (answer.empty() ? "it said nothing" : answer));
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
  std::array<Rank, kRanks> ranks{Rank(device, 0, hexadecimal(id)), Rank(device, 1, hexadecimal(id))};
  int status = 0;
  const std::size_t first = wait_for_any(status) == ranks[0].process() ? 0 : 1;
  ranks[first].ended();
  // The other one waits for a rank that failed: it ends with `ranks`.
  Measured measured{.values = {wrong_words_in(ranks[first].said(), status)}};
  Rank& other = ranks[1 - first];
  status = wait_for(other.process());
  other.ended();
  measured.values[0] += wrong_words_in(other.said(), status);
  measured.facts.emplace_back("NCCL", nccl.version());
  return measured;
}

}  // namespace gauntlet::cuda
