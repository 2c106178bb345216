// What the words of a planner cannot be: each is refused with its option, its cause and a remedy.
#include "tests/commands/new/knowns.hpp"

#include <gmock/gmock.h>

namespace gauntlet {
namespace {

struct Refused {
  KnownWords words;  // over kMine
  std::string says;
};

TEST(Facts, ThatCannotBeAreRefused) {
  const std::vector<Refused> cases = {
      {{{"--gpus", "4100"}},
       "--gpus: \"4100\" is not a multiple of the 8 GPUs of one h100 host; write --gpus 4096 or 4104\n"},
      {{{"--gpus", "4"}}, "--gpus: \"4\" is not a multiple of the 8 GPUs of one h100 host; write --gpus 8\n"},
      {{{"--gpus", "many"}}, "--gpus: \"many\" is not a whole number; write for example --gpus 8\n"},
      {{{"--gpus", "512x8"}}, "--gpus: \"512x8\" is not a whole number; write --gpus 4096\n"},
      {{{"--gpus", "512x"}}, "--gpus: \"512x\" is not a whole number; write for example --gpus 8\n"},
      {{{"--gpus", "512x-8"}}, "--gpus: \"512x-8\" is not a whole number; write for example --gpus 8\n"},
      {{{"--gpus", "0"}}, "--gpus: \"0\" is not between 1 and 80000000\n"},
      {{{"--gpus", "99999999999999999999"}},
       "--gpus: \"99999999999999999999\" is not between 1 and 80000000\n"},
      {{{"--tp", "8"}, {"--pp", "3"}},
       "--gpus: \"4096\" is not divisible by --tp x --pp = 8 x 3 = 24; write --gpus 4080 or 4104\n"},
      {{{"--pp", "3"}}, "--gpus: \"4096\" is not divisible by --pp = 3; write --gpus 4080 or 4104\n"},
      {{{"--tp", "0"}}, "--tp: \"0\" is not between 1 and 1000000\n"},
      {{{"--hardware", "h10"}},
       "--hardware: \"h10\" is not in the catalogue's hardware; did you mean \"h100\"? known are "
       "\"a100-40g\", "
       "\"a100-80g\", \"h100\", \"h200\", \"h800\"\n"},
      {{{"--step-time", "5s"}},
       "--step-time: \"5s\" is given together with --model; leave one of them out\n"},
      {{{"--batch", "2048"}},
       "--batch: \"2048\" is less than one sequence of 8192 tokens, and counts tokens; write"},
      {{{"--batch", "1T"}}, "--batch: \"1T\" is more than 1e9 tokens in one step; write"},
      {{{"--model", ""}, {"--step-time", "0s"}, {"--batch", "4M"}},
       "--step-time: \"0s\" is not above zero; write for example --step-time 90s\n"},
      {{{"--steps", "100"}}, "--steps: \"100\" is given together with --tokens; leave one of them out\n"},
      {{{"--window", "30d"}}, "--window: \"30d\" is given together with --tokens; leave one of them out\n"},
      {{{"--tokens", "2X"}}, "--tokens: \"2X\" has an unknown unit; write for example --tokens 2T\n"},
      {{{"--tokens", "0"}}, "--tokens: \"0\" is not above zero; write for example --tokens 2T\n"},
      {{{"--tokens", "2000000T"}},
       "--tokens: \"2000000T\" is more than 1e18 tokens; write for example --tokens 2T\n"},
      {{{"--failures", "3285"}},
       "--failures: \"3285\" is not a count over days and hosts; write for example --failures '12 over 30d x "
       "128 hosts'\n"},
      {{{"--failures", "0 over 365d x 1024 hosts"}},
       "--failures: \"0 over 365d x 1024 hosts\" does not count any failure; write the count of a longer "
       "time; one that was "
       "nearly seen counts as 0.5\n"},
      {{{"--failures", "-3 over 365d x 1024 hosts"}},
       "--failures: \"-3 over 365d x 1024 hosts\" does not count any failure; write the count of a longer "
       "time; one that was "
       "nearly seen counts as 0.5\n"},
      {{{"--failures", "3 over 0d x 1024 hosts"}},
       "--failures: \"3 over 0d x 1024 hosts\" lasts no time; write for example \"54d x 2048 hosts\"\n"},
      {{{"--failures", "3 over 365d x 0 hosts"}},
       "--failures: \"3 over 365d x 0 hosts\" does not count components; write for example \"54d x 2048 "
       "hosts\"\n"},
      {{{"--failures", "3 over 365 x 1024 hosts"}},
       "--failures: \"3 over 365 x 1024 hosts\" has a duration that has no unit; write \"365d x 1024 "
       "hosts\"\n"},
      {{{"--failures", "3 over 365z x 1024 hosts"}},
       "--failures: \"3 over 365z x 1024 hosts\" has a duration that has the unknown unit \"z\"; known "
       "units"},
      {{{"--failures", "3 over 365d x 4 racks"}},
       "--failures: \"3 over 365d x 4 racks\" does not count hosts, GPUs or NICs; write for example "
       "--failures '12 over 30d x "
       "128 hosts'\n"},
      {{{"--failures", "3285 over 1d x 1024 hosts"}},
       "--failures: \"3285 over 1d x 1024 hosts\" cannot be: repairs of 12h each are 1642.5 days of hosts in "
       "repair, and the "
       "hosts were watched for 1024; correct the count, its days and hosts, or write a shorter --repair\n"},
      {{{"--mix", "lama3"}}, "--mix: \"lama3\" is not in the catalogue's faults; did you mean \"llama3\"?"},
      {{{"--mix", "greyhound-fail-slow"}},
       "which does not stop the job: a count of failures cannot be split by it; choose a "
       "profile of failures that stop a job, such as llama3\n"},
      {{{"--checkpoint", "90"}}, "--checkpoint: \"90\" has no unit; write \"90s\", \"90min\" or \"90h\"\n"},
      {{{"--checkpoint", "-3s"}}, "--checkpoint: \"-3s\""},
      {{{"--restart", "soon"}}, "--restart: \"soon\""},
      {{{"--repair", "0s"}}, "--repair: \"0s\" is not above zero; write for example --repair 90s\n"},
      {{{"--spares", "-1"}}, "--spares: \"-1\" is not between 0 and 10000000\n"},
      {{{"--gpu-hour", "2.10"}}, "--gpu-hour: \"2.10\" has no currency; write --gpu-hour 2.10USD\n"},
      {{{"--gpu-hour", "cheap"}},
       "--gpu-hour: \"cheap\" is not a price; write for example --gpu-hour 2.10USD\n"},
      {{{"--gpu-hour", "2USD/h"}},
       "--gpu-hour: \"2USD/h\" is not a price; write for example --gpu-hour 2.10USD\n"},
      {{{"--gpu-hour", "2Euro"}},
       "--gpu-hour: \"2Euro\" has the unknown currency \"Euro\"; write a code of ISO 4217, such as USD"},
      {{{"--gpu-hour", "-2USD"}}, "--gpu-hour: \"-2USD\" is not a price that can be paid; write for example"},
      {{{"--restart", "8min\nseed = 2"}},
       "--restart: has a character that is not plain text; write --restart TIME\n"},
      {{{"--restart", " "}}, "--restart: \" \" is empty; write --restart TIME\n"},
      {{{"--model", "llama3-405b"}, {"--gpus", "64"}},
       "--gpus: \"64\" are too few for llama3-405b: the smallest of "},
      {{{"--model", "llama3-405b"}, {"--tp", "1"}, {"--pp", "1"}},
       "for llama3-405b with --tp 1 --pp 1: the smallest of "},
      {{{"--tp", "3"}, {"--gpus", "4104"}},
       "--tp: no layout of llama3-70b on 4104 GPUs with --tp 3 divides its layers and heads; leave --tp and "
       "--pp out\n"},
  };
  for (const Refused& each : cases) {
    const Draft draft = draft_of(mine_with(each.words));
    EXPECT_FALSE(draft.text.has_value()) << each.says;
    EXPECT_THAT(lines_of(draft.problems), testing::HasSubstr(each.says));
    EXPECT_EQ(draft.problems.size(), 1U) << lines_of(draft.problems);
  }
}

TEST(Facts, ThatAreMissingAreNamedTogether) {
  EXPECT_EQ(lines_of(draft_of({}).problems),
            "--gpus: is missing\n--hardware: is missing\n--model: is missing\n--tokens: is "
            "missing\n--failures: is missing\n"
            "--checkpoint: is missing\n--restart: is missing\n--repair: is missing\n");
  for (const auto& [option, word] : kMine)
    EXPECT_EQ(lines_of(draft_of(mine_with({{option, ""}})).problems),
              option == "--gpu-hour" ? "" : std::string(option) + ": is missing\n");
  EXPECT_EQ(lines_of(draft_of(mine_with({{"--model", ""}, {"--step-time", "5s"}})).problems),
            "--batch: is missing\n");
}

}  // namespace
}  // namespace gauntlet
