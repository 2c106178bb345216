#include "commands/step/time_line.hpp"

#include "core/time.hpp"
#include "report/trace_events/trace_events.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace gauntlet {
namespace {

constexpr std::string_view kWhat = "gauntlet step";
// Names of the format's own palette.
constexpr std::string_view kForward = "thread_state_runnable";
constexpr std::string_view kBackward = "rail_response";
constexpr std::string_view kSlow = "terrible";
constexpr std::string_view kWaiting = "thread_state_sleeping";
constexpr std::string_view kCommunication = "rail_load";

/// A slice that arrows may meet.
struct Met {
  TraceTrack track;
  double begin = 0;
};
struct Arrow {
  Met from, to;
  std::string_view name;
};

/// "rank 139: stage 0, GPU 3 of host 17 slow", "rank 136: stage 0, GPU 0 of host 17 (host 17 slow)"
std::string rank_name(const PictureRank& rank, std::uint32_t stage) {
  const std::string seat = fmt::format("GPU {} of host {}", rank.gpu, rank.host);
  const std::string where = rank.cause.starts_with(seat) ? rank.cause
                            : rank.cause.empty()         ? seat
                                                         : fmt::format("{} ({})", seat, rank.cause);
  return fmt::format("rank {}: stage {}, {}", rank.rank, stage, where);
}

/// "F3", "B3"
std::string pass_name(const StepPass& of) {
  return fmt::format("{}{}", of.backward ? "B" : "F", of.micro_batch);
}

double share_of(const PictureRank& rank, bool backward) { return backward ? rank.backward : rank.forward; }

/// The steps of one replica.
class ReplicaTrace {
 public:
  ReplicaTrace(const StepPictures& pictures, const ReplicaPicture& of, std::uint32_t process,
               TraceEvents& into)
      : of_(of), process_(process), into_(into) {
    for (std::uint32_t s = 0; s < of.stages.size(); ++s) {
      ranks_.emplace_back();
      for (const PictureRank& each : of.stages[s].shown)
        ranks_.back().push_back(into.add_track(process, rank_name(each, s)));
    }
    shown_ = std::min(pictures.critical_stage, pictures.layout.pp - 1);
    const Layout& layout = pictures.layout;
    tensor_ = dimension("tp", layout.tp);
    context_ = dimension("cp", layout.cp);
    expert_ = dimension("ep", layout.ep);
    pipeline_ = dimension("pp", layout.pp);
    if (of.data_end > of.pipeline_end)
      data_ =
          into.add_track(process, fmt::format("dp: {} ranks of every stage", layout.size(Dimension::data)));
    optimizer_ = into.add_track(process, "optimizer");
  }

  void write(std::uint32_t steps) {
    const std::optional<TraceTrack> whole =
        steps > 1 ? std::optional(into_.add_track(process_, "steps")) : std::nullopt;
    for (std::uint32_t step = 0; step < steps; ++step, begin_ += of_.optimizer_end) {
      if (whole) slice(*whole, fmt::format("step {}", step + 1), 0, of_.optimizer_end, {});
      for (std::uint32_t s = 0; s < of_.stages.size(); ++s)
        for (std::size_t i = 0; i < of_.stages[s].shown.size(); ++i) rank(s, i);
      dimensions();
      sends();
      once_a_step();
      for (const Arrow& each : std::exchange(arrows_, {})) draw(each);
    }
  }

 private:
  std::optional<TraceTrack> dimension(std::string_view name, std::uint32_t members) {
    if (members == 1) return std::nullopt;
    return into_.add_track(process_, fmt::format("{}: {} ranks, stage {}", name, members, shown_));
  }

  Duration time(double seconds) const { return from_seconds(begin_ + seconds); }

