// gauntlet validate: the models against what others measured.
#include "study/validate.hpp"

#include "cli/commands.hpp"
#include "cli/exit_code.hpp"
#include "cli/shell.hpp"
#include "cli/terminal.hpp"
#include "report/validation_text.hpp"

namespace gauntlet {

int validate_command(const ValidateRequest& request) {
  const Validated validated = validate_steps({.file = request.data, .fit = request.fit});
  if (!validated.result) {
    print_problems(validated.problems);
    return kWrongInput;
  }
  const StepValidation& result = *validated.result;
  std::string command = "gauntlet validate step";
  if (request.fit) command += " --fit";
  if (!request.data.empty()) command += " --data " + shell_word(request.data);
  const bool printed =
      print(request.json ? to_json(result)
                         : text_report(result, {.command = command, .colour = colour_of_output()}));
  return printed && result.holds() ? kSuccess : kFailed;
}

}  // namespace gauntlet
