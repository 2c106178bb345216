// The facts of a job, read from a planner's words: numbers with units and entries of the catalogue. What cannot be is refused.
#pragma once

#include "commands/new/known.hpp"
#include "core/currency.hpp"
#include "core/problem.hpp"
#include "core/time.hpp"
#include "models/hardware.hpp"
#include "models/workload.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gauntlet {

/// Failures that were counted.
struct CountedFailures {
  double count = 0;
  std::string over;         // "365d x 1024 hosts", as a scenario takes it
  double seconds = 0;       // for which the hosts were watched
  double host_seconds = 0;  // of all hosts together
  double per_host_second() const { return count / host_seconds; }
};

/// Texts are as given where a scenario takes the same words.
struct Facts {
  std::uint32_t gpus = 0, hosts = 0;
  std::string hardware_name;
  Hardware hardware;
  std::string model_name;  // empty: the step time is known
  Transformer model;       // of a known step time: what stands in for the model
  std::optional<std::string> step_time;
  std::optional<double> tokens;  // the work is one of these three
  std::optional<std::int64_t> steps;
  std::optional<std::string> window;
  std::optional<double> batch;  // tokens of one step
  std::optional<std::uint32_t> tp, pp;
  CountedFailures failures;
  std::optional<std::string> mix;  // a fault profile of the catalogue
  std::string checkpoint, restart, repair;
  std::optional<std::uint32_t> spares;
  std::optional<Price> gpu_hour;
};

struct FactsRead {
  std::optional<Facts> facts;               // there when nothing is wrong and nothing is missing
  std::vector<Problem> problems;            // what cannot be; the file of each is the option
  std::vector<const KnownOption*> missing;  // what is needed and was not given, in the order of known_options
};

/// Reads the words. Alternatives count as missing by the first of them: --model, --tokens.
FactsRead read_facts(const Known& known);

/// The catalogue's model that stands in where the step time is known and the model is not.
inline constexpr const char* kStandIn = "llama3-8b";

}  // namespace gauntlet