  Met slice(TraceTrack track, const std::string& name, double begin, double end, std::string_view colour,
            TraceArguments arguments = {}) {
    into_.add_slice(track, time(begin), time(std::max(begin, end)),
                    {.name = name, .category = "step", .arguments = std::move(arguments), .colour = colour});
    return {track, begin_ + begin};
  }
  void arrow(const Met& from, const Met& to, std::string_view name) { arrows_.push_back({from, to, name}); }
  void draw(const Arrow& of) {
    const TraceArrow arrow = into_.new_arrow();
    into_.begin_arrow(arrow, of.from.track, from_seconds(of.from.begin), of.name);
    into_.end_arrow(arrow, of.to.track, from_seconds(of.to.begin), of.name);
  }

  // --- ranks ---------------------------------------------------------------------------------------------------------

  void rank(std::uint32_t stage, std::size_t place) {
    const PictureRank& rank = of_.stages[stage].shown[place];
    const TraceTrack track = ranks_[stage][place];
    for (const StepStall& stall : of_.stalls) {
      if (stall.stage != stage) continue;
      const bool its_own = stall.first_rank <= rank.rank && rank.rank <= stall.last_rank;
      slice(track, its_own ? stall.cause : "waits for " + stall.who, stall.begin, stall.end,
            its_own ? kSlow : kWaiting);
    }
    for (const StepPass& each : of_.passes)
      if (each.stage == stage) pass(each, of_.stages[stage], rank, track);
  }

  /// A pass as one rank of its stage sees it, and inside it what that rank waits for slower ones: all at once, though it waits
  /// in every layer.
  void pass(const StepPass& of, const PictureStage& stage, const PictureRank& rank, TraceTrack track) {
    const double share = share_of(rank, of.backward);
    const bool slow = share == 1 && (of.backward ? stage.slow_backward : stage.slow_forward);
    slice(track, pass_name(of) + (slow ? " (" + rank.cause + ")" : ""), of.begin, of.end,
          slow          ? kSlow
          : of.backward ? kBackward
                        : kForward,
          {{"rank", std::int64_t{rank.rank}},
           {"stage", std::int64_t{of.stage}},
           {"chunk", std::int64_t{of.chunk}},
           {"micro_batch", std::int64_t{of.micro_batch}},
           {"backward", of.backward}});
    if (share >= 1) return;
    const double waits = of.begin + share * (of.computed() - of.begin);
    const Met waiting =
        slice(track, "waits for " + (of.backward ? stage.slowest_backward : stage.slowest_forward), waits,
              of.computed(), kWaiting);
    const TraceTrack slowest = slowest_track(of);
    if (slowest.number != track.number) arrow({slowest, begin_ + waits}, waiting, "holds up");
  }

  /// Of the ranks of a pass that are shown, the one that is done last.
  TraceTrack slowest_track(const StepPass& of) const {
    const std::vector<PictureRank>& shown = of_.stages[of.stage].shown;
    const auto slowest = std::max_element(shown.begin(), shown.end(), [&](const auto& a, const auto& b) {
      return share_of(a, of.backward) < share_of(b, of.backward);
    });
    return ranks_[of.stage][static_cast<std::size_t>(slowest - shown.begin())];
  }
  Met met(const StepPass& of) const { return {slowest_track(of), begin_ + of.begin}; }

  // --- what is sent --------------------------------------------------------------------------------------------------

  /// Along the model: forward passes to the next chunk, backward ones to the chunk before.
  void sends() {
    const auto stages = static_cast<std::uint32_t>(of_.stages.size());
    const auto key = [&](const StepPass& pass) {
      return std::tuple(pass.backward, pass.chunk * stages + pass.stage, pass.micro_batch);
    };
    std::map<std::tuple<bool, std::uint32_t, std::uint32_t>, const StepPass*> passes;
    for (const StepPass& each : of_.passes) passes.emplace(key(each), &each);
    for (const StepPass& each : of_.passes) {
      auto [backward, chunk, micro_batch] = key(each);
      if (backward && chunk == 0) continue;
      const auto next = passes.find({backward, backward ? chunk - 1 : chunk + 1, micro_batch});
      if (next != passes.end() && next->second->stage != each.stage)
        arrow(met(each), met(*next->second), backward ? "sends gradients" : "sends activations");
    }
  }

