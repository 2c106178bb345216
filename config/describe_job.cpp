#include "config/checks/step_checks.hpp"
#include "config/describe.hpp"
#include "config/fields/laws.hpp"
#include "config/fields/types.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gauntlet {
namespace {

constexpr std::int64_t kMostRanks = 1'000'000'000;
constexpr std::int64_t kMostStops = 1'000'000;

void describe(Fields& fields, Layout& layout) {
  fields.field("tp", whole_number(layout.tp, {1, kMostRanks}), "tensor-parallel ranks");
  fields.field("pp", whole_number(layout.pp, {1, kMostRanks}), "pipeline stages");
  fields.field("dp", whole_number(layout.dp, {1, kMostRanks}), Fallback::required("8"),
               "data-parallel replicas");
  fields.field("virtual_stages", whole_number(layout.virtual_stages, {1, kMostRanks}),
               "model chunks on each pipeline rank (interleaved schedule)");
  fields.field("cp", whole_number(layout.cp, {1, kMostRanks}),
               "context-parallel ranks, which share a sequence");
  fields.field("ep", whole_number(layout.ep, {1, kMostRanks}),
               "expert-parallel ranks, cut from the data-parallel ones");
  describe_source(fields);
}

void describe(Fields& fields, StartChain::Growth& growth) {
  constexpr Range<double> kPowers{-4, 4, false};
  fields.field("scheduling", number(growth.scheduling, kPowers),
               "exponent of this phase; 0: at any scale alike");
  fields.field("process_start", number(growth.process_start, kPowers),
               "exponent of this phase; 0: at any scale alike");
  fields.field("communicator_init", number(growth.communicator_init, kPowers),
               "exponent of this phase; 0: at any scale alike");
  fields.field("data_loader", number(growth.data_loader, kPowers),
               "exponent of this phase; 0: at any scale alike");
  fields.field("warm_up", number(growth.warm_up, kPowers), "exponent of this phase; 0: at any scale alike");
  describe_source(fields);
}

void describe(Fields& fields, StartChain& start) {
  fields.field("provisioning", law(start.provisioning),
               "time to make the cluster, where it is made for this job alone, also after its hosts were "
               "given back; 0s: it "
               "joins one that stands");
  fields.field("scheduling", law(start.scheduling), "time until every host has its container");
  fields.field("process_start", law(start.process_start),
               "time to load images and to start processes, until every rank runs");
  fields.field("communicator_init", law(start.communicator_init), "time until the collective groups stand");
  fields.field("data_loader", law(start.data_loader),
               "time until the data loader stands where it stood; loading the checkpoint comes before it");
  fields.field("warm_up", law(start.warm_up), "time until the first step runs at full speed");
  fields.table(
      "growth", [&](Fields& f) { describe(f, start.growth); },
      "growth with the scale: a phase takes (GPUs / at_gpus) to the power of this times as long");
  fields.field("at_gpus", whole_number(start.at_gpus, {0, kMostRanks}),
               "the scale at which the phases were measured; 0: this job's");
  describe_source(fields);
  fields.check([&](const Place& place) {
    const StartChain::Growth& growth = start.growth;
    const bool grows = growth.scheduling != 0 || growth.process_start != 0 || growth.communicator_init != 0 ||
                       growth.data_loader != 0 || growth.warm_up != 0;
    if (grows && start.at_gpus == 0 && place.all_sound("growth", "at_gpus"))
      place.mistake_at("at_gpus", "is missing, and growth says how phases grow from there",
                       "write at_gpus = 2048, the scale at which they were measured");
    if (!grows && start.at_gpus > 0 && place.all_sound("growth", "at_gpus"))
      place.warning_at("at_gpus", "is given, and no phase grows from there",
                       "growth = { communicator_init = 1.0 }, or leave it out");
  });
}

/// Calls `found` with every value in the table that somebody wrote, and its key.
void for_each_written(const Value::Table& table,
                      const std::function<void(const std::string&, const Origin&)>& found) {
  for (const auto& [key, value] : table) {
    if (const Value::Table* inner = value.table())
      for_each_written(*inner, [&, &outer = key](const std::string& name, const Origin& at) {
        found(outer + "." + name, at);
      });
    else if (value.at.written())
      found(key, value.at);
  }
}

/// A phase of [job.start] that job.restart_time does not replace, and where it is written. A file replaces what the files that
/// it extends say of the phases; two --set contradict each other in any order.
std::optional<std::pair<std::string, Origin>> phase_beside(const Place& job) {
  const Origin& whole = job.find("restart_time")->value().at;
  std::optional<std::pair<std::string, Origin>> beside;
  for_each_written(*job.find("start")->value().table(), [&](const std::string& key, const Origin& at) {
    const bool both_set = at.kind == Origin::Kind::command_line && whole.kind == Origin::Kind::command_line;
    if (!beside && (both_set || at.layer >= whole.layer)) beside.emplace(key, at);
  });
  return beside;
}

/// One number in place of the phases, which then hold nothing and are not shown.
void take_restart_time(const Place& place, const Law& restart, StartChain& start) {
  if (!place.given("restart_time") || !place.all_sound("restart_time", "start")) return;
  if (const auto beside = phase_beside(place))
    return place.mistake_at("restart_time",
                            "is all of a restart, and " + place.path_of("start." + beside->first) +
                                " is a phase of it (" + beside->second.text() + ")",
                            "leave job.restart_time out, or every key of [job.start]");
  start = {};
  start.process_start = restart;  // every start goes through this phase, also one on hosts that are held
  place.value().table()->erase("start");
}

void describe(Fields& fields, Evaluation& evaluation) {
  fields.field("every", whole_number(evaluation.every, {0, 1'000'000'000'000}), "steps; 0: never");
  fields.field("time", duration(evaluation.time, Sign::not_negative),
               "the time for which training rests each time");
  describe_source(fields);
  fields.check([&](const Place& place) {
    if (!place.all_sound("every", "time") || (evaluation.every > 0) == (evaluation.time > Duration::zero()))
      return;
    if (evaluation.every > 0)
      place.mistake_at("time", "is zero, and every asks for evaluations",
                       "write time = \"2min\", or leave every out");
    else
      place.mistake_at("every", "is zero, and time is given", "write every = 1_000, or leave time out");
  });
}

void describe_planned(Fields& fields, JobModel& job) {
  std::uint32_t count = 0;
  Duration hold{};
  std::vector<Duration> times;
  fields.alternatives({"count", "times"});
  fields.field("count", whole_number(count, {0, kMostStops}), Fallback::optional(),
               "stops, spread evenly: stop i of n at (i + 1/2)/n of the window");
  fields.field("hold", duration(hold, Sign::not_negative), "how long the job is wanted stopped each time");
  fields.field("times", durations(times), Fallback::optional(), "times of the stops, in place of `count`");
  describe_source(fields);
  fields.check([&](const Place& place) {
    if (place.given("count") && place.given("times"))
      return place.mistake_at("times", "is given together with count", "leave one of them out");
    if (count > 0 && job.window == Duration::zero())
      return place.mistake_at("count", "has no window to spread over",
                              "set job.window, or give the stops as `times`");
    job.planned_stops.clear();
    for (const Duration at : times) job.planned_stops.push_back({kStart + at, hold});
    for (std::uint32_t i = 0; times.empty() && i < count; ++i) {
      // In two parts, so that neither product overflows: window = whole * 2n + rest.
      const std::int64_t halves = 2 * std::int64_t{count};
      const std::int64_t whole = job.window.count() / halves, rest = job.window.count() % halves;
      const std::int64_t at = whole * (2 * std::int64_t{i} + 1) + rest * (2 * std::int64_t{i} + 1) / halves;
      job.planned_stops.push_back({kStart + Duration(at), hold});
    }
    std::stable_sort(job.planned_stops.begin(), job.planned_stops.end(),
                     [](const PlannedStop& a, const PlannedStop& b) { return a.at < b.at; });
  });
}

/// A stack's name, and its constants unless the scenario has others.
void describe(Fields& fields, Calibration& calibration) {
  std::vector<std::string> stacks;
  for (const Calibration& known : calibrations()) stacks.push_back(known.stack);
  const auto of_stack = [&](double Calibration::*constant) {
    return Fallback::computed([&, constant] {
      return to_toml(Value{find_calibration(calibration.stack)->*constant, {}, {}, false});
    });
  };
  fields.field("stack", name(calibration.stack, stacks, "a software stack"),
               "whose measured steps the constants below were fitted on");
  fields.field("gemm_efficiency", number(calibration.gemm_efficiency, {0, 1, true}),
               of_stack(&Calibration::gemm_efficiency),
               "share of the peak rate that a full wave of matrix tiles reaches");
  fields.field("memory_efficiency", number(calibration.memory_efficiency, {0, 1, true}),
               of_stack(&Calibration::memory_efficiency),
               "share of the memory bandwidth that operators bound by memory reach");
  fields.field("tensor_exposed", number(calibration.tensor_exposed, {0, 1000, false}),
               of_stack(&Calibration::tensor_exposed),
               "share of the tensor-parallel collectives that a step waits for");
  fields.field(
      "tensor_overlapped", number(calibration.tensor_overlapped, {0, 1000, false}),
      of_stack(&Calibration::tensor_overlapped),
      "share of the tensor-parallel collectives that a step waits for where they overlap with the compute");
  fields.field("data_exposed", number(calibration.data_exposed, {0, 1000, false}),
               of_stack(&Calibration::data_exposed),
               "share of the collectives of gradients and weights that a step waits for");
  fields.field("misaligned", number(calibration.misaligned, {1, 1000, false}),
               of_stack(&Calibration::misaligned),
               "multiplier of the time of attention with heads whose width is not a multiple of 8");
  fields.field("source", text(calibration.source), Fallback::optional(), "where these numbers come from");
  fields.check([&](const Place& place) {
    const Calibration* stack = find_calibration(calibration.stack);
    if (stack != nullptr && !place.find("source")) calibration.source = stack->source;
  });
}

constexpr std::array<Choice<Precision>, 3> kPrecisions = {{
    {"fp16", Precision::fp16},
    {"bf16", Precision::bf16},
    {"fp8", Precision::fp8},
}};
constexpr std::array<Choice<Recompute>, 3> kRecomputes = {{
    {"none", Recompute::none},
    {"selective", Recompute::selective},
    {"full", Recompute::full},
}};

void describe(Fields& fields, Training& training) {
  fields.field("precision", choice<Precision>(training.precision, kPrecisions, "a precision"),
               "the precision of the linear layers");
  fields.field("recompute", choice<Recompute>(training.recompute, kRecomputes, "a kind of recomputation"),
               "selective: the attention core; full: every layer's forward pass");
  fields.field("sequence_parallel", flag(training.sequence_parallel),
               "layer norms and dropouts are split over the tensor-parallel ranks");
  fields.field("distributed_optimizer", flag(training.distributed_optimizer),
               "optimizer state is sharded over the data-parallel ranks (ZeRO-1)");
  fields.field("flash_attention", flag(training.flash_attention), "attention scores stay on chip");
  fields.field("overlap_tensor", flag(training.overlap_tensor),
               "tensor-parallel collectives overlap with the matrix products");
  describe_source(fields);
}

}  // namespace

