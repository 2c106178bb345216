#include "commands/new/draft.hpp"

#include "commands/new/layout.hpp"
#include "commands/new/mix.hpp"
#include "commands/new/toml_lines.hpp"
#include "config/fields/tokens.hpp"
#include "config/scenario.hpp"
#include "core/quantity.hpp"
#include "core/text.hpp"
#include "models/calibration/calibration.hpp"
#include "policies/spares/sizing.hpp"
#include "shell/command_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

namespace gauntlet {
namespace {

constexpr double kHour = 3600, kDay = 86400;
constexpr double kEnough = 0.99;  // probability that the spares cover the hosts in repair

/// The shortest decimal that reads back to the same bits: "2e12", "0.5", "3285".
std::string number(double value) {
  constexpr double kLong = 1e9;  // from there on with an exponent
  if (value == std::floor(value) && value < kLong) return fmt::format("{:.0f}", value);
  std::array<char, 64> buffer;
  const auto format = value >= kLong ? std::chars_format::scientific : std::chars_format::general;
  std::string text(buffer.data(),
                   std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, format).ptr);
  std::erase(text, '+');
  return text;
}

/// The number as a TOML float: "2e12", "7.0".
std::string real(double value) {
  std::string text = number(value);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

/// "5.3 h", for a comment.
std::string about(double seconds) {
  if (seconds < 2 * 60) return fmt::format("{:.2g} s", seconds);
  if (seconds < 2 * kHour) return fmt::format("{:.2g} min", seconds / 60);
  if (seconds < 2 * kDay) return fmt::format("{:.2g} h", seconds / kHour);
  return seconds < 1000 * kDay ? fmt::format("{:.3g} days", seconds / kDay)
                               : fmt::format("{:.3g} years", seconds / kDay / 365);
}

std::string about_tokens(double tokens) {
  if (tokens >= 1e12) return fmt::format("{:.3g}T", tokens / 1e12);
  if (tokens >= 1e9) return fmt::format("{:.3g}G", tokens / 1e9);
  if (tokens >= 1e6) return fmt::format("{:.3g}M", tokens / 1e6);
  return fmt::format("{:.0f}", tokens);
}

std::string thousands(std::uint64_t value) {
  std::string text = std::to_string(value);
  for (std::size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, ",");
  return text;
}

/// "gauntlet new", then each option that was given, in a shell's words. The words of options are plain text.
std::vector<std::string> command_of(const Known& known) {
  std::vector<std::string> parts = {"gauntlet new"};
  for (const KnownOption& option : known_options())
    if (const Known::Word& word = known.*option.word)
      parts.push_back(fmt::format("{} {}", option.name, shell_word(*word)));
  return parts;
}

class DraftWriter {
 public:
  DraftWriter(const Known& known, const Facts& facts) : known_(&known), facts_(&facts) {}
  Draft write();

 private:
  bool choose();
  double share_repaired() const { return mix_ ? mix_->share_repaired : 1; }
  double failures_of_job() const { return facts_->failures.per_host_second() * facts_->hosts; }
  std::uint32_t spares() const;
  Duration longest_rest() const;

  void head();
  void cluster();
  void job();
  void work();
  void batch();
  void layout();
  void stand_in();
  void stand_in_batch();
  std::uint32_t stand_in_sequence() const;
  void storage();
  void repair();
  void cost();
  void faults();
  void scaled_profile(const std::string& pace);
  void policies();
  void first_interval();
  void study();
  void summarize();

  const Known* known_;
  const Facts* facts_;
  ChosenLayout chosen_;
  std::optional<FaultMix> mix_;
  TomlLines lines_;
  Draft out_;
};

bool DraftWriter::choose() {
  LayoutChoice choice = facts_->step_time ? layout_of_stand_in(*facts_) : choose_layout(*facts_);
  if (choice.chosen)
    chosen_ = *choice.chosen;
  else
    out_.problems.push_back(std::move(choice.problem));
  if (facts_->mix) {
    FaultMixRead read = read_mix(*facts_->mix, facts_->hardware_name, facts_->hardware.gpus_per_host);
    mix_ = std::move(read.mix);
    out_.problems.insert(out_.problems.end(), read.problems.begin(), read.problems.end());
  }
  return out_.problems.empty();
}

/// Enough for the hosts that are in repair at once: each is there for a share of its time.
std::uint32_t DraftWriter::spares() const {
  if (facts_->spares) return *facts_->spares;
  const double in_repair = facts_->failures.per_host_second() * share_repaired() *
                           to_seconds(*parse_duration(facts_->repair).value);
  return spares_for_quantile(facts_->hosts, in_repair / (1 + in_repair), kEnough);
}

/// For which a healthy job may show no progress: a step and the stall of a checkpoint.
Duration DraftWriter::longest_rest() const {
  const Duration stall = *parse_duration(facts_->checkpoint).value;
  return chosen_.step >= kForever - stall ? kForever : chosen_.step + stall;
}

void DraftWriter::head() {
  lines_.remark(fmt::format("{}. Change what you know better.", kDraftBegins.substr(2)));
  lines_.command(command_of(*known_));
  lines_.remark(
      "\"given\" comes from your options or answers, \"chosen\" follows from them, \"assumption\" is a value "
      "that you "
      "did not give. What is not in this file has its default value: `gauntlet show FILE` prints all of it. "
      "docs/you-know-x-set-y.md explains the keys.");
  const std::string job = facts_->model_name.empty() ? "this job" : facts_->model_name;
  if (mix_)
    lines_.line("extends",
                fmt::format("[\"catalog/faults/{}.toml\", \"catalog/probes/quick.toml\"]", *facts_->mix),
                "given: what fails (--mix); assumption: the tests that look for a broken host");
  lines_.line("question",
              in_quotes(fmt::format("What do failures cost {} on {} GPUs?", job, thousands(facts_->gpus))),
              "");
}

void DraftWriter::cluster() {
  lines_.table("cluster");
  lines_.line("hosts", std::to_string(facts_->hosts),
              fmt::format("given: hosts that carry the job, {} GPUs in hosts of {}", thousands(facts_->gpus),
                          facts_->hardware.gpus_per_host));
  lines_.line("hardware", in_quotes(facts_->hardware_name),
              fmt::format("given: host type; its figures are those of catalog/hardware/{}.toml",
                          facts_->hardware_name));
  lines_.table("spares");
  lines_.line("count", std::to_string(spares()),
              facts_->spares
                  ? "given: hosts that stand by"
                  : "chosen: spare hosts; with 99% enough for the hosts in repair at any one moment, "
                    "not over a whole run");
}

void DraftWriter::work() {
  if (facts_->tokens)
    lines_.line("tokens", in_quotes(tokens_to_text(*facts_->tokens)),
                "given: the work, in tokens; steps = 100_000 or window = \"30d\" can stand in its place");
  if (facts_->steps)
    lines_.line("steps", std::to_string(*facts_->steps),
                "given: the work, in steps; tokens = \"2T\" or window = \"30d\" can stand in its place");
  if (facts_->window)
    lines_.line(
        "window", in_quotes(*facts_->window),
        "given: the wall time to look at; tokens = \"2T\" or steps = 100_000 ends with the work instead");
}

void DraftWriter::batch() {
  const double tokens = static_cast<double>(chosen_.global_batch) * facts_->model.sequence;
  const std::string what = fmt::format("sequences of {} tokens in one step, {} tokens",
                                       thousands(facts_->model.sequence), about_tokens(tokens));
  const auto is_near = [&](double other) { return std::abs(tokens - other) < 0.005 * tokens; };
  lines_.line("global_batch", std::to_string(chosen_.global_batch),
              facts_->batch
                  ? fmt::format("given: {}{}", what,
                                is_near(*facts_->batch) ? "" : ", as near as replicas can share it")
                  : fmt::format("assumption: {}, {}", what,
                                is_near(kUsualBatch) ? "as Llama 3 405B" : "near the 16.8M of Llama 3 405B"));
  lines_.line("micro_batch", std::to_string(chosen_.micro_batch),
              "chosen: sequences that pass a pipeline stage together");
}

void DraftWriter::job() {
  lines_.table("job");
  if (facts_->step_time)
    lines_.line("step_time", in_quotes(*facts_->step_time), "given: measured time of a healthy step");
  else
    lines_.line("model", in_quotes(facts_->model_name),
                fmt::format("given: its dimensions are those of catalog/models/{}.toml", facts_->model_name));
  work();
  if (facts_->step_time)
    stand_in_batch();
  else
    batch();
  lines_.line("restart_time", in_quotes(facts_->restart),
              "given: from the order to restart until the job trains again, loading included");
  if (facts_->step_time) stand_in();
  layout();
}

/// Tokens of a step where the model is not known: one sequence for each replica, as long as makes the batch.
void DraftWriter::stand_in_batch() {
  lines_.line("global_batch", std::to_string(chosen_.global_batch),
              facts_->batch
                  ? fmt::format("given: {} tokens in one step; one sequence of {} for each replica (dp)",
                                about_tokens(*facts_->batch), thousands(stand_in_sequence()))
                  : "assumption: one sequence for each replica (dp); tokens in the report follow from it");
}

std::uint32_t DraftWriter::stand_in_sequence() const {
  if (!facts_->batch) return facts_->model.sequence;
  return static_cast<std::uint32_t>(std::clamp(std::round(*facts_->batch / chosen_.global_batch), 1.0, 1e9));
}

void DraftWriter::stand_in() {
  const Transformer& model = facts_->model;
  lines_.table("job.model");
  lines_.remark(fmt::format(
      "assumption: the dimensions of catalog/models/{}.toml stand in for the model, which is not known. "
      "Only the MFU and what a slow part costs depend on them: the report's MFU says nothing. Write the "
      "dimensions of your model here.",
      model.name));
  const auto whole = [&](const char* key, std::uint64_t value) {
    lines_.line(key, std::to_string(value), "");
  };
  lines_.line("name", "\"stand-in\"", "");
  lines_.line("parameters", real(model.parameters), "");
  whole("layers", model.layers);
  whole("hidden", model.hidden);
  whole("heads", model.heads);
  whole("kv_heads", model.kv_heads);
  whole("ffn_hidden", model.ffn_hidden);
  lines_.line("gated_mlp", model.gated_mlp ? "true" : "false", "");
  whole("vocabulary", model.vocabulary);
  lines_.line("sequence", std::to_string(stand_in_sequence()), "tokens in one sequence");
}

void DraftWriter::layout() {
  const Layout& layout = chosen_.layout;
  lines_.table("job.layout");
  if (facts_->step_time) {
    lines_.remark(
        "assumption: how the GPUs share the model. The step time is given, so the layout only decides which "
        "ranks "
        "wait for which when one of them stops.");
  } else {
    lines_.remark(
        fmt::format("chosen: of {} layouts that fit {:.0f}% of a GPU's memory{}, the fastest by the step "
                    "model. A healthy step takes {}. "
                    "Write your own layout here, or give --tp and --pp; `gauntlet step FILE` says how long "
                    "its step takes.",
                    thousands(chosen_.tried), 100 * chosen_.memory_share,
                    chosen_.recompute == Recompute::full ? " with full recomputation" : "",
                    about(to_seconds(chosen_.step))));
  }
  lines_.line("tp", std::to_string(layout.tp),
              fmt::format("{}: tensor-parallel ranks", facts_->tp ? "given" : "chosen"));
  lines_.line("pp", std::to_string(layout.pp),
              fmt::format("{}: pipeline stages", facts_->pp ? "given" : "chosen"));
  lines_.line(
      "dp", std::to_string(layout.dp),
      fmt::format("chosen: data-parallel replicas; tp x pp x dp is the {} GPUs", thousands(facts_->gpus)));
  if (layout.virtual_stages > 1)
    lines_.line("virtual_stages", std::to_string(layout.virtual_stages),
                "chosen: model chunks on each stage (interleaved schedule)");
  if (layout.ep > 1)
    lines_.line("ep", std::to_string(layout.ep),
                "chosen: expert-parallel ranks, cut from the data-parallel ones");
  if (facts_->step_time) return;
  lines_.table("job.calibration");
  lines_.line("stack", in_quotes(Calibration{}.stack),
              "assumption: the training software; the step model is fitted on its published step times");
  if (chosen_.recompute == Training{}.recompute) return;
  lines_.table("job.training");
  lines_.line("recompute", "\"full\"",
              "chosen: every layer's forward pass is computed again, to save memory");
}

void DraftWriter::storage() {
  lines_.table("storage");
  lines_.line(
      "mode", "\"synchronous\"",
      "assumption: training waits until a checkpoint is durable; \"two_stage\" writes it behind training");
  lines_.line("stall", in_quotes(facts_->checkpoint), "given: time for which one checkpoint blocks training");
  lines_.line("free", "true",
              "no other part of a checkpoint takes time: its load is part of job.restart_time");
}

void DraftWriter::repair() {
  lines_.table("repair");
  lines_.line("time", in_quotes(facts_->repair), "given: until a failed host is back, ready to stand by");
  if (!mix_) return;
  lines_.table("people");
  lines_.line("response", "\"30min\"",
              "assumption: until a person finds the culprit that the tests do not find");
}

void DraftWriter::cost() {
  if (!facts_->gpu_hour) return;
  const Price& price = *facts_->gpu_hour;
  lines_.table("cost");
  lines_.line("gpu_hour", in_quotes(to_text(price)), "given: of one GPU for one hour, spares included");
}

void DraftWriter::faults() {
  const CountedFailures& failures = facts_->failures;
  const std::string pace = fmt::format("one failure in {} on a host, one in {} on the {} hosts of this job",
                                       about(1 / failures.per_host_second()), about(1 / failures_of_job()),
                                       thousands(facts_->hosts));
  if (mix_) return scaled_profile(pace);
  lines_.table("faults.failure");
  lines_.remark(fmt::format("A failure stops the job, and its host goes to repair: {}.", pace));
  lines_.line("component", "\"host\"", "assumption: what fails; it could be a \"gpu\" or a \"nic\" as well");
  lines_.line("effect", "\"crash\"",
              "assumption: a process ends, which is seen within seconds; \"hang\" is seen later");
  lines_.line("remedy", "\"repair\"",
              "assumption: every failure needs a repair; \"restart\": the host stays");
  constexpr double kShort = 7 * kDay, kMany = 100;  // what config/ warns of: a count that is meant as a rate
  if (failures.seconds >= kShort || failures.count >= kMany) {
    lines_.line("rate", fmt::format("{{ count = {}, over = \"{}\" }}", number(failures.count), failures.over),
                "given: failures, and over how long and how many hosts");
  } else {
    std::array<char, 400> days;
    const auto end = std::to_chars(days.data(), days.data() + days.size(),
                                   1 / (failures.per_host_second() * kDay), std::chars_format::fixed);
    lines_.line("mtbf", in_quotes(std::string(days.data(), end.ptr) + "d"),
                fmt::format("given: mean time between failures of one host, from {} over {}",
                            number(failures.count), failures.over));
  }
}

/// Every fault of the profile, so many times as often.
void DraftWriter::scaled_profile(const std::string& pace) {
  const CountedFailures& failures = facts_->failures;
  lines_.table("faults");
  lines_.remark(
      fmt::format("given: {} failures over {}, {}. They are split by cause as in catalog/faults/{}.toml: "
                  "each of its rates is multiplied by "
                  "rate_factor, so that all of them together are the failures given.",
                  number(failures.count), failures.over, pace, *facts_->mix));
  const std::string factor = real(failures.per_host_second() / mix_->per_host_second);
  for (const std::string& fault : mix_->faults) lines_.line(fault + ".rate_factor", factor, "");
}

/// The interval by default is refused where nothing would be saved before the job ends.
void DraftWriter::first_interval() {
  constexpr double kUsualInterval = 1800;  // checkpoint.interval by default
  const double tokens = static_cast<double>(chosen_.global_batch) *
                        (facts_->step_time ? stand_in_sequence() : facts_->model.sequence);
  double length = to_seconds(chosen_.step);  // of the job without a failure
  if (facts_->window) length = to_seconds(*parse_duration(*facts_->window).value);
  if (facts_->tokens) length *= std::ceil(*facts_->tokens / tokens);
  if (facts_->steps) length *= static_cast<double>(*facts_->steps);
  if (length > 2 * kUsualInterval) return;
  lines_.table("checkpoint");
  lines_.line("interval", in_quotes(to_text(std::max(Duration(1), from_seconds(length / 4)))),
              "chosen: a quarter of the job, until failures and stalls say better");
}

void DraftWriter::policies() {
  lines_.table("policies");
  lines_.line(
      "checkpoint", "\"daly\"",
      "assumption: the interval follows from failures and stalls; \"fixed\": checkpoint.interval holds");
  first_interval();
  constexpr Duration kUsualHang =
      std::chrono::minutes(10);  // hang_timeout and traffic_stopped.lasting by default
  const bool slow = longest_rest() >= kUsualHang;
  if (!slow && !mix_) return;
  lines_.table("detection");
  if (slow) {
    const double minutes = std::ceil(2 * to_seconds(longest_rest()) / 60);
    const std::string twice = in_quotes(fmt::format("{:.0f}min", minutes));
    lines_.line("hang_timeout", twice,
                "chosen: without a step for so long the job hangs; twice a step and a checkpoint");
    lines_.line("traffic_stopped.lasting", twice, "chosen: the same, of network traffic");
  }
  if (mix_)
    lines_.line("lines", "\"nvidia-xid\"", "assumption: what each log line asks for, of catalog/lines");
}

void DraftWriter::study() {
  lines_.table("study");
  lines_.line("replicas", "200", "random runs of the job; more make the intervals narrower");
  lines_.line("seed", "1", "of all randomness: the same seed gives the same answer");
}

void DraftWriter::summarize() {
  const Layout& layout = chosen_.layout;
  const double failure = 1 / failures_of_job();
  out_.summary.push_back(fmt::format("{} hosts and {} spares; a failure stops the job every {}.",
                                     thousands(facts_->hosts), thousands(spares()), about(failure)));
  if (!facts_->step_time)
    out_.summary.push_back(fmt::format("A healthy step takes {} with tp {} x pp {} x dp {}.",
                                       about(to_seconds(chosen_.step)), layout.tp, layout.pp, layout.dp));
  const double needed = to_seconds(*parse_duration(facts_->restart).value) +
                        to_seconds(*parse_duration(facts_->checkpoint).value);
  if (needed >= failure)
    out_.summary.push_back(
        fmt::format("Warning: a restart and a checkpoint take {}, longer than the time between failures: the "
                    "job hardly trains.",
                    about(needed)));
}

Draft DraftWriter::write() {
  if (!choose()) return std::move(out_);
  head();
  cluster();
  job();
  storage();
  repair();
  cost();
  faults();
  policies();
  study();
  out_.text = std::move(lines_).text();
  // The text is held to the same checks as any scenario: what they refuse is not written.
  const LoadedScenario loaded = load_scenario_text(*out_.text, "draft.toml");
  if (!loaded.scenario) {
    out_.problems = loaded.problems;
    out_.text.reset();
    return std::move(out_);
  }
  for (const Problem& warning : loaded.warnings) out_.summary.push_back("Warning: " + warning.text());
  summarize();
  return std::move(out_);
}

}  // namespace

Draft write_draft(const Known& known, const Facts& facts) { return DraftWriter(known, facts).write(); }

}  // namespace gauntlet