  /// Tracks below those of the ranks: what the critical stage waits for along each dimension.
  void dimensions() {
    const auto inside = [&](const std::optional<TraceTrack>& track, std::string_view name, auto after,
                            double StepPass::*seconds) {
      if (!track) return;
      for (const StepPass& each : of_.passes) {
        if (each.stage != shown_ || each.*seconds <= 0) continue;
        const double end = each.end - after(each);
        const Met collective = slice(*track, fmt::format("{} of {}", name, pass_name(each)),
                                     std::max(each.begin, end - each.*seconds), end, kCommunication);
        arrow(met(each), collective, name);
      }
    };
    inside(
        tensor_, "tp", [](const StepPass& p) { return p.transfer + p.expert + p.context; },
        &StepPass::tensor);
    inside(
        context_, "cp", [](const StepPass& p) { return p.transfer + p.expert; }, &StepPass::context);
    inside(
        expert_, "ep", [](const StepPass& p) { return p.transfer; }, &StepPass::expert);
    inside(
        pipeline_, "pp", [](const StepPass&) { return 0.0; }, &StepPass::transfer);
  }

  /// Gradients and weights, then the optimizer, then the next step.
  void once_a_step() {
    if (before_)
      if (const StepPass* first = first_pass()) arrow(*std::exchange(before_, {}), met(*first), "next step");
    std::map<std::uint32_t, const StepPass*> last;  // by stage
    for (const StepPass& each : of_.passes) last[each.stage] = &each;
    std::optional<Met> reduced;
    if (data_)
      reduced = slice(*data_, "dp: gradients and weights", of_.pipeline_end, of_.data_end, kCommunication);
    const Met optimizer = slice(optimizer_, "optimizer", of_.data_end, of_.optimizer_end, kForward);
    for (const auto& [stage, pass] : last) arrow(met(*pass), reduced.value_or(optimizer), "gradients");
    if (reduced) arrow(*reduced, optimizer, "gradients");
    before_ = optimizer;
  }
  const StepPass* first_pass() const { return of_.passes.empty() ? nullptr : &of_.passes.front(); }

  const ReplicaPicture& of_;
  std::uint32_t process_;
  TraceEvents& into_;
  std::vector<std::vector<TraceTrack>> ranks_;  // by stage
  std::uint32_t shown_ = 0;                     // the stage whose collectives are shown
  std::optional<TraceTrack> tensor_, context_, expert_, pipeline_, data_;
  TraceTrack optimizer_;
  std::vector<Arrow> arrows_;
  std::optional<Met> before_;  // the optimizer of the step before
  double begin_ = 0;           // of the step
};

std::string process_name(const StepPictures& pictures, const ReplicaPicture& of, std::uint32_t process) {
  std::string causes;
  for (const PictureStage& stage : of.stages)
    if (!stage.cause.empty()) causes += (causes.empty() ? "" : ", ") + stage.cause;
  if (of.other_step) return fmt::format("replica {} (in a healthy step)", of.replica);
  if (causes.empty()) causes = pictures.degraded && process == 1 ? "the last to be done" : "healthy";
  return fmt::format("replica {} ({})", of.replica, causes);
}

}  // namespace

std::string step_trace_begins() { return trace_begins(kWhat); }

std::string to_trace(const StepPictures& pictures, std::uint32_t steps) {
  TraceEvents events(kWhat, {{"scenario", pictures.scenario}});
  for (std::size_t i = 0; i < pictures.replicas.size(); ++i) {
    const auto process = static_cast<std::uint32_t>(i + 1);
    events.name_process(process, process_name(pictures, pictures.replicas[i], process));
    ReplicaTrace(pictures, pictures.replicas[i], process, events).write(steps);
  }
  return events.text();
}

}  // namespace gauntlet
