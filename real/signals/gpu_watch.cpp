#include "real/signals/gpu_watch.hpp"

#include "core/quantity.hpp"
#include "real/system/clock.hpp"
#include "real/system/descriptor.hpp"
#include "real/system/shown.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <iterator>
#include <mutex>
#include <utility>

namespace gauntlet {
namespace {

using nvml::Gpu;
using nvml::Library;
using nvml::Trouble;

constexpr std::size_t kMostLines = 1000;     // that wait to be taken; then the oldest goes
constexpr std::size_t kXidsAtOnce = 100;     // of one look
constexpr std::size_t kLongestAddress = 40;  // nvmlPciInfo_t has 32 bytes for it
constexpr auto kEndsWithin = std::chrono::milliseconds(500);
// Assumption: a driver that resets a GPU answers again within five looks.
constexpr std::uint32_t kSilentLooks = 5;  // in a row
constexpr std::uint32_t kLooksPerCount =
    10;  // links have hundreds of counters: they are read at each tenth look
constexpr std::uint32_t kPeriodsToRetry = 60;  // where there was no driver
constexpr std::uint64_t kOffTheBus = 79;       // https://docs.nvidia.com/deploy/xid-errors/

/// In the words of the kernel, so that the same filter finds both.
std::string xid_line(const std::string& address, std::uint64_t xid) {
  return "NVRM: Xid (" + address + "): " + std::to_string(xid) + ", told by NVML";
}

/// "00000000:3B:00.0" is "PCI:0000:3b:00" in the kernel's log.
std::string address_of(const Gpu& gpu) {
  nvml::PciInfo pci{};
  if (gpu.pci(pci)) return "PCI";
  constexpr std::size_t kShortDomain = 4, kLongDomain = 8;
  std::string text = printable(pci.bus_id, kLongestAddress);
  if (text.find(':') == kLongDomain) text.erase(0, kLongDomain - kShortDomain);
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c; });
  return "PCI:" + text.substr(0, text.rfind('.'));
}

/// `counts`: whether counters of links are read too.
GpuCondition condition_of(const Gpu& gpu, GpuCondition found, bool counts) {
  std::uint32_t answers = 0;
  const auto ask = [&]<class Answer>(Trouble (Gpu::*question)(Answer&) const) {
    Answer into{};
    const Trouble trouble = (gpu.*question)(into);
    found.lost = found.lost || trouble.lost();
    if (trouble && !trouble.absent()) found.why_silent = trouble.why;
    answers += trouble ? 0 : 1;
    return trouble ? std::nullopt : std::optional(into);
  };
  if (const auto errors = ask(&Gpu::ecc_errors)) found.uncorrected_errors = errors->uncorrected;
  found.remaps = ask(&Gpu::row_remaps);
  found.slowdown = ask(&Gpu::slowdown);
  if (const auto lanes = ask(&Gpu::pcie_width)) found.lanes = lanes->now;
  if (const auto links = ask(&Gpu::links)) found.inactive_links = links->inactive;
  if (counts) found.pcie_replays = ask(&Gpu::pcie_replays);
  if (counts) found.link_errors = ask(&Gpu::link_errors);
  found.silent_looks = answers > 0 ? 0 : 1;
  return found;
}

GpuVitals vitals_of(const Gpu& gpu, const std::string& name) {
  nvml::Load load;
  static_cast<void>(gpu.load(load));
  constexpr std::uint32_t kMilli = 1000;
  return {.name = name,
          .celsius = load.celsius,
          .watts = load.milliwatts / kMilli,
          .megahertz = load.megahertz,
          .percent = load.percent,
          .memory_bytes = load.memory_bytes,
          .processes = load.processes,
          .link_bytes = load.link_bytes};
}

/// The XIDs of one GPU, by the events of the driver. None come where this process may not register for them.
class XidEvents {
 public:
  explicit XidEvents(const Gpu& gpu) : library_(gpu.library()), functions_(gpu.functions()) {
    if (library_.ask("nvmlEventSetCreate", functions_.create_events, &set_)) {
      set_ = nullptr;
      return;
    }
    static_cast<void>(gpu.ask("nvmlDeviceRegisterEvents", functions_.register_events, nvml::kXidEvent, set_));
  }
  ~XidEvents() {
    if (set_ != nullptr) static_cast<void>(library_.ask("nvmlEventSetFree", functions_.free_events, set_));
  }
  XidEvents(const XidEvents&) = delete;
  XidEvents& operator=(const XidEvents&) = delete;

  /// Of one that has come; nothing where none has.
  std::optional<std::uint64_t> next() const {
    nvml::Event event{};
    constexpr std::uint32_t kAtOnce = 0;
    if (set_ == nullptr ||
        library_.ask("nvmlEventSetWait_v2", functions_.wait_for_event, set_, &event, kAtOnce))
      return std::nullopt;
    return event.data;
  }

