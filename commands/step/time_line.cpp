#include "commands/step/time_line.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <string_view>

namespace gauntlet {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kMicroseconds = 1e6;
// Names of the format's own palette.
constexpr const char* kForward = "thread_state_runnable";
constexpr const char* kBackward = "rail_response";
constexpr const char* kSlow = "terrible";
constexpr const char* kWaiting = "thread_state_sleeping";
constexpr const char* kCommunication = "rail_load";

class Trace {
 public:
  explicit Trace(const StepPictures& pictures) : pictures_(pictures) {}

  std::string text() {
    text_ = fmt::format("{},\"scenario\":{}}},\"displayTimeUnit\":\"ms\",\"traceEvents\":[", kTraceBegins,
                        quoted(pictures_.scenario));
    for (std::size_t i = 0; i < pictures_.replicas.size(); ++i)
      replica(pictures_.replicas[i], static_cast<std::uint32_t>(i + 1));
    return text_ + "\n]}\n";
  }

 private:
  static std::string quoted(const std::string& of) {
    return Json(of).dump(-1, ' ', false, Json::error_handler_t::replace);
  }

  void event(const Json& json) {
    text_ += first_ ? "\n" : ",\n";
    first_ = false;
    text_ += json.dump(-1, ' ', false, Json::error_handler_t::replace);
  }

  void name(const char* what, std::uint32_t process, std::uint32_t track, const std::string& name) {
    event({{"ph", "M"}, {"name", what}, {"pid", process}, {"tid", track}, {"args", {{"name", name}}}});
  }
  void track(std::uint32_t process, std::uint32_t track, const std::string& of) {
    name("thread_name", process, track, of);
    event({{"ph", "M"},
           {"name", "thread_sort_index"},
           {"pid", process},
           {"tid", track},
           {"args", {{"sort_index", track}}}});
  }

  void slice(std::uint32_t process, std::uint32_t track, const std::string& name, double begin, double end,
             const char* colour, Json args) {
    Json json = {{"ph", "X"},
                 {"name", name},
                 {"cat", "step"},
                 {"pid", process},
                 {"tid", track},
                 {"ts", begin * kMicroseconds},
                 {"dur", std::max(0.0, end - begin) * kMicroseconds},
                 {"cname", colour}};
    if (!args.is_null()) json["args"] = std::move(args);
    event(json);
  }

  std::string process_name(const ReplicaPicture& of, std::uint32_t process) const {
    std::string causes;
    for (const PictureStage& stage : of.stages)
      if (!stage.cause.empty()) causes += (causes.empty() ? "" : ", ") + stage.cause;
    if (of.other_step) return fmt::format("replica {} (in a healthy step)", of.replica);
    if (causes.empty()) causes = pictures_.degraded && process == 1 ? "the last to be done" : "healthy";
    return fmt::format("replica {} ({})", of.replica, causes);
  }

  /// "rank 139: stage 0, GPU 3 of host 17 slow", "rank 136: stage 0, GPU 0 of host 17 (host 17 slow)"
  static std::string rank_name(const PictureRank& rank, std::uint32_t stage) {
    const std::string seat = fmt::format("GPU {} of host {}", rank.gpu, rank.host);
    const std::string where = rank.cause.starts_with(seat) ? rank.cause
                              : rank.cause.empty()         ? seat
                                                           : fmt::format("{} ({})", seat, rank.cause);
    return fmt::format("rank {}: stage {}, {}", rank.rank, stage, where);
  }

  /// "F3", "B3"
  static std::string pass_name(const StepPass& of) {
    return fmt::format("{}{}", of.backward ? "B" : "F", of.micro_batch);
  }

