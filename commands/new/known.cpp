#include "commands/new/known.hpp"

#include "core/contract.hpp"

#include <algorithm>
#include <array>

namespace gauntlet {
namespace {

constexpr std::array<KnownOption, 17> kOptions = {{
    {"--gpus", &Known::gpus, "N", "GPUs that train the job, without the spares; 4k is 4096",
     "How many GPUs train the job, without the spares? (4096)"},
    {"--hardware", &Known::hardware, "NAME", "Host type: a name that `gauntlet list hardware` has",
     "Which hosts? (a name of `gauntlet list hardware`: h100)"},
    {"--model", &Known::model, "NAME",
     "Model: a name that `gauntlet list models` has; its step time comes from the step model",
     "Which model? (a name of `gauntlet list models`: llama3-70b; empty: you know the step time)"},
    {"--step-time", &Known::step_time, "TIME", "Measured time of a healthy step, in place of --model",
     "How long does a healthy step take? (5.2s)"},
    {"--tokens", &Known::tokens, "N", "Work: tokens to train on, such as 2T",
     "How many tokens does the job train on? (2T; empty: you know the steps or the days)"},
    {"--steps", &Known::steps, "N", "Training steps, in place of --tokens",
     "How many steps does the job train? (120000; empty: you know the days)"},
    {"--window", &Known::window, "TIME",
     "Wall time to simulate, such as 30d, in place of --tokens and --steps",
     "Which length of wall time do you want to look at? (30d)"},
    {"--batch", &Known::batch, "TOKENS",
     "Tokens of one step (default: 16.8M, the batch of Llama 3 405B). Required if both --step-time and "
     "--tokens are given",
     "How many tokens does one step train on? (16.8M)"},
    {"--tp", &Known::tp, "N", "Tensor-parallel ranks (default: the fastest layout by the step model)", ""},
    {"--pp", &Known::pp, "N", "Pipeline stages (default: the fastest layout by the step model)", ""},
    {"--failures", &Known::failures, "COUNT",
     "Failures that stopped a job, and over how many hosts and days they were counted: '12 over 30d x 128 "
     "hosts'",
     "How many failures were counted, over how many days and hosts? (12 over 30d x 128 hosts)"},
    {"--mix", &Known::mix, "PROFILE",
     "Split the failures by cause, in the proportions of a catalogue profile such as llama3 (default: all "
     "one "
     "kind)",
     ""},
    {"--checkpoint", &Known::checkpoint, "TIME", "Time for which one checkpoint blocks training",
     "For how long does one checkpoint block training? (90s)"},
    {"--restart", &Known::restart, "TIME",
     "Time from the order to restart until the job trains again, loading the checkpoint included",
     "How long does a restart take, loading the checkpoint included? (8min)"},
    {"--repair", &Known::repair, "TIME", "Time until a failed host is back from repair",
     "How long is a failed host in repair? (12h)"},
    {"--spares", &Known::spares, "N",
     "Spare hosts (default: at any one moment enough to replace all hosts in repair, with a probability of "
     "99%)",
     "How many spare hosts stand by? (8; empty: as many as the repairs need)"},
    {"--gpu-hour", &Known::gpu_hour, "PRICE",
     "Price of a GPU for an hour, such as 2.10USD (default: no cost)",
     "What does a GPU cost for an hour? (2.10USD; empty: no cost)"},
}};

}  // namespace

std::span<const KnownOption> known_options() { return kOptions; }

const KnownOption& known_option(std::string_view name) {
  const auto found = std::ranges::find(kOptions, name, &KnownOption::name);
  expect(found != kOptions.end(), "an option of this table");
  return *found;
}

}  // namespace gauntlet
