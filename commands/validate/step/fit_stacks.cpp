#include "commands/validate/step/fit_stacks.hpp"

#include "core/math/elementary.hpp"
#include "models/step/prediction.hpp"
#include "models/step/step.hpp"
#include "study/search/lowest.hpp"

#include <array>
#include <cmath>
#include <string>
#include <utility>

namespace gauntlet {
namespace {

struct Constant {
  const char* name;
  double Calibration::*value;
  double start, low, high;
};
constexpr Constant kGemm = {"gemm_efficiency", &Calibration::gemm_efficiency, 0.7, 0.2, 1};
constexpr Constant kMemory = {"memory_efficiency", &Calibration::memory_efficiency, 0.5, 0.1, 1};
constexpr Constant kExposed = {"tensor_exposed", &Calibration::tensor_exposed, 1, 0.05, 4};
constexpr Constant kOverlapped = {"tensor_overlapped", &Calibration::tensor_overlapped, 0.5, 0.05, 4};
constexpr Constant kData = {"data_exposed", &Calibration::data_exposed, 1, 0.05, 20};
constexpr Constant kMisaligned = {"misaligned", &Calibration::misaligned, 4, 1, 40};

/// Which constants of a stack were fitted, and to which power errors count: 2 is least squares; 1 where single noisy steps
/// should not move the rest (models/calibration/calibration.cpp).
struct Fit {
  const char* stack;
  std::vector<Constant> constants;
  int power;
};
const std::vector<Fit>& fits() {
  static const std::vector<Fit> all = {
      {"megatron-core", {kGemm, kMemory, kOverlapped}, 2},
      {"llama3", {kGemm, kData}, 2},
      {"megatron-2021", {kGemm, kMemory, kExposed}, 2},
      {"megatron-2022", {kGemm, kMemory, kExposed}, 2},
      {"bloom", {kGemm, kMemory, kExposed, kData, kMisaligned}, 1},
      {"megatron-deepspeed", {kGemm, kMemory, kExposed, kData}, 1},
      {"mlperf-h100", {kGemm, kExposed, kData}, 2},
      {"megascale", {kGemm, kData}, 2},
  };
  return all;
}

struct MeasuredStep {
  World world;
  double seconds;  // as published
};

Calibration at(const Fit& fit, Calibration stack, const Position& logarithms) {
  for (std::size_t i = 0; i < logarithms.size(); ++i) stack.*fit.constants[i].value = math_exp(logarithms[i]);
  return stack;
}

/// Mean |log(ours / published)|^power of a stack's samples; `samples` lends its worlds.
double distance(std::vector<MeasuredStep>& samples, const Calibration& stack, int power) {
  double sum = 0;
  for (MeasuredStep& sample : samples) {
    sample.world.job.calibration = stack;
    const double off = std::abs(math_log(to_seconds(StepModel(sample.world).healthy()) / sample.seconds));
    double term = 1;
    for (int i = 0; i < power; ++i) term *= off;
    sum += term;
  }
  return sum / static_cast<double>(samples.size());
}

/// As an error: the power is taken back by square roots.
double error_of(double distance, int power) {
  for (; power > 1; power /= 2) distance = std::sqrt(distance);
  return distance;
}

FittedStack fit_stack(const Fit& fit, const Calibration& shipped, std::vector<MeasuredStep>& samples) {
  Box box;
  Position start;
  for (const Constant& constant : fit.constants) {
    box.low.push_back(math_log(constant.low));
    box.high.push_back(math_log(constant.high));
    start.push_back(math_log(constant.start));
  }
  // Errors of some percent to a power are tiny, and the search wants responses of about one.
  const Response response = [&](const Position& logarithms) {
    return 100 * error_of(distance(samples, at(fit, shipped, logarithms), fit.power), fit.power);
  };
  Position best = start;
  for (int round = 0; round < 4; ++round)  // each from where the last ended, with wide steps again
    best = lowest(response, {}, box, std::array{best});
  const Calibration found = at(fit, shipped, best);
  FittedStack out{.stack = shipped.stack,
                  .power = static_cast<std::uint32_t>(fit.power),
                  .shipped_error = error_of(distance(samples, shipped, fit.power), fit.power),
                  .found_error = error_of(distance(samples, found, fit.power), fit.power),
                  .constants = {}};
  for (const Constant& constant : fit.constants)
    out.constants.push_back({constant.name, shipped.*constant.value, found.*constant.value});
  return out;
}

}  // namespace

std::uint32_t fitted_constants(std::string_view stack) {
  for (const Fit& fit : fits())
    if (fit.stack == stack) return static_cast<std::uint32_t>(fit.constants.size());
  return 0;
}

std::vector<FittedStack> fit_stacks(std::span<const PublishedStep> rows,
                                    const std::function<const Hardware&(const PublishedStep&)>& hardware) {
  std::vector<FittedStack> out;
  for (const Fit& fit : fits()) {
    const Calibration& shipped = *find_calibration(fit.stack);
    std::vector<MeasuredStep> samples;
    for (const PublishedStep& row : rows) {
      if (row.use != RowUse::fitted || row.stack != fit.stack) continue;
      PublishedJob job = job_of(row, hardware(row), shipped);
      if (job.world) samples.push_back({std::move(*job.world), published_seconds(row, hardware(row))});
    }
    if (!samples.empty()) out.push_back(fit_stack(fit, shipped, samples));
  }
  return out;
}

}  // namespace gauntlet