 private:
  const Library& library_;
  const nvml::Table& functions_;
  nvml::EventSet set_ = nullptr;
};

}  // namespace

std::vector<std::string> worse(const GpuCondition& before, const GpuCondition& now) {
  std::vector<std::string> lines;
  const auto say = [&](const std::string& what) { lines.push_back(now.name + ": " + what); };
  const auto say_growth = [&](const char* what, const std::optional<std::uint64_t>& was,
                              const std::optional<std::uint64_t>& is) {
    if (was && is && *is > *was) say(std::string(what) + ": " + std::to_string(*is - *was) + " more");
  };
  if (now.lost && !before.lost) say("is lost");
  if (!now.lost && now.silent_looks == kSilentLooks) say("does not answer: " + now.why_silent);
  say_growth("uncorrected errors of memory", before.uncorrected_errors, now.uncorrected_errors);
  if (before.remaps && now.remaps && now.remaps->pending && !before.remaps->pending)
    say("a row remap waits for a reset");
  if (before.remaps && now.remaps && now.remaps->failed && !before.remaps->failed) say("a row remap failed");
  if (now.slowdown && before.slowdown && (*now.slowdown & ~*before.slowdown) != 0)
    say("slowed down: " + nvml::words_of_slowdown(*now.slowdown & ~*before.slowdown));
  if (now.lanes && before.lanes && *now.lanes < *before.lanes)
    say("its PCIe link has " + std::to_string(*now.lanes) + " of " + std::to_string(*before.lanes) +
        " lanes");
  say_growth("PCIe replays", before.pcie_replays, now.pcie_replays);
  if (now.inactive_links && before.inactive_links) {
    std::vector<std::uint32_t> down;
    std::set_difference(now.inactive_links->begin(), now.inactive_links->end(),
                        before.inactive_links->begin(), before.inactive_links->end(),
                        std::back_inserter(down));
    if (!down.empty()) say("inactive NVLinks: " + nvml::numbers_text(down));
  }
  say_growth("NVLink errors", before.link_errors, now.link_errors);
  return lines;
}

struct GpuWatch::Shared {
  explicit Shared(GpuWatchSetup with)
      : setup(std::move(with)), lines_wait(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {}

  /// False once it ends.
  bool rest(Duration time) {
    std::unique_lock hold(mutex);
    looks_since_ns = 0;
    return !changed.wait_for(hold, time, [&] { return ends; });
  }
  void begin_look() {
    const std::scoped_lock hold(mutex);
    looks_since_ns = monotonic_ns();
    said_hung = false;
  }
  void add(std::vector<std::string> found, std::vector<GpuVitals> read) {
    const std::scoped_lock hold(mutex);
    vitals = std::move(read);
    for (std::string& each : found) add_line(std::move(each));
  }
  void add_line(std::string line) {
    lines.push_back(std::move(line));
    if (lines.size() > kMostLines) lines.erase(lines.begin());
    const std::uint64_t one = 1;
    static_cast<void>(::write(lines_wait.get(), &one, sizeof one));
  }

  const GpuWatchSetup setup;
  const Descriptor lines_wait;
  std::mutex mutex;
  std::condition_variable changed;
  bool ends = false, ended = false;  // it is to end; its thread has ended
  bool said_hung = false;
  std::int64_t looks_since_ns = 0;  // 0: it rests
  std::vector<std::string> lines;
  std::vector<GpuVitals> vitals;
};

namespace {

/// The GPUs of an open library, as the last look found them.
class Gpus {
 public:
  Gpus(const Library& library, std::uint32_t count, bool xids)
      : library_(library), before_(count), events_(count) {
    for (std::uint32_t i = 0; i < count; ++i) {
      before_[i].name = "GPU " + std::to_string(i);
      before_[i].address = "PCI";
      Trouble trouble;
      const Gpu gpu(library_, i, trouble);
      if (trouble) continue;
      before_[i].address = address_of(gpu);
      if (xids) events_[i] = std::make_unique<XidEvents>(gpu);
    }
  }

  /// New lines. The first look gives only XIDs.
  std::vector<std::string> look(std::vector<GpuVitals>& vitals) {
    std::vector<std::string> lines;
    const bool counts = looks_++ % kLooksPerCount == 0;
    for (std::uint32_t i = 0; i < before_.size(); ++i) {
      GpuCondition now = look_at(i, counts, vitals);
      add_xids(i, now, lines);
      if (looks_ > 1)
        for (std::string& each : worse(before_[i], now)) lines.push_back(std::move(each));
      keep_unsaid(now, before_[i]);
      before_[i] = std::move(now);
    }
    return lines;
  }

