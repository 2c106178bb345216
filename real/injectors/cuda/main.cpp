// gauntlet-cuda-fault: brings about a fault of a GPU, says what it did, and ends with its lease.
#include "real/cuda/device.hpp"
#include "real/injectors/cuda/faults.hpp"

#include <CLI/CLI.hpp>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

namespace gauntlet::cuda {
namespace {

constexpr double kShortest = 0.01, kLongest = 3600;  // seconds of a lease
constexpr double kMostMiB = 1e9;                     // a petabyte
constexpr unsigned kGrace = 30;                      // seconds to start a device, and to calibrate
constexpr Seconds kGauge(0.4);                       // of each measurement of a calibration
constexpr int kTries = 6;                            // of a calibration
constexpr int kFailed = 1, kUsage = 2;               // exit codes

struct Options {
  int gpu = -1;
  double seconds = 0, factor = 1.5, leave_mib = 1024;
  bool inject = false;
};

/// Of a process of its own, which shares the device as a job does.
class Gauge {
 public:
  explicit Gauge(int gpu) {
    int asked[2], told[2];
    if (::pipe(asked) != 0 || ::pipe(told) != 0) throw std::runtime_error("no pipe");
    const pid_t parent = ::getpid();
    process_ = ::fork();
    if (process_ < 0) throw std::runtime_error("no process");
    if (process_ == 0) {
      ::close(asked[1]);
      ::close(told[0]);
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (::getppid() != parent) std::_Exit(0);
      measure(gpu, asked[0], told[1]);
    }
    ::close(asked[0]);
    ::close(told[1]);
    asks_ = asked[1];
    hears_ = told[0];
  }
  Gauge(const Gauge&) = delete;
  Gauge& operator=(const Gauge&) = delete;
  ~Gauge() {
    ::close(asks_);
    ::close(hears_);
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
  }
  void ask() const {
    const char go = 1;
    if (::write(asks_, &go, 1) != 1) throw std::runtime_error("the gauge has ended");
  }
  double hear() const {
    double seconds = 0;
    if (::read(hears_, &seconds, sizeof seconds) != static_cast<ssize_t>(sizeof seconds))
      throw std::runtime_error("the gauge has ended");
    return seconds;
  }

