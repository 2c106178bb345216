// Training steps that others measured and published, each with what the step model needs to predict it.
//
// The table is published.csv beside this file, a row per measured configuration; its first line names the columns. Left out
// are jobs of kinds that the model does not describe: weights sharded over data-parallel ranks (ZeRO-3, and OPT-175B's FSDP),
// expert-parallel groups wider than the data-parallel ones, and other accelerators than GPUs.
#pragma once

#include "core/layout.hpp"
#include "core/problem.hpp"
#include "core/quantity.hpp"
#include "models/workload.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gauntlet {

/// What a published figure is.
enum class FigureUnit : std::uint8_t {
  seconds,  // of one step
  tflops,   // 1e12 FLOP/s per GPU
  mfu,      // percent of the 16-bit peak rate
};

/// What a row was to the constants of its stack.
enum class RowUse : std::uint8_t {
  fitted,    // they were fitted on it
  held_out,  // they were not: what the model says of it is a prediction
  left_out,  // it was to be fitted on and was taken out, because it is far off: neither a fit nor a prediction
};

struct PublishedStep {
  std::string id;
  std::string address;
  std::string stack;  // whose constants predict it (calibration.hpp)
  RowUse use = RowUse::held_out;
  std::string bound;                // the bound on errors that it counts for; empty: none
  std::string family;               // rows that differ in their micro-batches alone; empty: none
  std::string hardware;             // the catalogue's name
  std::uint32_t nics_per_host = 0;  // zero: the catalogue's
  Bandwidth nic;                    // zero: the catalogue's
  Transformer model;
  Training training;
  Layout layout;                   // virtual_stages 0: not published
  std::uint32_t global_batch = 0;  // sequences
  std::uint32_t micro_batch = 0;   // sequences; 0: not published
  double value = 0;
  FigureUnit unit = FigureUnit::seconds;
  FlopCount count = FlopCount::whole;
  std::string caution;  // why our figure may be far off, as far as that is known; empty: no reason is
};

struct PublishedTable {
  std::vector<PublishedStep> rows;
  std::vector<Problem> problems;  // every mistake, by line; its rows are left out
};

/// Reads a table; `file` stands for it in messages. Never throws for bad input.
PublishedTable parse_published(std::string_view csv, const std::string& file);

/// published.csv, as bytes of the program (models/CMakeLists.txt).
std::string_view published_csv();

}  // namespace gauntlet
