// A program that has the commands inside it (python/), in the place of a terminal.
//
// A command prints, complains, reports progress and asks whether to stop through terminal.hpp, interrupt.hpp and workbench.hpp.
// While its thread has a Caller, all of that goes to the Caller: nothing is written to the streams of the process, and its
// signals are left alone. The threads of an executor say nothing.
#pragma once

#include "core/problem.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace gauntlet {

class Store;

/// What a command answers, for people and for programs.
struct CommandAnswer {
  std::string_view report;         // plain text
  std::string_view coloured = {};  // the same for a terminal with colours; empty: `report`
  std::string_view json = {};
};

class Caller {
 public:
  virtual ~Caller() = default;

  /// The answer of a command that has text alone.
  virtual void print(std::string_view text) = 0;
  virtual void answer(const CommandAnswer& answer) = 0;
  /// What is said beside the answer, as it would reach standard error.
  virtual void say(std::string_view text) = 0;
  virtual void complain(std::string_view message) = 0;
  virtual void problems(std::span<const Problem> problems) = 0;
  virtual void warnings(std::span<const Problem> warnings) = 0;

  /// `done` more replicas, and `left` of those that were asked for last.
  virtual void progress(std::uint32_t done, std::uint64_t left) = 0;
  /// Set from any thread, it ends the study early: what is done is answered.
  virtual std::atomic<bool>& stop() = 0;
  /// The replicas of a study that is over and has no directory.
  virtual void keep(std::unique_ptr<Store> store) = 0;
};

/// The caller of the commands on this thread; null for the program `gauntlet`.
Caller* caller();

/// Makes `caller` that of this thread, as long as it lives.
class CalledBy {
 public:
  explicit CalledBy(Caller& caller);
  ~CalledBy();
  CalledBy(const CalledBy&) = delete;
  CalledBy& operator=(const CalledBy&) = delete;

 private:
  Caller* before_;
};

}  // namespace gauntlet
