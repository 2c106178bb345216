#include "commands/validate/oracles/measure.hpp"

#include "study/start_thread.hpp"
#include "study/statistics.hpp"

#include <algorithm>
#include <exception>
#include <mutex>
#include <thread>

namespace gauntlet {
namespace {

/// So many replicas are taken at once, and reported.
constexpr std::uint32_t kBatch = 8;

/// The replicas of one oracle, and who takes which.
class Replicas {
 public:
  Replicas(const Oracle& oracle, const MeasureOptions& options)
      : oracle_(oracle),
        options_(options),
        figures_(oracle.figures.size()),
        values_(std::size_t{options.replicas} * figures_) {}

  /// Until none is left.
  void work() noexcept {
    try {
      const OracleSampler sampler = oracle_.sampler();
      for (std::uint32_t first; (first = taken_.fetch_add(kBatch)) < options_.replicas;) {
        const std::uint32_t end = std::min(first + kBatch, options_.replicas);
        for (std::uint32_t replica = first; replica < end; ++replica) {
          if (options_.stop != nullptr && options_.stop->load()) return;
          sampler({.study = options_.seed, .replica = replica},
                  std::span(values_).subspan(replica * figures_, figures_));
        }
        report(end - first);
      }
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
      taken_ = options_.replicas;
    }
  }

  std::vector<Statistics> statistics() const {
    if (failure_) std::rethrow_exception(failure_);
    std::vector<Statistics> out;
    if (done_ < options_.replicas) return out;
    for (std::size_t figure = 0; figure < figures_; ++figure) {
      MetricStatistics of;
      of.reserve(options_.replicas);
      for (std::size_t i = figure; i < values_.size(); i += figures_) of.add(values_[i]);
      out.push_back(of.statistics());
    }
    return out;
  }

 private:
  void report(std::uint32_t count) {
    const std::lock_guard lock(mutex_);
    done_ += count;
    if (options_.progress) options_.progress(count, options_.replicas - done_);
  }

  const Oracle& oracle_;
  const MeasureOptions& options_;
  const std::size_t figures_;
  std::vector<Fraction> values_;  // by replica and figure: each is written by who runs it
  std::atomic<std::uint32_t> taken_ = 0;
  std::mutex mutex_;
  std::uint32_t done_ = 0;
  std::exception_ptr failure_;
};

}  // namespace

std::vector<Statistics> measure(const Oracle& oracle, const MeasureOptions& options) {
  Replicas replicas(oracle, options);
  {
    std::vector<std::jthread> others;
    const unsigned threads = std::min(options.threads, options.replicas);
    for (unsigned i = 1; i < threads; ++i)
      others.push_back(
          start_thread<std::jthread>({.number = i + 1, .wanted = threads}, [&] { replicas.work(); }));
    replicas.work();
  }
  return replicas.statistics();
}

std::vector<PolicyCheck> check(const Oracle& oracle, const MeasureOptions& options) {
  const std::vector<Statistics> measured = measure(oracle, options);
  std::vector<PolicyCheck> out;
  for (std::size_t i = 0; i < measured.size(); ++i) {
    const OracleFigure& figure = oracle.figures[i];
    out.push_back({.subject = oracle.name,
                   .conventions = oracle.conventions,
                   .figure = figure.what,
                   .unit = figure.unit,
                   .expected = figure.expected,
                   .source = figure.source,
                   .published = figure.published,
                   .replicas = options.replicas,
                   .measured = measured[i].mean,
                   .error = measured[i].se,
                   .bound = figure.bound,
                   .problem = {}});
  }
  return out;
}

}  // namespace gauntlet