 private:
  GpuCondition look_at(std::uint32_t number, bool counts, std::vector<GpuVitals>& vitals) const {
    const GpuCondition& before = before_[number];
    GpuCondition found{.name = before.name, .address = before.address};
    Trouble trouble;
    const Gpu gpu(library_, number, trouble);
    if (trouble) {
      found.lost = trouble.lost();
      found.silent_looks = 1;
      found.why_silent = trouble.why;
    } else {
      found = condition_of(gpu, found, counts);
    }
    const bool returned = found.silent_looks == 0 && (before.lost || before.silent_looks > 0) && !found.lost;
    found.told_off_the_bus = before.told_off_the_bus && !returned;
    if (found.silent_looks == 0) {
      if (!found.lost) vitals.push_back(vitals_of(gpu, found.name));
      return found;
    }
    // Nothing says that it is back.
    found.silent_looks += before.silent_looks;
    found.lost = found.lost || before.lost;
    found.told_off_the_bus = before.told_off_the_bus;
    return found;
  }

  /// One that has fallen off the bus may be told by an event, by an answer or by both: it has the kernel's line once.
  void add_xids(std::uint32_t number, GpuCondition& now, std::vector<std::string>& lines) const {
    if (!events_[number]) return;
    for (std::size_t i = 0; i < kXidsAtOnce; ++i) {
      const std::optional<std::uint64_t> xid = events_[number]->next();
      if (!xid) break;
      if (*xid != kOffTheBus || !std::exchange(now.told_off_the_bus, true))
        lines.push_back(xid_line(now.address, *xid));
    }
    if (now.lost && !before_[number].lost && !std::exchange(now.told_off_the_bus, true))
      lines.push_back(xid_line(now.address, kOffTheBus));
  }

  /// What a GPU does not say at one look is compared with what it said last.
  static void keep_unsaid(GpuCondition& now, const GpuCondition& before) {
    const auto keep = [](auto& is, const auto& was) {
      if (!is) is = was;
    };
    keep(now.uncorrected_errors, before.uncorrected_errors);
    keep(now.pcie_replays, before.pcie_replays);
    keep(now.link_errors, before.link_errors);
    keep(now.remaps, before.remaps);
    keep(now.slowdown, before.slowdown);
    keep(now.lanes, before.lanes);
    keep(now.inactive_links, before.inactive_links);
  }

  const Library& library_;
  std::vector<GpuCondition> before_;
  std::vector<std::unique_ptr<XidEvents>> events_;  // none where the kernel's log is read
  std::uint64_t looks_ = 0;
};

}  // namespace

void GpuWatch::look_on(Shared& shared) {
  for (;;) {
    shared.begin_look();
    const Library library(shared.setup.library);
    std::uint32_t count = 0;
    if (library.why_not().empty() && !library.count(count) && count > 0) {
      Gpus gpus(library, count, shared.setup.xids);
      do {
        shared.begin_look();
        std::vector<GpuVitals> vitals;
        std::vector<std::string> lines = gpus.look(vitals);
        shared.add(std::move(lines), std::move(vitals));
      } while (shared.rest(shared.setup.period));
      return;
    }
    if (!shared.rest(kPeriodsToRetry * shared.setup.period)) return;
  }
}

GpuWatch::GpuWatch(const GpuWatchSetup& setup)
    : shared_(std::make_shared<Shared>(setup)), thread_([shared = shared_] {
        look_on(*shared);
        const std::scoped_lock hold(shared->mutex);
        shared->looks_since_ns = 0;
        shared->ended = true;
        shared->changed.notify_all();
      }) {}

GpuWatch::~GpuWatch() {
  std::unique_lock hold(shared_->mutex);
  shared_->ends = true;
  shared_->changed.notify_all();
  const bool ended = shared_->changed.wait_for(hold, kEndsWithin, [&] { return shared_->ended; });
  hold.unlock();
  if (ended)
    thread_.join();
  else
    thread_.detach();
}

std::vector<std::string> GpuWatch::take_lines() {
  const std::scoped_lock hold(shared_->mutex);
  std::uint64_t count = 0;
  static_cast<void>(::read(shared_->lines_wait.get(), &count, sizeof count));
  std::vector<std::string> lines = std::exchange(shared_->lines, {});
  const std::int64_t since = shared_->looks_since_ns;
  if (since != 0 && !shared_->said_hung && Duration(monotonic_ns() - since) > shared_->setup.patience) {
    shared_->said_hung = true;
    lines.push_back("GPUs: the driver has not answered for " + to_text(shared_->setup.patience));
  }
  return lines;
}

std::vector<GpuVitals> GpuWatch::vitals() const {
  const std::scoped_lock hold(shared_->mutex);
  return shared_->vitals;
}

int GpuWatch::descriptor() const { return shared_->lines_wait.get(); }

}  // namespace gauntlet
