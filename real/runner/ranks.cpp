#include "real/runner/ranks.hpp"

#include "core/contract.hpp"
#include "real/runner/rank_environment.hpp"
#include "real/runner/rank_tag.hpp"
#include "real/signals/machine_sensor.hpp"
#include "real/system/clock.hpp"
#include "real/system/program.hpp"
#include "real/system/shown.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <exception>
#include <system_error>
#include <utility>

namespace gauntlet {
namespace {

constexpr std::size_t kLongestLine = 64 * 1024;
// Between two looks at everything else; a rank that prints without end must not delay a lease.
constexpr std::size_t kBytesAtOnce = 256 * 1024;
constexpr std::size_t kBytesAtExit = 4 * 1024 * 1024;
constexpr std::size_t kLongestLast = 300;  // characters of a rank's last line, in a message
constexpr std::size_t kLastLines = 10;
// A program begins, and a killed process ends, within milliseconds; on a busy machine seconds were observed. A driver waits longer.
constexpr Duration kBegins = std::chrono::seconds(10), kEnds = std::chrono::seconds(5);

bool exited(const Descriptor& handle) {
  siginfo_t info{};
  return ::waitid(P_PIDFD, static_cast<id_t>(handle.get()), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         info.si_pid != 0;
}

std::string failure(const std::string& what, int error) { return what + ": " + std::strerror(error); }

/// The prefix of the files that PyTorch dumps its flight recorder to. It takes the first that is set; older versions know the second alone.
constexpr std::array<std::string_view, 2> kDumpVariables = {"TORCH_FR_DUMP_TEMP_FILE",
                                                            "TORCH_NCCL_DEBUG_INFO_TEMP_FILE"};

bool dumps_elsewhere(const std::vector<std::string>& environment) {
  return std::any_of(kDumpVariables.begin(), kDumpVariables.end(),
                     [&](std::string_view name) { return !value_of(name, environment).empty(); });
}

}  // namespace

RankProcesses::RankProcesses(std::string trainer, std::string directory, std::optional<RankUser> user,
                             const OfHost& host)
    : trainer_(std::move(trainer)),
      directory_(std::move(directory)),
      user_(std::move(user)),
      host_(host.number),
      checkpointer_(host.program, user_) {}

/// Without a wait for what the kernel holds.
RankProcesses::~RankProcesses() {
  kill();
  const Listener nobody{.on_line = [](auto&&...) { return true; }, .on_exit = [](const Exit&) {}};
  const Time until = after(Time(Duration(monotonic_ns())), kEnds);
  for (Time now{}; !none() && now < until; now = Time(Duration(monotonic_ns()))) {
    std::vector<pollfd> dying;
    add_to(dying);
    ::poll(dying.data(), dying.size(), static_cast<int>(kEnds / std::chrono::milliseconds(1)));
    collect(nobody);
  }
}

// --- beginning -----------------------------------------------------------------------------------------------------

std::string RankProcesses::start(const DriverStartRanks& start) {
  expect(none(), "an older run is gone before the next one starts");
  start_ = start;
  failed_ = false;
  kill_at_ = ends_by_ = kNever;
  reports_.begin(after(Time(Duration(monotonic_ns())), kBegins));
  std::string why = make_recorders_folder();
  if (why.empty() && speaks())
    why =
        channels_.open(directory_, start_.ranks, user_, [this](pid_t process) { return is_of_job(process); });
  if (why.empty() && speaks()) why = checkpointer_.open(directory_);
  if (why.empty()) why = launch_all();
  failed_ = !why.empty();
  if (failed_) kill();
  return why;
}

std::optional<std::string> RankProcesses::started() {
  const std::optional<std::string> why = reports_.outcome(Time(Duration(monotonic_ns())));
  failed_ = failed_ || (why && !why->empty());
  if (failed_) kill();
  return why;
}

/// With the number of the rank: its recorder. Ranks make these files, so the folder is theirs.
std::string RankProcesses::marks_prefix() const { return directory_ + "/marks/rank-"; }

/// With the number of the rank: the dump of PyTorch's flight recorder.
std::string RankProcesses::dumps_prefix() const { return directory_ + "/marks/flight-recorder-"; }

/// With the number of the rank: the recorder of the plugin in its NCCL.
std::string RankProcesses::nccl_prefix() const { return directory_ + "/marks/nccl-"; }

/// A folder without the recorders of an earlier start. Returns why not, or nothing.
std::string RankProcesses::make_recorders_folder() {
  const std::string folder = directory_ + "/marks";
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST)
    return failure(folder + ": cannot be made", errno);
  recorders_.clear();
  for (const std::uint32_t rank : start_.ranks) {
    for (const std::string& prefix : {marks_prefix(), dumps_prefix(), nccl_prefix()})
      ::unlink((prefix + std::to_string(rank)).c_str());
    if (speaks()) recorders_.emplace_back(marks_prefix() + std::to_string(rank));
  }
  try {
    if (user_) give_to(*user_, folder);
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

std::string RankProcesses::launch_all() {
  std::string program = trainer_;
  if (start_.command.given()) {
    const std::vector<std::string> environment = rank_environment(start_, {});
    FoundProgram found = find_program(start_.command.arguments.front(), start_.command.directory,
                                      value_of("PATH", environment), user_);
    if (!found.why.empty()) return found.why;
    program = std::move(found.path);
  }
  std::vector<std::vector<std::uint32_t>> carried;
  if (start_.command.given() && start_.command.per == ProcessPer::host) {
    if (!start_.ranks.empty()) carried.push_back(start_.ranks);
  } else {
    for (const std::uint32_t rank : start_.ranks) carried.push_back({rank});
  }
  for (const std::vector<std::uint32_t>& ranks : carried) {
    const std::string why = begin(ranks, launch_of(ranks, program));
    if (!why.empty()) return why;
  }
  return "";
}

Launch RankProcesses::launch_of(const std::vector<std::uint32_t>& ranks, const std::string& program) const {
  Launch launch{.program = program,
                .arguments = {},
                .environment = rank_environment(start_, ranks),
                .directory = {},
                .user = user_};
  launch.environment.push_back(rank_tag());
  if (speaks())
    launch.environment.insert(
        launch.environment.end(),
        {"GAUNTLET_RANK_SOCKET=" + channels_.path(), "GAUNTLET_RANK_MARKS=" + marks_prefix(),
         "GAUNTLET_STAGED_COPIES=" + directory_ + "/marks/" + copies_prefix()});
  if (!checkpointer_.path().empty())
    launch.environment.push_back("GAUNTLET_CHECKPOINTER=" + checkpointer_.path());
  if (start_.command.given()) {
    launch.environment.push_back("GAUNTLET_NCCL_MARKS=" + nccl_prefix());
    if (!dumps_elsewhere(launch.environment)) {
      for (const std::string_view name : kDumpVariables)
        launch.environment.push_back(std::string(name) + "=" + dumps_prefix());
    }
    launch.arguments = start_.command.arguments;
    launch.directory = start_.command.directory;
  } else {
    launch.arguments = {program, "--rank", std::to_string(ranks.front())};
    launch.arguments.insert(launch.arguments.end(), start_.arguments.begin(), start_.arguments.end());
  }
  return launch;
}

std::string RankProcesses::begin(const std::vector<std::uint32_t>& ranks, Launch launch) {
  RankLog log(directory_ + "/rank-" + std::to_string(ranks.front()) + ".log");
  if (std::string why = log.open(); !why.empty()) return why;
  std::array<int, 2> output{};
  if (::pipe2(output.data(), O_CLOEXEC) != 0) return failure("no pipe for a rank", errno);
  Descriptor output_end(output[0]);
  const Descriptor rank_end(output[1]);
  if (::fcntl(output_end.get(), F_SETFL, O_NONBLOCK) != 0) return failure("no pipe for a rank", errno);
  launch.output = rank_end.get();
  launch.errors = rank_end.get();
  const std::int64_t began_ns = monotonic_ns();
  Launched launched = gauntlet::launch(launch);
  if (launched.pid > 0) {
    processes_.push_back({.ranks = ranks,
                          .pid = launched.pid,
                          .handle = std::move(launched.handle),
                          .output = std::move(output_end),
                          .log = std::move(log),
                          .lines = PrintedProgress(start_.command.lines, start_.command.step_time, began_ns),
                          .heard_ns = began_ns});
    strays_left_ = true;
  }
  reports_.add(std::move(launch), std::move(launched.report));
  return launched.why;
}

// --- ending --------------------------------------------------------------------------------------------------------

void RankProcesses::stop() {
  const Duration grace = start_.command.given() ? start_.command.grace : Duration::zero();
  if (grace == Duration::zero() || processes_.empty()) return kill_ranks();
  channels_.tell("stop");
  const int number = number_of_signal(start_.command.stop_signal);
  for (Process& process : processes_) {
    if (!std::exchange(process.ordered, true) && number != 0) ::kill(-process.pid, number);
  }
  if (kill_at_ == kNever) kill_at_ = after(Time(Duration(monotonic_ns())), grace);
}

void RankProcesses::kill() {
  kill_ranks();
  checkpointer_.kill();
}

void RankProcesses::kill_ranks() {
  kill_at_ = kNever;
  if (ends_by_ == kNever) ends_by_ = after(Time(Duration(monotonic_ns())), kEnds);
  for (Process& process : processes_) {
    process.ordered = true;
    ::kill(-process.pid, SIGKILL);
    ::kill(process.pid, SIGKILL);  // one that does not lead its group yet
  }
}

/// The kernel holds them, for example while their file system hangs. Nothing waits for them.
void RankProcesses::name_stuck(const Listener& listener) {
  if (ends_by_ == kNever || Time(Duration(monotonic_ns())) < ends_by_) return;
  ends_by_ = kNever;
  for (const Process& process : processes_) {
    if (!exited(process.handle) && listener.on_stuck)
      listener.on_stuck("rank " + std::to_string(process.ranks.front()) + " (process " +
                        std::to_string(process.pid) + ") was killed and does not end: the kernel holds it");
  }
}

void RankProcesses::tell(const DriverTellRanks& message) {
  switch (message.what) {
    case RankOrder::checkpoint:
      return channels_.tell("checkpoint");
    case RankOrder::cadence:
      return channels_.tell("cadence " + std::to_string(message.steps));
    case RankOrder::stop:
      return channels_.tell("stop");
  }
}

bool RankProcesses::hold(std::uint32_t rank, bool held) {
  return channels_.tell(rank, held ? "hold" : "go on");
}

/// Whoever left its rank's process group, or its session, is a child of this process now.
void RankProcesses::end_strays() { strays_left_ = strays_left_ && strays_.end(); }

/// The process that carries a rank; null where none lives.
const RankProcesses::Process* RankProcesses::living(std::uint32_t rank) const {
  const auto carries = [&](const Process& p) {
    return std::find(p.ranks.begin(), p.ranks.end(), rank) != p.ranks.end();
  };
  const auto found = std::find_if(processes_.begin(), processes_.end(), carries);
  return found == processes_.end() || exited(found->handle) ? nullptr : &*found;
}

bool RankProcesses::is_of_job(pid_t process) const {
  return std::any_of(processes_.begin(), processes_.end(),
                     [&](const Process& each) { return each.pid == process || is_below(process, each.pid); });
}

/// Of the ranks of a host that one process carries, only that one where it is known. Nothing where none lives.
std::optional<RankProcesses::Target> RankProcesses::target_of(std::uint32_t rank) const {
  const Process* process = living(rank);
  if (process == nullptr) return std::nullopt;
  const RankChannels::Speaker* own = process->ranks.size() > 1 ? channels_.speaker_of(rank) : nullptr;
  if (own == nullptr || own->pid == process->pid) return Target{process->pid, &process->handle, true};
  // In this order: a process that has not ended still had its number.
  if (!own->handle || !is_below(own->pid, process->pid) || has_ended(own->handle)) return std::nullopt;
  return Target{own->pid, &own->handle, false};
}

std::vector<pid_t> RankProcesses::processes_of(std::uint32_t rank) const {
  const std::optional<Target> target = target_of(rank);
  if (!target) return {};
  std::vector<pid_t> all = {target->pid};
  for (const pid_t each : descendants(target->pid)) all.push_back(each);
  return all;
}

std::string RankProcesses::signal(std::uint32_t rank, AgentSignal signal) {
  const std::optional<Target> target = target_of(rank);
  if (!target) return "rank " + std::to_string(rank) + " does not run here";
  const int number = signal == AgentSignal::kill ? SIGKILL : signal == AgentSignal::stop ? SIGSTOP : SIGCONT;
  const std::vector<Descriptor> below = handles_below(target->pid);
  // First itself: what it still starts is in its group.
  if (signal_process(*target->handle, number) != 0)
    return failure("rank " + std::to_string(rank) + " cannot be signalled", errno);
  if (target->leads_group) ::kill(-target->pid, number);  // ours to reap: its number is not free before
  for (const Descriptor& each : below) signal_process(each, number);
  return {};
}

std::vector<std::uint32_t> RankProcesses::alive() const {
  std::vector<std::uint32_t> out;
  for (const Process& process : processes_) out.insert(out.end(), process.ranks.begin(), process.ranks.end());
  return out;
}

std::vector<RankVitals> RankProcesses::vitals() const {
  std::vector<RankVitals> all;
  const std::int64_t now_ns = monotonic_ns();
  for (const Process& process : processes_) {
    RankVitals vitals{.rank = process.ranks.front(), .pid = process.pid};
    if (!read_process("", vitals)) continue;
    vitals.silent_ns = now_ns - process.heard_ns;
    all.push_back(vitals);
  }
  return all;
}

std::optional<std::uint64_t> RankProcesses::sent() const {
  std::optional<std::uint64_t> sum;
  for (const KeptFile& recorder : recorders_)
    if (const auto sent = read_sent(recorder)) sum = sum.value_or(0) + *sent;
  return sum;
}

RankMarks RankProcesses::marks_of(std::uint32_t rank) const {
  const std::string number = std::to_string(rank);
  return read_rank_marks({.own = marks_prefix() + number,
                          .nccl = nccl_prefix() + number,
                          .flight_recorder = dumps_prefix() + number});
}

/// A process that is stopped waits for nobody, wherever it stood.
std::optional<Dimension> RankProcesses::waits_in() const {
  for (const Process& process : processes_) {
    RankVitals vitals{.pid = process.pid};
    if (!read_process("", vitals) || vitals.state == 'T' || vitals.state == 'Z') return std::nullopt;
  }
  std::optional<Dimension> first;
  for (const std::uint32_t rank : alive()) {
    const std::optional<Dimension> waits = gauntlet::waits_in(marks_of(rank).marks);
    if (!waits) return std::nullopt;
    if (!first) first = waits;
  }
  return first;
}

void RankProcesses::note_heard(std::uint32_t rank) {
  for (Process& process : processes_) {
    if (std::find(process.ranks.begin(), process.ranks.end(), rank) != process.ranks.end())
      process.heard_ns = monotonic_ns();
  }
}

void RankProcesses::add_to(std::vector<pollfd>& polled) const {
  for (const Process& process : processes_) {
    polled.push_back({.fd = process.handle.get(), .events = POLLIN, .revents = 0});
    polled.push_back(
        {.fd = process.output.get(), .events = POLLIN, .revents = 0});  // -1, once closed, is passed over
  }
  channels_.add_to(polled);
  checkpointer_.add_to(polled);
  reports_.add_to(polled);
  strays_.add_to(polled);
}

// --- listening -----------------------------------------------------------------------------------------------------

void RankProcesses::collect(const Listener& listener) {
  if (kill_at_ != kNever && Time(Duration(monotonic_ns())) >= kill_at_) kill_ranks();
  checkpointer_.collect();
  if (checkpointer_.take_late() && listener.on_stuck)
    listener.on_stuck("the checkpointer did not finish in time: the copies that it had not written are lost");
  const RankChannels::OnLine on_line = [&](std::uint32_t rank, const std::string& line) {
    note_heard(rank);
    listener.on_line(start_.run, rank, line);
  };
  channels_.collect(on_line);
  for (std::size_t i = 0; i < processes_.size();) {
    Process& process = processes_[i];
    const bool over = exited(process.handle);
    if (over) channels_.collect(on_line);  // what it said before it ended
    listen(process, listener, over ? kBytesAtExit : kBytesAtOnce);
    if (!over) {
      ++i;
      continue;
    }
    // A line that was cut short by the end is none: its numbers may be cut too.
    if (!process.partial.empty()) keep(process, process.partial, listener);
    ::kill(-process.pid, SIGKILL);  // what it left behind; its own number is not free before it is reaped
    siginfo_t info{};
    ::waitid(P_PIDFD, static_cast<id_t>(process.handle.get()), &info, WEXITED);
    const Exit exit = {.run = start_.run,
                       .rank = process.ranks.front(),
                       .code = info.si_code == CLD_EXITED ? info.si_status : 128 + info.si_status,
                       .ordered = process.ordered,
                       .said = said_at_end(process),
                       .place = place_at_end(process),
                       .last_lines = {process.last.begin(), process.last.end()}};
    const Process gone = std::move(process);
    processes_.erase(processes_.begin() + static_cast<std::ptrdiff_t>(i));
    if (exit.code == 0 && !exit.ordered) say_finished(gone, listener);
    if (!failed_) listener.on_exit(exit);
  }
  name_stuck(listener);
  if (!processes_.empty()) return;
  kill_at_ = ends_by_ = kNever;
  channels_.close();
  if (checkpointer_.finish()) end_strays();
}

std::string RankProcesses::said_at_end(const Process& process) {
  return process.last.empty() ? "it printed nothing" : "it last printed: " + process.last.back();
}

/// Of its first rank.
std::string RankProcesses::place_at_end(const Process& process) const {
  const RankMarks known = marks_of(process.ranks.front());
  std::string place = place_of_rank(known.marks, monotonic_ns());
  if (known.why.empty()) return place;
  if (!place.empty()) place += "; ";
  return place + "its flight recorder cannot be read: " + known.why;
}

/// An exit code of 0 is the end of its ranks: what they said of it themselves, or else the last step that is known.
void RankProcesses::say_finished(const Process& process, const Listener& listener) const {
  for (const std::uint32_t rank : process.ranks) {
    RankLine finished = process.lines.finished(monotonic_ns());
    if (speaks()) finished.step = channels_.step_of(rank);
    const std::string said = channels_.finished_line(rank);
    listener.on_line(start_.run, rank, said.empty() ? to_line(finished) : said);
  }
}

void RankProcesses::listen(Process& process, const Listener& listener, std::size_t most) {
  std::array<char, 16 * 1024> bytes;
  std::size_t total = 0;
  while (process.output && total < most) {
    const ssize_t count = ::read(process.output.get(), bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return;
    if (count <= 0) {
      process.output.reset();
      return;
    }
    total += static_cast<std::size_t>(count);
    std::string_view text(bytes.data(), static_cast<std::size_t>(count));
    for (std::size_t end = 0; (end = text.find('\n')) != std::string_view::npos;
         text.remove_prefix(end + 1)) {
      if (!process.too_long) process.partial += text.substr(0, end);
      hear(process, listener);
    }
    if (!process.too_long) process.partial += text;
    process.too_long = process.too_long || process.partial.size() > kLongestLine;
  }
}

void RankProcesses::hear(Process& process, const Listener& listener) {
  const std::string line = std::exchange(process.partial, {});
  process.heard_ns = monotonic_ns();
  const bool whole = !std::exchange(process.too_long, false);
  if (!line.empty()) process.last.push_back(printable(line, kLongestLast));
  if (process.last.size() > kLastLines) process.last.pop_front();
  if (whole && listener.on_printed) listener.on_printed(start_.run, process.ranks.front(), line);
  for (const RankLine& each : whole ? process.lines.on_line(line, monotonic_ns()) : std::vector<RankLine>())
    listener.on_line(start_.run, process.ranks.front(), to_line(each));
  keep(process, line, listener);
}

/// A full disk costs lines of a log, and no rank.
void RankProcesses::keep(Process& process, const std::string& line, const Listener& listener) const {
  const std::string why = process.log.write(line);
  if (why.empty()) return;
  const std::uint32_t rank = process.ranks.front();
  listener.on_line(start_.run, rank,
                   to_line({.at_ns = monotonic_ns(),
                            .kind = RankLine::Kind::log,
                            .pattern = std::string(kOutputLost),
                            .text = "what rank " + std::to_string(rank) + " prints is not kept: " + why}));
}

}  // namespace gauntlet
