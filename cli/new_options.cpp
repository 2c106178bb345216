// The options of `gauntlet new`.
#include "cli/options.hpp"

#include <CLI/CLI.hpp>

#include <string>

namespace gauntlet {

void add_new(CLI::App& app, NewRequest& request, int& exit_code) {
  CLI::App* command =
      add(app, "new", "Write a commented scenario from what you know; at a terminal, ask for what is missing",
          "  gauntlet new --out mine.toml\n"
          "  gauntlet new --gpus 4096 --hardware h100 --model llama3-70b --tokens 2T \\\n"
          "      --failures '3285 over 365d x 1024 hosts' --repair 12h --checkpoint 90s --restart 8min \\\n"
          "      --gpu-hour 2.10USD --out mine.toml && gauntlet run mine.toml\n"
          "  gauntlet new --gpus 512 --hardware a100-80g --step-time 4.7s --steps 200000 --mix llama3 \\\n"
          "      --failures '60 over 90d x 128 hosts' --repair 1d --checkpoint 40s --restart 5min");
  for (const KnownOption& option : known_options())
    command->add_option(std::string(option.name), request.known.*option.word, std::string(option.meaning))
        ->type_name(std::string(option.value));
  CLI::Option* out =
      command->add_option("--out", request.out, "The file to write, .toml (default: - for standard output)")
          ->type_name("FILE");
  command->add_flag("--force", request.force, "Replace a scenario that `gauntlet new` wrote")->needs(out);
  command->callback([&] { exit_code = new_command(request); });
}

}  // namespace gauntlet
