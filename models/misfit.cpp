#include "models/workload.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace gauntlet {
namespace {

std::string list(const std::vector<std::uint32_t>& numbers) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size(); ++i)
    text += (i == 0 ? "" : i + 1 == numbers.size() ? " or " : ", ") + std::to_string(numbers[i]);
  return text;
}

/// The divisors of `whole` nearest to `wanted`: one below, one above.
std::string divisors_near(std::uint32_t whole, std::uint32_t wanted) {
  std::uint32_t below = 1, above = whole;
  const auto consider = [&](std::uint32_t d) {
    if (d < wanted) below = std::max(below, d);
    if (d > wanted) above = std::min(above, d);
  };
  for (std::uint64_t d = 1; d * d <= whole; ++d)
    if (whole % d == 0) {
      consider(static_cast<std::uint32_t>(d));
      consider(static_cast<std::uint32_t>(whole / d));
    }
  return below == above ? list({below}) : list({below, above});
}

std::string gigabytes(double bytes) {
  return std::to_string(static_cast<std::uint64_t>(std::min(std::ceil(bytes / 1e9), 1e18))) + " GB";
}

std::string text(std::uint64_t number) { return std::to_string(number); }

bool divides(std::uint64_t part, std::uint64_t whole) { return part > 0 && whole % part == 0; }

/// The layers of a stage where the first stages are filled; the rest may leave the last ones without any.
bool some_stage_is_empty(std::uint64_t layers, std::uint64_t stages) {
  const std::uint64_t most = (layers + stages - 1) / stages;
  return most * (stages - 1) >= layers;
}

std::optional<Misfit> model_misfit(const Transformer& model) {
  if (model.head_dim == 0 && !divides(model.heads, model.hidden))
    return Misfit{"job.model.heads", "do not divide the width of " + text(model.hidden),
                  divisors_near(model.hidden, model.heads) + " would, or give head_dim"};
  if (model.kv_heads > 0 && !divides(model.kv_heads, model.heads))
    return Misfit{"job.model.kv_heads", "do not divide the " + text(model.heads) + " attention heads",
                  divisors_near(model.heads, model.kv_heads) + " would"};
  if (model.experts == 0) return std::nullopt;
  if (model.experts_per_token == 0 || model.experts_per_token > model.experts)
    return Misfit{"job.model.experts_per_token",
                  "is not between 1 and the " + text(model.experts) + " experts",
                  "1 to " + text(model.experts) + " would do"};
  if (model.expert_ffn_hidden == 0)
    return Misfit{"job.model.expert_ffn_hidden", "is zero, and the model has experts",
                  "give the width of one"};
  if (model.dense_layers > model.layers)
    return Misfit{"job.model.dense_layers", "are more than the " + text(model.layers) + " layers",
                  "at most " + text(model.layers)};
  return std::nullopt;
}

std::optional<Misfit> layout_misfit(const Transformer& model, const Layout& layout) {
  if (!divides(layout.tp, model.heads))
    return Misfit{"job.layout.tp", "does not divide the " + text(model.heads) + " attention heads",
                  divisors_near(model.heads, layout.tp) + " would"};
  if (!divides(layout.tp, model.kv_heads) && !divides(model.kv_heads, layout.tp))
    return Misfit{"job.layout.tp",
                  "neither divides the " + text(model.kv_heads) + " key and value heads nor is a multiple",
                  divisors_near(model.kv_heads, layout.tp) + " would"};
  if (layout.pp > model.layers)
    return Misfit{"job.layout.pp", "is more than the " + text(model.layers) + " layers",
                  "at most " + text(model.layers)};
  const std::uint64_t chunks = std::uint64_t{layout.pp} * layout.virtual_stages;
  const bool even = divides(chunks, model.layers) || divides(chunks, std::uint64_t{model.layers} + 2);
  if (layout.virtual_stages > 1 && !even) {
    std::uint64_t most = 1;
    for (std::uint64_t v = 2; v < layout.virtual_stages && v * layout.pp <= model.layers + std::uint64_t{2};
         ++v)
      if (divides(v * layout.pp, model.layers) || divides(v * layout.pp, std::uint64_t{model.layers} + 2))
        most = v;
    return Misfit{
        "job.layout.virtual_stages",
        "x pp = " + text(chunks) + " model chunks have unequal shares of " + text(model.layers) + " layers",
        text(most) + " would have equal ones"};
  }
  if (!even && some_stage_is_empty(model.layers, layout.pp)) {
    std::uint32_t fewer = layout.pp;
    while (some_stage_is_empty(model.layers, fewer)) --fewer;
    return Misfit{
        "job.layout.pp", "leaves stages without any of the " + text(model.layers) + " layers",
        divisors_near(model.layers, layout.pp) + " would divide them, " + text(fewer) + " would do"};
  }
  constexpr std::uint64_t kMostChunks = 100'000;  // each is worked out on its own
  if (chunks > kMostChunks)
    return Misfit{"job.layout.pp", "x virtual_stages makes " + text(chunks) + " model chunks",
                  "at most " + text(kMostChunks)};
  if (!divides(layout.cp, model.sequence))
    return Misfit{"job.layout.cp", "does not divide the sequence of " + text(model.sequence) + " tokens",
                  divisors_near(model.sequence, layout.cp) + " would"};
  if (!divides(layout.ep, layout.dp))
    return Misfit{"job.layout.ep", "does not divide the " + text(layout.dp) + " data-parallel replicas",
                  divisors_near(layout.dp, layout.ep) + " would"};
  if (layout.ep > 1 && model.experts == 0)
    return Misfit{"job.layout.ep", "is more than 1, and the model has no experts", "1 would do"};
  if (!divides(layout.ep, model.experts))
    return Misfit{"job.layout.ep", "does not divide the " + text(model.experts) + " experts",
                  divisors_near(model.experts, layout.ep) + " would"};
  return std::nullopt;
}

