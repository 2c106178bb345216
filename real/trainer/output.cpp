#include "real/trainer/output.hpp"

#include <cstdlib>
#include <exception>
#include <string_view>

namespace gauntlet {

RankOutput::RankOutput() {
  gauntlet_rank_open(&rank_);
  descriptor_ = rank_.socket;
  if (descriptor_ < 0 && std::getenv("GAUNTLET_RANK_SOCKET") != nullptr) end_without_reader();
}

RankOutput::~RankOutput() { gauntlet_rank_close(&rank_); }

/// The header hangs up where nobody reads any more.
void RankOutput::check_agent() const {
  if (descriptor_ >= 0 && rank_.socket < 0) end_without_reader();
}

void RankOutput::phase(const char* name) {
  const std::lock_guard lock(mutex_);
  gauntlet_rank_phase(&rank_, name);
  check_agent();
}

void RankOutput::up(std::int64_t step) {
  const std::lock_guard lock(mutex_);
  gauntlet_rank_resumed(&rank_, step);
  check_agent();
}

std::int64_t RankOutput::begin_step(std::int64_t step) {
  const std::lock_guard lock(mutex_);
  return gauntlet_rank_begin_step(&rank_, step);
}

void RankOutput::end_step(std::int64_t step, std::int64_t began_ns) {
  const std::lock_guard lock(mutex_);
  gauntlet_rank_end_step(&rank_, step, began_ns);
  check_agent();
}

void RankOutput::segment(const char* name, std::int64_t began_ns, std::int64_t waited_ns) {
  const std::lock_guard lock(mutex_);
  gauntlet_rank_segment(&rank_, name, began_ns + waited_ns);
}

void RankOutput::stall(std::int64_t step, std::int64_t began_ns) {
  const std::lock_guard lock(mutex_);
  gauntlet_rank_stall(&rank_, step, began_ns);
  check_agent();
}

void RankOutput::saved(std::int64_t step) {
  const std::lock_guard lock(mutex_);
  gauntlet_rank_saved(&rank_, step);
  check_agent();
}

void RankOutput::loss(std::int64_t step, double value) {
  const std::lock_guard lock(mutex_);
  gauntlet_rank_loss(&rank_, step, value);
  check_agent();
}

void RankOutput::log(const std::string& pattern, const std::string& text) {
  const std::lock_guard lock(mutex_);
  gauntlet_rank_log(&rank_, pattern.c_str(), text.c_str());
  check_agent();
}

void RankOutput::finished(std::int64_t step, std::uint64_t hash) {
  const std::lock_guard lock(mutex_);
  gauntlet_rank_finished(&rank_, step, hash);
  check_agent();
}

void RankOutput::sent(std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  gauntlet_rank_sent(&rank_, bytes);
}

void RankOutput::checkpoint_every(std::int64_t steps) {
  const std::lock_guard lock(mutex_);
  rank_.every = steps;
}

bool RankOutput::checkpoint_wanted(std::int64_t step) {
  const std::lock_guard lock(mutex_);
  const bool wanted = gauntlet_rank_checkpoint_wanted(&rank_, step) != 0;
  check_agent();
  return wanted;
}

bool RankOutput::stop_wanted() {
  const std::lock_guard lock(mutex_);
  const bool wanted = gauntlet_rank_stop_wanted(&rank_) != 0;
  check_agent();
  return wanted;
}

RankOutput::Collective::Collective(RankOutput& output, const char* kind, const char* group)
    : output_(output), kind_(kind), group_(group), exceptions_(std::uncaught_exceptions()) {
  const std::lock_guard lock(output_.mutex_);
  sequence_ = gauntlet_rank_enter(&output_.rank_, kind_, group_);
  output_.check_agent();
}

RankOutput::Collective::~Collective() {
  if (std::uncaught_exceptions() > exceptions_) return;
  const std::lock_guard lock(output_.mutex_);
  gauntlet_rank_leave(&output_.rank_, sequence_, kind_, group_);
}

// Without the destructors: another thread may be writing to a slow disk, and nothing here needs an orderly end.
void end_without_reader() { std::_Exit(kExitFailed); }

}  // namespace gauntlet