 private:
  [[noreturn]] static void measure(int gpu, int asked, int told) {
    try {
      check(cudaSetDevice(gpu), "cudaSetDevice");
      work_takes(kGauge);  // clocks rise
      for (char go = 0; ::read(asked, &go, 1) == 1;) {
        const double seconds = work_takes(kGauge).count();
        if (::write(told, &seconds, sizeof seconds) != static_cast<ssize_t>(sizeof seconds)) break;
      }
    } catch (const std::exception& error) {
      std::fprintf(stderr, "gauntlet-cuda-fault: %s\n", error.what());
    }
    std::_Exit(0);
  }
  pid_t process_ = -1;
  int asks_ = -1, hears_ = -1;
};

/// How many times as long others take under that load.
double factor_at(double share, const Gauge& gauge, double alone) {
  gauge.ask();
  load(share,
       std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::nanoseconds>(kGauge));
  return gauge.hear() / alone;
}

struct Found {
  double share = 0, factor = 1;
};

/// The share of the time whose load comes nearest to the factor that was asked for.
Found calibrate(const Options& options) {
  const Gauge gauge(options.gpu);  // before this process has a context: a child cannot use its parent's
  check(cudaSetDevice(options.gpu), "cudaSetDevice");
  gauge.ask();
  const double alone = gauge.hear();
  double low = 0, high = 1;
  Found best;
  for (int i = 0; i < kTries; ++i) {
    const double tried = (low + high) / 2;
    const double measured = factor_at(tried, gauge, alone);
    if (std::abs(measured - options.factor) < std::abs(best.factor - options.factor))
      best = {tried, measured};
    (measured < options.factor ? low : high) = tried;
  }
  return best;
}

int slow(const Options& options) {
  const Found found = calibrate(options);
  std::printf(
      "{\"fault\":\"slow\",\"gpu\":%d,\"asked_factor\":%g,\"measured_factor\":%.3f,\"share\":%.3f,"
      "\"seconds\":%g}\n",
      options.gpu, options.factor, found.factor, found.share, options.seconds);
  std::fflush(stdout);
  constexpr double kNear = 0.1;  // of what was asked for
  if (std::abs(found.factor - options.factor) > kNear * options.factor) {
    std::fprintf(stderr, "gauntlet-cuda-fault: slow: others take %.2f times as long at best, not %g times\n",
                 found.factor, options.factor);
    return kFailed;
  }
  load(found.share, std::chrono::steady_clock::now() +
                        std::chrono::duration_cast<std::chrono::nanoseconds>(Seconds(options.seconds)));
  return 0;
}

int illegal_address(const Options& options) {
  check(cudaSetDevice(options.gpu), "cudaSetDevice");
  const bool came = write_to_illegal_address();
  std::printf("{\"fault\":\"illegal-address\",\"gpu\":%d,\"error\":%s}\n", options.gpu,
              came ? "\"cudaErrorIllegalAddress\"" : "null");
  return came ? 0 : kFailed;
}

int hang(const Options& options) {
  check(cudaSetDevice(options.gpu), "cudaSetDevice");
  const Seconds took = spin(Seconds(options.seconds));
  std::printf("{\"fault\":\"hang\",\"gpu\":%d,\"asked_s\":%g,\"hung_s\":%.3f}\n", options.gpu,
              options.seconds, took.count());
  return 0;
}

int memory(const Options& options) {
  check(cudaSetDevice(options.gpu), "cudaSetDevice");
  const MemoryPressure pressure(static_cast<std::size_t>(options.leave_mib * (1 << 20)));
  std::printf("{\"fault\":\"memory\",\"gpu\":%d,\"taken_mib\":%zu,\"free_mib\":%zu}\n", options.gpu,
              pressure.taken() >> 20, free_bytes() >> 20);
  std::fflush(stdout);
  if (pressure.taken() == 0) {
    std::fprintf(stderr, "gauntlet-cuda-fault: memory: no more is free than --leave says\n");
    return kFailed;
  }
  std::this_thread::sleep_for(Seconds(options.seconds));
  return 0;
}

/// CLI::Range lets what is not a number pass.
const CLI::Validator& a_number() {
  static const CLI::Validator validator(
      [](const std::string& text) { return std::isnan(std::stod(text)) ? "is not a number" : ""; }, "");
  return validator;
}

CLI::App* add(CLI::App& app, Options& options, const char* name, const char* what) {
  CLI::App* const fault = app.add_subcommand(name, what);
  fault->add_option("--gpu", options.gpu, "The GPU")->required()->check(CLI::NonNegativeNumber);
  fault
      ->add_option("--seconds", options.seconds,
                   "How long it lasts; starting and measuring take up to 30 s more")
      ->required()
      ->check(CLI::Range(kShortest, kLongest))
      ->check(a_number());
  fault->add_flag("--inject", options.inject, "Confirm: the fault disturbs every user of the GPU")
      ->required();
  return fault;
}

int run(int argc, char** argv) {
  const pid_t parent = ::getppid();
  Options options;
  CLI::App app(
      "Brings about a fault of a GPU on purpose, and says what it did as a line of JSON. It ends after its "
      "seconds, or with the process that "
      "started it; nothing stays behind.",
      "gauntlet-cuda-fault");
  app.footer(
      "Examples:\n"
      "  gauntlet-cuda-fault slow --factor 1.5 --gpu 0 --seconds 60 --inject\n"
      "  gauntlet-cuda-fault memory --leave 512 --gpu 0 --seconds 60 --inject\n\n"
      "Exit codes: 0 done, 1 the device refused or the fault did not come about, 2 the arguments are wrong.");
  app.require_subcommand(1);
  add(app, options, "illegal-address",
      "A kernel writes where no memory is: this process alone is hit, and the driver logs an XID");
  add(app, options, "hang", "A kernel keeps every multiprocessor busy; the device's own clock ends it");
  add(app, options, "slow", "Work of others takes longer; how much is measured before it begins")
      ->add_option("--factor", options.factor, "Slowdown of other work, as a multiplier")
      ->capture_default_str()
      ->check(CLI::Range(1.01, 2.0))
      ->check(a_number());
  add(app, options, "memory", "Takes all memory of the GPU except --leave MiB")
      ->add_option("--leave", options.leave_mib, "MiB that stay free")
      ->capture_default_str()
      ->check(CLI::Range(0.0, kMostMiB))
      ->check(a_number());
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kUsage;  // 0: help was asked for
  }
  // The lease: whatever happens here, the kernel ends this process, and the driver frees what it had.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) return kFailed;
  std::signal(SIGALRM, SIG_DFL);
  std::signal(SIGPIPE, SIG_IGN);  // a gauge that has ended is an error of the call that meets it
  ::alarm(static_cast<unsigned>(options.seconds) + kGrace);
  using Fault = int (*)(const Options&);
  const std::pair<const char*, Fault> faults[] = {
      {"illegal-address", illegal_address}, {"hang", hang}, {"slow", slow}, {"memory", memory}};
  for (const auto& [name, fault] : faults)
    if (app.got_subcommand(name)) return fault(options);
  return kUsage;
}

}  // namespace
}  // namespace gauntlet::cuda

int main(int argc, char** argv) {
  try {
    return gauntlet::cuda::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "gauntlet-cuda-fault: %s\n", error.what());
    return gauntlet::cuda::kFailed;
  }
}