std::optional<Misfit> batch_misfit(const Layout& layout, std::uint64_t global_batch,
                                   std::uint64_t micro_batch) {
  const std::uint64_t each = layout.dp * micro_batch;
  if (!divides(each, global_batch))
    return Misfit{"job.global_batch",
                  "is not a multiple of dp x micro_batch = " + text(layout.dp) + " x " + text(micro_batch),
                  text((global_batch / each + 1) * each) + " would fit"};
  const std::uint64_t micro_batches = global_batch / each;
  if (layout.virtual_stages > 1 && !divides(layout.pp, micro_batches))
    return Misfit{
        "job.layout.virtual_stages",
        "needs micro-batches in groups of " + text(layout.pp) + ", and a replica has " + text(micro_batches),
        "1 would do, or a global_batch of " + text((micro_batches / layout.pp + 1) * layout.pp * each)};
  return std::nullopt;
}

/// The nearest change after which the job fits in memory.
std::string what_would_fit(const Transformer& model, const Training& training, const Layout& layout,
                           std::uint32_t micro_batch, Bytes memory) {
  const auto fits = [&](const Training& how, const Layout& where, std::uint32_t size) {
    return memory_use(model, how, where, size).total() <= memory;
  };
  for (std::uint32_t size = micro_batch / 2; size > 0; size /= 2)
    if (divides(size, micro_batch) && fits(training, layout, size))
      return "micro_batch = " + text(size) + " would fit";
  Training again = training;
  for (const Recompute recompute : {Recompute::selective, Recompute::full}) {
    again.recompute = recompute;
    if (recompute > training.recompute && fits(again, layout, micro_batch))
      return std::string("training.recompute = \"") + (recompute == Recompute::full ? "full" : "selective") +
             "\" would fit";
  }
  constexpr std::uint32_t kMostStages = 1024;
  for (std::uint32_t pp = layout.pp + 1; pp <= std::min(model.layers, kMostStages); ++pp) {
    const std::uint64_t stages = std::uint64_t{layout.pp} * layout.dp;
    Layout deeper = layout;
    deeper.pp = pp;
    deeper.virtual_stages = 1;
    deeper.dp = static_cast<std::uint32_t>(stages / pp);
    if (divides(pp, stages) && divides(pp, model.layers) && divides(layout.ep, deeper.dp) &&
        fits(again, deeper, 1))
      return "pp = " + text(pp) + " and dp = " + text(deeper.dp) + " with recompute = \"full\" would fit";
  }
  return "more tp or pp would help, and so would more GPUs";
}

}  // namespace

std::optional<Misfit> misfit(const Transformer& model, const Training& training, const Layout& layout,
                             std::uint32_t global_batch, std::uint32_t micro_batch, Bytes memory) {
  if (auto found = model_misfit(model)) return found;
  if (auto found = layout_misfit(model, layout)) return found;
  if (auto found = batch_misfit(layout, global_batch, micro_batch)) return found;
  const MemoryUse use = memory_use(model, training, layout, micro_batch);
  if (memory.value == 0 || use.total() <= memory) return std::nullopt;
  return Misfit{"job.layout",
                "needs " + gigabytes(use.total().value) + " of a GPU's " + gigabytes(memory.value) + ": " +
                    gigabytes(use.weights.value) + " for weights and gradients, " +
                    gigabytes(use.optimizer.value) + " for the optimizer, " +
                    gigabytes(use.activations.value) + " for activations",
                what_would_fit(model, training, layout, micro_batch, memory)};
}

}  // namespace gauntlet