void describe(Fields& fields, Transformer& model) {
  constexpr std::int64_t kMost = 1'000'000'000;
  fields.field("name", text(model.name), Fallback::required(), "what the model is called");
  fields.field("parameters", number(model.parameters, {0, 1e18, true}), Fallback::required(),
               "all of them, embeddings included");
  fields.field("layers", whole_number(model.layers, {1, kMost}), Fallback::required(), "decoder layers");
  fields.field("hidden", whole_number(model.hidden, {1, kMost}), Fallback::required(), "width of the model");
  fields.field("heads", whole_number(model.heads, {1, kMost}), Fallback::required(), "attention heads");
  fields.field("kv_heads", whole_number(model.kv_heads, {1, kMost}), Fallback::required(),
               "key and value heads; as many as heads without grouped-query attention");
  fields.field("ffn_hidden", whole_number(model.ffn_hidden, {1, kMost}), Fallback::required(),
               "width of the MLP");
  fields.field("head_dim", whole_number(model.head_dim, {0, kMost}),
               "width of one attention head; 0: hidden / heads");
  fields.field("gated_mlp", flag(model.gated_mlp), "whether the MLP has a gate (SwiGLU)");
  fields.field("tied_embeddings", flag(model.tied_embeddings),
               "whether the output matrix is the embedding's transpose");
  fields.field("vocabulary", whole_number(model.vocabulary, {1, kMost}), Fallback::required(),
               "tokens of the vocabulary");
  fields.field("sequence", whole_number(model.sequence, {1, kMost}), Fallback::required(),
               "tokens in one sequence");
  fields.field("experts", whole_number(model.experts, {0, kMost}), "routed experts of a layer; 0: dense");
  fields.field("experts_per_token", whole_number(model.experts_per_token, {0, kMost}),
               "routed experts that a token visits");
  fields.field("shared_experts", whole_number(model.shared_experts, {0, kMost}),
               "experts that every token visits");
  fields.field("expert_ffn_hidden", whole_number(model.expert_ffn_hidden, {0, kMost}), "width of one expert");
  fields.field("dense_layers", whole_number(model.dense_layers, {0, kMost}),
               "the first layers, which have no experts");
  describe_source(fields);
}

