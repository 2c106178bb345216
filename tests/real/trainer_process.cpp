#include "tests/real/trainer_process.hpp"

#include "real/launch/free_port.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <map>
#include <system_error>

extern char** environ;

namespace gauntlet {
namespace {

// So long no step of any test takes on a machine that works at all.
constexpr int kGenerousMilliseconds = 60'000;

std::array<int, 2> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe2");
  return ends;
}

/// What comes next, empty at the end; nothing where too long nothing came.
std::optional<std::string> read_some(int descriptor) {
  pollfd wait{.fd = descriptor, .events = POLLIN, .revents = 0};
  if (::poll(&wait, 1, kGenerousMilliseconds) <= 0) return std::nullopt;
  std::array<char, 4096> part{};
  const ssize_t count = ::read(descriptor, part.data(), part.size());
  return std::string(part.data(), count > 0 ? static_cast<std::size_t>(count) : 0);
}

int listen_at(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  const int listener = ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  if (listener < 0 || ::bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(listener, 1) != 0)
    throw std::system_error(errno, std::generic_category(), path);
  return listener;
}

}  // namespace

TrainerProcess::TrainerProcess(const std::vector<std::string>& arguments,
                               std::vector<std::string> environment, const std::function<void()>& in_child)
    : directory_((std::filesystem::temp_directory_path() / "rank-XXXXXX").string()) {
  if (::mkdtemp(directory_.data()) == nullptr)
    throw std::system_error(errno, std::generic_category(), "mkdtemp");
  listener_ = listen_at(directory_ + "/socket");
  const auto output = make_pipe(), error = make_pipe();
  std::vector<char*> argv{const_cast<char*>(GAUNTLET_TRAINER)};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  environment.push_back("GAUNTLET_RANK_SOCKET=" + directory_ + "/socket");
  environment.push_back("GAUNTLET_RANK_MARKS=" + directory_ + "/marks-");
  std::vector<char*> variables;
  for (std::string& each : environment) variables.push_back(each.data());
  for (char** each = environ; *each != nullptr; ++each) variables.push_back(*each);
  variables.push_back(nullptr);
  pid_ = ::fork();
  if (pid_ < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (pid_ == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::dup2(output[1], STDOUT_FILENO);
    ::dup2(error[1], STDERR_FILENO);
    if (in_child) in_child();
    ::execve(GAUNTLET_TRAINER, argv.data(), variables.data());
    ::_exit(127);
  }
  ::close(output[1]);
  ::close(error[1]);
  output_ = output[0];
  error_ = error[0];
}

TrainerProcess::~TrainerProcess() {
  if (!exit_code_) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  stop_reading();
  ::close(output_);
  ::close(error_);
  std::error_code ignored;
  std::filesystem::remove_all(directory_, ignored);
}

void TrainerProcess::signal(int number) const { ASSERT_EQ(::kill(pid_, number), 0); }

void TrainerProcess::stop_reading() {
  for (int* each : {&listener_, &channel_}) {
    if (*each >= 0) ::close(*each);
    *each = -1;
  }
}

void TrainerProcess::tell(const std::string& order) const {
  ASSERT_EQ(::send(channel_, order.data(), order.size(), MSG_NOSIGNAL), static_cast<ssize_t>(order.size()));
}

/// False where it ends without one.
bool TrainerProcess::await_connection() {
  while (channel_ < 0) {
    std::array<pollfd, 2> waits{pollfd{.fd = listener_, .events = POLLIN, .revents = 0},
                                pollfd{.fd = output_, .events = POLLIN, .revents = 0}};
    if (::poll(waits.data(), waits.size(), kGenerousMilliseconds) <= 0) {
      ADD_FAILURE() << "process " << pid_ << " neither connects nor ends";
      return false;
    }
    if (waits[0].revents != 0)
      channel_ = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    else if (const auto printed = read_some(output_); !printed || printed->empty())
      return false;
  }
  return true;
}

std::optional<RankLine> TrainerProcess::next_line() {
  while (listener_ >= 0) {
    if (const std::size_t end = unread_.find('\n'); end != std::string::npos) {
      const std::string text = unread_.substr(0, end);
      unread_.erase(0, end + 1);
      if (text.starts_with("hello ")) continue;
      const auto line = parse_rank_line(text);
      EXPECT_TRUE(line) << "no line of a rank: " << text;
      if (line) lines_.push_back(*line);
      return line;
    }
    if (!await_connection()) return std::nullopt;
    const auto more = read_some(channel_);
    if (!more) ADD_FAILURE() << "process " << pid_ << " says nothing and does not end";
    if (!more || more->empty()) return std::nullopt;
    unread_ += *more + "\n";  // each message is whole
  }
  return std::nullopt;
}

std::optional<RankLine> TrainerProcess::wait_for(const std::function<bool(const RankLine&)>& wanted) {
  while (const auto line = next_line())
    if (wanted(*line)) return line;
  ADD_FAILURE() << "the output of process " << pid_ << " ended without the line";
  return std::nullopt;
}

std::optional<RankLine> TrainerProcess::wait_for(RankLine::Kind kind, std::int64_t step) {
  SCOPED_TRACE("waiting for " + to_line({.kind = kind, .step = step}));
  return wait_for([&](const RankLine& line) { return line.kind == kind && line.step == step; });
}

std::optional<RankLine> TrainerProcess::wait_for_log(const std::string& pattern) {
  SCOPED_TRACE("waiting for log " + pattern);
  return wait_for(
      [&](const RankLine& line) { return line.kind == RankLine::Kind::log && line.pattern == pattern; });
}

int TrainerProcess::wait_for_exit() {
  if (exit_code_) return *exit_code_;
  while (next_line()) {
  }
  auto more = read_some(error_);
  for (; more && !more->empty(); more = read_some(error_)) error_text_ += *more;
  if (!more) {
    ADD_FAILURE() << "process " << pid_ << " does not end";
    ::kill(pid_, SIGKILL);
  }
  int status = 0;
  ::waitpid(pid_, &status, 0);  // both its ends are closed: it is ending
  exit_code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return *exit_code_;
}

std::vector<std::string> TrainerJob::arguments(std::uint32_t rank) const {
  const auto text = [](auto number) { return std::to_string(number); };
  return {"--rank",
          text(rank),
          "--tp",
          text(tp),
          "--global-batch",
          text(global_batch),
          "--micro-batch",
          text(micro_batch),
          "--pp",
          text(pp),
          "--dp",
          text(dp),
          "--seed",
          text(seed),
          "--steps",
          text(steps),
          "--checkpoint-directory",
          checkpoints(),
          "--checkpoint-every",
          text(checkpoint_every),
          "--memory-every",
          text(memory_every),
          "--peers-every",
          text(peers_every),
          "--restore",
          restore,
          "--step-time",
          step_time,
          "--collective-timeout",
          collective_timeout};
}

std::uint16_t TrainerJob::port() const {
  static std::map<std::filesystem::path, std::uint16_t> ports;
  static std::uint16_t last = 0;
  std::uint16_t& port = ports[directory];
  if (port == 0) port = last = free_port(last);
  return port;
}

std::vector<std::string> TrainerJob::environment() const {
  std::vector<std::string> variables = {"MASTER_ADDR=127.0.0.1", "MASTER_PORT=" + std::to_string(port()),
                                        "GAUNTLET_SECRET=" + secret};
  variables.push_back("GAUNTLET_RUN=" + std::to_string(number));
  if (!staged.empty()) variables.push_back("GAUNTLET_STAGED_COPIES=" + staged);
  if (!checkpointer.empty()) variables.push_back("GAUNTLET_CHECKPOINTER=" + checkpointer);
  variables.push_back("GROUP_RANK=" + std::to_string(host));
  if (!addresses.empty()) variables.push_back("GAUNTLET_DATA_ADDRESSES=" + addresses);
  return variables;
}

std::unique_ptr<TrainerProcess> TrainerJob::start(std::uint32_t rank,
                                                  const std::function<void()>& in_child) const {
  std::filesystem::create_directories(checkpoints());
  return std::make_unique<TrainerProcess>(arguments(rank), environment(), in_child);
}

std::vector<std::unique_ptr<TrainerProcess>> TrainerJob::start_all() const {
  std::vector<std::unique_ptr<TrainerProcess>> ranks;
  for (std::uint32_t rank = 0; rank < this->ranks(); ++rank) ranks.push_back(start(rank));
  return ranks;
}

std::vector<std::uint64_t> final_hashes(const std::vector<std::unique_ptr<TrainerProcess>>& ranks) {
  std::vector<std::uint64_t> hashes;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    EXPECT_EQ(ranks[rank]->wait_for_exit(), kExitFinished)
        << "rank " << rank << ": " << ranks[rank]->standard_error();
    const auto& lines = ranks[rank]->lines();
    const bool finished = !lines.empty() && lines.back().kind == RankLine::Kind::finished;
    EXPECT_TRUE(finished) << "rank " << rank;
    hashes.push_back(finished ? lines.back().hash : 0);
  }
  return hashes;
}

}  // namespace gauntlet