  /// A pass as one rank of its stage sees it, and inside it what that rank waits for slower ones: all at once, though it waits
  /// in every layer.
  void pass(const StepPass& of, const PictureStage& stage, const PictureRank& rank, std::uint32_t process,
            std::uint32_t track) {
    const double share = of.backward ? rank.backward : rank.forward;
    const bool slow = share == 1 && (of.backward ? stage.slow_backward : stage.slow_forward);
    slice(process, track, pass_name(of) + (slow ? " (" + rank.cause + ")" : ""), of.begin, of.end,
          slow          ? kSlow
          : of.backward ? kBackward
                        : kForward,
          {{"rank", rank.rank},
           {"stage", of.stage},
           {"chunk", of.chunk},
           {"micro_batch", of.micro_batch},
           {"backward", of.backward}});
    if (share < 1)
      slice(process, track, "waits for " + (of.backward ? stage.slowest_backward : stage.slowest_forward),
            of.begin + share * (of.computed() - of.begin), of.computed(), kWaiting, nullptr);
  }

  void rank(const ReplicaPicture& of, std::uint32_t stage, const PictureRank& rank, std::uint32_t process,
            std::uint32_t number) {
    track(process, number, rank_name(rank, stage));
    for (const StepStall& stall : of.stalls) {
      if (stall.stage != stage) continue;
      const bool its_own = stall.first_rank <= rank.rank && rank.rank <= stall.last_rank;
      slice(process, number, its_own ? stall.cause : "waits for " + stall.who, stall.begin, stall.end,
            its_own ? kSlow : kWaiting, nullptr);
    }
    for (const StepPass& each : of.passes)
      if (each.stage == stage) pass(each, of.stages[stage], rank, process, number);
  }

  void replica(const ReplicaPicture& of, std::uint32_t process) {
    const auto stages = static_cast<std::uint32_t>(of.stages.size());
    name("process_name", process, 0, process_name(of, process));
    event(
        {{"ph", "M"}, {"name", "process_sort_index"}, {"pid", process}, {"args", {{"sort_index", process}}}});
    std::uint32_t number = 0;
    for (std::uint32_t s = 0; s < stages; ++s)
      for (const PictureRank& each : of.stages[s].shown) rank(of, s, each, process, number++);
    dimensions(of, process, number);
  }

  /// Tracks below those of the ranks: what the critical stage waits for along each dimension.
  void dimensions(const ReplicaPicture& of, std::uint32_t process, std::uint32_t number) {
    const Layout& layout = pictures_.layout;
    const std::uint32_t shown = std::min(pictures_.critical_stage, layout.pp - 1);
    const auto inside = [&](std::string_view dimension, std::uint32_t members, auto after,
                            double StepPass::*seconds) {
      if (members == 1) return;
      track(process, number, fmt::format("{}: {} ranks, stage {}", dimension, members, shown));
      for (const StepPass& each : of.passes) {
        if (each.stage != shown || each.*seconds <= 0) continue;
        const double end = each.end - after(each);
        slice(process, number, fmt::format("{} of {}", dimension, pass_name(each)), end - each.*seconds, end,
              kCommunication, nullptr);
      }
      ++number;
    };
    inside(
        "tp", layout.tp, [](const StepPass& p) { return p.transfer + p.expert + p.context; },
        &StepPass::tensor);
    inside(
        "cp", layout.cp, [](const StepPass& p) { return p.transfer + p.expert; }, &StepPass::context);
    inside(
        "ep", layout.ep, [](const StepPass& p) { return p.transfer; }, &StepPass::expert);
    inside(
        "pp", layout.pp, [](const StepPass&) { return 0.0; }, &StepPass::transfer);
    if (of.data_end > of.pipeline_end) {
      track(process, number, fmt::format("dp: {} ranks of every stage", layout.size(Dimension::data)));
      slice(process, number++, "dp: gradients and weights", of.pipeline_end, of.data_end, kCommunication,
            nullptr);
    }
    track(process, number, "optimizer");
    slice(process, number, "optimizer", of.data_end, of.optimizer_end, kForward, nullptr);
  }

  const StepPictures& pictures_;
  std::string text_;
  bool first_ = true;
};

}  // namespace

std::string to_trace(const StepPictures& pictures) { return Trace(pictures).text(); }

}  // namespace gauntlet