void describe_job(Fields& fields, World& world) {
  JobModel& job = world.job;
  const double& tokens = job.tokens;
  const auto steps_for_tokens = [&] {
    const double of_step = static_cast<double>(job.global_batch) * job.model.sequence;
    return tokens > 0 && of_step > 0 ? static_cast<std::int64_t>(std::ceil(tokens / of_step)) : 0;
  };
  // Each as it was written last.
  fields.alternatives({"steps", "tokens"});
  fields.field("name", text(job.name), Fallback::value("\"job\""), "what the job is called");
  fields.catalogue(
      "model", "models", [&](Fields& f) { describe(f, job.model); },
      "the model: a name in the catalogue, or its dimensions");
  fields.table(
      "layout", [&](Fields& f) { describe(f, job.layout); },
      "ranks; tp x cp x pp x dp is the number of GPUs");
  fields.table(
      "training", [&](Fields& f) { describe(f, job.training); }, "how the software stack trains it");
  fields.table(
      "calibration", [&](Fields& f) { describe(f, job.calibration); },
      "the software stack, for the step model");
  fields.field("global_batch", whole_number(job.global_batch, {1, kMostRanks}), Fallback::required("512"),
               "sequences in one step");
  fields.field("micro_batch", whole_number(job.micro_batch, {1, kMostRanks}),
               "sequences that pass a pipeline stage together");
  fields.field("step_time", duration(job.step_time, Sign::not_negative),
               "time of a healthy step, as measured; 0s: from the step model");
  fields.field("step_time_factor", number(job.step_time_factor, {0, 1000, true}),
               "multiplier of every step time that comes from the step model: what a step takes, of what the "
               "model says");
  fields.field("tokens", token_count(job.tokens, {0, 1e18, false}),
               "the work, in tokens, such as \"2T\"; 0: in steps");
  fields.field("steps", whole_number(job.steps, {0, 1'000'000'000'000}),
               Fallback::computed([&] { return std::to_string(steps_for_tokens()); }),
               "the work; 0: no end but the window");
  fields.field("window", duration(job.window, Sign::not_negative),
               "wall time to look at; 0s: until the work is done");
  fields.field(
      "give_up_after", duration(job.give_up_after, Sign::positive), Fallback::value("\"30d\""),
      "longest time without progress; 10,000 starts in a row without a new step end the run as well");
  fields.field("stop_time", duration(job.stop_time, Sign::not_negative), "time to end every rank");
  Law restart = Law::constant(0);
  fields.field("restart_time", law(restart), Fallback::optional(),
               "all of a restart as one number, in place of the phases of [job.start]; what storage takes to "
               "load the checkpoint is added (storage.load)");
  fields.table(
      "start", [&](Fields& f) { describe(f, job.start); },
      "a restart, phase after phase; the checkpoint's load comes from storage");
  fields.table(
      "planned", [&](Fields& f) { describe_planned(f, job); }, "stops that operators plan");
  fields.table(
      "evaluation", [&](Fields& f) { describe(f, job.evaluation); },
      "pauses in which the model is evaluated");
  describe_source(fields);
  fields.check([&](const Place& place) {
    world.inventory.layout = job.layout;
    take_restart_time(place, restart, job.start);
    if (!place.all_sound("steps", "window", "tokens")) return;
    // Of steps that nobody wrote nothing is wrong: they are not computed where anything else is.
    const bool both = place.given("steps") && tokens > 0;
    if (both && place.all_sound("model", "global_batch") && job.steps != steps_for_tokens())
      return place.mistake_at("steps", "are not the " + std::to_string(steps_for_tokens()) + " of job.tokens",
                              "leave one of them out");
    if (job.steps == 0 && tokens == 0 && job.window == Duration::zero())
      place.mistake_at("window", "and steps are both zero: the job has no end",
                       "set window = \"54d\", or steps, or tokens");
    // Of a modelled step it is checked once all of the scenario is known (config/checks/step_checks.hpp).
    if (place.all_sound("step_time") && job.step_time > Duration::zero())
      check_work(place, "", job, job.step_time);
  });
}

}  // namespace gauntlet
