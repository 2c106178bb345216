#include "models/step/stage.hpp"

#include "models/bytes.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <vector>

namespace gauntlet {
namespace {

// FlashAttention-2, forward, https://arxiv.org/abs/2307.08691 fig. 5: about half of the peak rate; its backward pass has five
// matrix products where the forward one has two.
constexpr double kFlashShare = 0.5;
constexpr double kFlashBackward = 2.5;

// Bytes of memory traffic of an element, by operator (Korthikanti et al., sec. 4.1, counts what each reads and writes).
constexpr double kScoresForward = 9;  // mask and softmax, dropout with its mask
constexpr double kScoresBackward = 11;
constexpr double kHiddenForward = 22;  // two layer norms, two dropouts with residual and bias
constexpr double kHiddenBackward = 26;

// NCCL's own figures for rings and its Simple protocol, in seconds: to start a collective, and each step of it over NVLink
// and over the network, https://github.com/NVIDIA/nccl/blob/v2.18.3-1/src/graph/tuning.cc (baseLat, hwLat).
constexpr double kStartLatency = 8.4e-6;
constexpr double kNvlinkLatency = 3.4e-6;
constexpr double kNicLatency = 14e-6;

struct Product {
  double m, n, k;
};

/// The sizes that a layer's times are made of.
struct Shape {
  Shape(const Transformer& model, const Training& training, const Layout& layout, std::uint32_t micro_batch)
      : sequence(model.sequence),
        own_sequence(static_cast<double>(model.sequence) / layout.cp),
        tokens(own_sequence * micro_batch),
        hidden(model.hidden),
        heads(static_cast<double>(model.heads) / layout.tp * micro_batch),
        head(model.head_size()),
        query(static_cast<double>(model.heads) * model.head_size() / layout.tp),
        key_value(kv_heads_of_rank(model, layout) * model.head_size()),
        gates(model.gated_mlp ? 2 : 1),
        tp(layout.tp),
        norm_share(training.sequence_parallel ? layout.tp : 1) {}
  double sequence, own_sequence, tokens, hidden, heads, head, query, key_value, gates, tp, norm_share;
};

struct Passes {
  double forward = 0, backward = 0;
  Passes& operator+=(const Passes& more) {
    forward += more.forward;
    backward += more.backward;
    return *this;
  }
};

Passes products(std::span<const Product> all, const Training& training, const Hardware& hardware,
                const Calibration& stack) {
  Passes out;
  const auto one = [&](double m, double n, double k) {
    return matrix_product_seconds(m, n, k, 1, training.precision, true, hardware, stack);
  };
  for (const Product& p : all) {
    out.forward += one(p.m, p.n, p.k);
    out.backward += one(p.m, p.k, p.n) + one(p.n, p.k, p.m);  // of the input, of the weights
  }
  return out;
}

Passes attention(const Shape& s, const Training& training, const Hardware& hardware,
                 const Calibration& stack) {
  if (training.flash_attention) {
    const double causal = 0.5;
    const double flops = 4 * s.heads * s.own_sequence * s.sequence * s.head * causal;
    const double forward = flops / (hardware.peak.value * kFlashShare);
    return {forward, kFlashBackward * forward};
  }
  const bool aligned = static_cast<std::uint32_t>(s.head) % 8 == 0;
  const auto one = [&](double m, double n, double k) {
    return matrix_product_seconds(m, n, k, s.heads, Precision::bf16, aligned, hardware, stack);
  };
  const double scores = one(s.own_sequence, s.sequence, s.head) + one(s.own_sequence, s.head, s.sequence);
  const double elements = s.heads * s.own_sequence * s.sequence;
  const double memory = hardware.memory_bandwidth.value * stack.memory_efficiency;
  return {scores + elements * kScoresForward / memory, 2 * scores + elements * kScoresBackward / memory};
}

/// Operators that read and write activations: norms, dropouts, activation functions, transposes.
Passes elementwise(const Shape& s, double mlp_width, double mlp_tokens, const Hardware& hardware,
                   const Calibration& stack) {
  const double memory = hardware.memory_bandwidth.value * stack.memory_efficiency;
  const double transposes = 2 * kHalfBytes * s.tokens * s.query;
  const double activation = mlp_tokens * mlp_width;
  return {
      (s.tokens * s.hidden * kHiddenForward / s.norm_share + activation * (2 + 2 * s.gates) + transposes) /
          memory,
      (s.tokens * s.hidden * kHiddenBackward / s.norm_share + activation * (2 + 4 * s.gates) + transposes) /
          memory};
}

/// Under fp8 each linear layer's input, and backward the gradient of its output, is read in 16 bits and written in 8 twice:
/// the products of the backward pass take it transposed (https://docs.nvidia.com/deeplearning/transformer-engine/user-guide).
Passes casts(std::span<const Product> linear, double visits, const Shape& s, double width,
             const Training& training, const Hardware& hardware, const Calibration& stack) {
  if (training.precision != Precision::fp8) return {};
  const double bytes = kHalfBytes + 2;
  Passes out;
  for (const Product& p : linear) out += Passes{p.m * p.k * bytes, p.m * p.n * bytes};
  out += Passes{visits * s.tokens * (s.hidden + width) * bytes,
                visits * s.tokens * (s.hidden + s.gates * width) * bytes};
  const double memory = hardware.memory_bandwidth.value * stack.memory_efficiency;
  return {out.forward / memory, out.backward / memory};
}

/// Norms and activation functions once more, where flash attention keeps no scores that selective recomputation could save.
double cheap_again(const Shape& s, double mlp_width, double mlp_tokens, const Hardware& hardware,
                   const Calibration& stack) {
  const double norms = 2 * 2 * kHalfBytes * s.tokens * s.hidden / s.norm_share;  // each reads and writes
  const double activation = mlp_tokens * mlp_width * (2 + 2 * s.gates);
  return (norms + activation) / (hardware.memory_bandwidth.value * stack.memory_efficiency);
}

/// A collective over a group of so many GPUs takes this long however little it moves, per pass over the ring.
double ring_latency(double members, double first_to_last, const Hardware& hardware) {
  const bool leaves_host = first_to_last > hardware.gpus_per_host;
  return kStartLatency + (members - 1) * (leaves_host ? kNicLatency : kNvlinkLatency);
}

/// Of a forward and of a backward pass.
struct Both {
  PassTimes forward, backward;
};

/// Two all-reduces of the activations, or as many pairs of reduce-scatter and all-gather, each way: Megatron-LM,
/// https://arxiv.org/abs/1909.08053, fig. 4.
void add_tensor_parallel(Both& to, const Shape& s, const Training& training, const Layout& layout,
                         const Hardware& hardware, const Calibration& stack, const Wires& wires) {
  if (layout.tp == 1) return;
  const double share = training.overlap_tensor ? stack.tensor_overlapped : stack.tensor_exposed;
  const double sent = 2 * (s.tp - 1) / s.tp * kHalfBytes * s.tokens * s.hidden;
  const double seconds = 2 * sent / wires.tensor.value;
  const double latency = 4 * ring_latency(s.tp, s.tp, hardware) * share;
  for (PassTimes* pass : {&to.forward, &to.backward}) {
    pass->tensor = pass->tensor + WireTime{seconds, seconds * share};
    pass->latency += latency;
  }
}

/// Keys and values go round the ring of context-parallel ranks while attention works on those that came before; their
/// gradients go round with them on the way back (ring attention, https://arxiv.org/abs/2310.01889, sec. 3).
void add_context_parallel(Both& to, const Shape& s, const Layout& layout, const Passes& core,
                          const Hardware& hardware, const Wires& wires) {
  if (layout.cp == 1) return;
  const double steps = layout.cp - 1.0;
  const double round = steps * 2 * kHalfBytes * s.tokens * s.key_value / wires.context.value;
  const double hides =
      steps / layout.cp;  // the share of attention's work during which something is on its way
  const double latency = ring_latency(layout.cp, s.tp * layout.cp, hardware);
  to.forward.context = {round, round - hides * core.forward};
  to.forward.latency += latency;
  to.backward.context = {2 * round, 2 * round - hides * core.backward};
  to.backward.latency += latency;
}

/// Tokens go to their experts and back: two all-to-alls each way (https://arxiv.org/abs/2006.16668, sec. 3.2). Nothing
/// hides them unless the training overlaps collectives with compute.
void add_expert_parallel(Both& to, const Shape& s, const Transformer& model, const Training& training,
                         const Layout& layout, const Hardware& hardware, const Calibration& stack,
                         const Wires& wires) {
  if (layout.ep == 1) return;
  const double share = training.overlap_tensor ? stack.tensor_overlapped : 1;
  const double remote = (layout.ep - 1.0) / layout.ep;
  const double sent = kHalfBytes * s.tokens * s.hidden * model.experts_per_token / s.tp * remote;
  const double seconds = 2 * sent / wires.expert.value;
  const bool leaves_host = s.tp * layout.cp * layout.ep > hardware.gpus_per_host;
  const double latency =
      2 * (kStartLatency + (leaves_host ? kNicLatency : kNvlinkLatency)) * share;  // all at once
  for (PassTimes* pass : {&to.forward, &to.backward}) {
    pass->expert = pass->expert + WireTime{seconds, seconds * share};
    pass->latency += latency;
  }
}

}  // namespace

LayerTimes layer_times(const Transformer& model, const Training& training, const Layout& layout,
                       std::uint32_t micro_batch, const Hardware& hardware, const Calibration& stack,
                       const Wires& wires, bool with_experts) {
  const Shape s(model, training, layout, micro_batch);
  std::vector<Product> linear = {{s.tokens, s.query + 2 * s.key_value, s.hidden},
                                 {s.tokens, s.hidden, s.query}};
  double width = model.ffn_hidden / s.tp, mlp_tokens = s.tokens;
  if (!with_experts) {
    linear.push_back({s.tokens, s.gates * width, s.hidden});
    linear.push_back({s.tokens, s.hidden, width});
  }
  Passes all = products(linear, training, hardware, stack);
  if (with_experts) {
    width = model.expert_ffn_hidden / s.tp;
    const double visits = static_cast<double>(model.experts_per_token) + model.shared_experts;
    mlp_tokens = s.tokens * visits;
    const double local = static_cast<double>(model.experts) / layout.ep + model.shared_experts;
    const double of_each = mlp_tokens / local;  // the load is taken to be even
    const std::array<Product, 2> expert = {
        {{of_each, s.gates * width, s.hidden}, {of_each, s.hidden, width}}};
    Passes one = products(expert, training, hardware, stack);
    all += Passes{local * one.forward, local * one.backward};
    // Tokens are sorted by expert, a copy for each that they visit, and summed up again: each reads one and writes the other.
    const double copies = 2 * kHalfBytes * s.tokens * s.hidden / s.tp * (model.experts_per_token + 1.0);
    const double sorting = copies / (hardware.memory_bandwidth.value * stack.memory_efficiency);
    all += Passes{sorting, sorting};
  }
  all += casts(linear, with_experts ? mlp_tokens / s.tokens : 0, s, width, training, hardware, stack);
  const Passes core = attention(s, training, hardware, stack);
  all += core;
  all += elementwise(s, width, mlp_tokens, hardware, stack);
  Both both;
  both.forward.compute = all.forward;
  both.backward.compute = all.backward;
  add_tensor_parallel(both, s, training, layout, hardware, stack, wires);
  add_context_parallel(both, s, layout, core, hardware, wires);
  if (with_experts) add_expert_parallel(both, s, model, training, layout, hardware, stack, wires);

  LayerTimes out{.forward = both.forward, .backward = both.backward, .recomputed = {}};
  if (training.recompute == Recompute::full) out.recomputed = out.forward;
  if (training.recompute == Recompute::selective)
    out.recomputed.compute =
        training.flash_attention ? cheap_again(s, width, mlp_tokens, hardware, stack) : core.forward;
  return out;
}

LayerTimes logits_times(const Transformer& model, const Layout& layout, std::uint32_t micro_batch,
                        const Hardware& hardware, const Calibration& stack) {
  if (model.vocabulary == 0) return {};
  const double tokens = static_cast<double>(model.sequence) / layout.cp * micro_batch;
  const double vocabulary = static_cast<double>(model.vocabulary) / layout.tp;
  const double product =
      matrix_product_seconds(tokens, vocabulary, model.hidden, 1, Precision::bf16, true, hardware, stack);
  constexpr double kLossTraffic = 16;  // bytes an element: logits in 16 and 32 bits, softmax, gradient
  const double loss =
      tokens * vocabulary * kLossTraffic / (hardware.memory_bandwidth.value * stack.memory_efficiency);
  LayerTimes out;
  out.forward.compute = product + loss / 2;
  out.backward.compute = 2 * product + loss / 2;
  return out;
}

}  // namespace gauntlet
