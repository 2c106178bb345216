// gauntlet explain: what a word of a report, a scenario or a result means.
#include "commands/explain/command.hpp"

#include "commands/explain/explain.hpp"
#include "commands/explain/text.hpp"
#include "shell/exit_code.hpp"
#include "shell/study_request.hpp"
#include "shell/terminal.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>

namespace gauntlet {
namespace {

struct ExplainRequest {
  std::vector<std::string> words;  // of one name: "false alarms"
  bool json = false;
  bool reference = false;
};

int explain_command(const ExplainRequest& request) {
  std::vector<Word> words = all_words();
  if (request.reference) return print(reference_page(words)) ? kSuccess : kFailed;
  const std::string given = fmt::format("{}", fmt::join(request.words, " "));
  if (!given.empty()) {
    std::vector<Word> found = find_words(words, given);
    if (found.empty()) {
      complain(fmt::format("\"{}\" is not a word of a report, a scenario or a result; {}", given,
                           suggestion_for(words, given)));
      return kWrongInput;
    }
    words = std::move(found);
  }
  if (request.json) return print(to_json(words)) ? kSuccess : kFailed;
  return print(given.empty() ? list_of(words) : text_of(words)) ? kSuccess : kFailed;
}

void add_explain_options(Command& explain) {
  const auto request = std::make_shared<ExplainRequest>();
  explain
      .value(
          "word", request->words,
          "A report label, metric, phase, cause, scenario key, policy, fault model, signal or distribution "
          "(default: list them all)")
      .type_name("WORD");
  add_json(explain, request->json);
  explain.flag("--reference", request->reference, "Print every explanation as Markdown: docs/reference.md");
  explain.runs([request] { return explain_command(*request); });
}

}  // namespace

void add_explain(Program& program) {
  program.command("explain", "Explain a word of a report, a scenario or a result",
                  "  gauntlet explain MTTF\n"
                  "  gauntlet explain checkpoint.interval\n"
                  "  gauntlet explain detection latency",
                  add_explain_options);
}

}  // namespace gauntlet
