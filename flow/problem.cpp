#include "flow/problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

namespace gauntlet {
namespace {

constexpr std::string_view kFirstLine = "gauntlet-flow 1";
constexpr double kMostBytes = 1e18;  // SimGrid counts them in 64 bits

class Lines {
 public:
  explicit Lines(std::string_view text) : rest_(text) {}

  /// The next line's first word; nothing at the end of the text.
  std::optional<std::string_view> next() {
    if (rest_.empty()) return std::nullopt;
    ++number_;
    const std::size_t end = std::min(rest_.find('\n'), rest_.size());
    line_ = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    words_ = line_;
    return word();
  }
  std::string_view line() const { return line_; }
  bool more() const { return words_.find_first_not_of(' ') != std::string_view::npos; }

  std::string_view word() {
    const std::size_t begin = std::min(words_.find_first_not_of(' '), words_.size());
    const std::size_t end = std::min(words_.find(' ', begin), words_.size());
    const std::string_view out = words_.substr(begin, end - begin);
    words_.remove_prefix(end);
    return out;
  }

  double amount(const char* what) {
    const std::string_view text = word();
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value) || value < 0)
      fail(fmt::format("{} is \"{}\", not a number of at least 0", what, text));
    return value;
  }
  std::uint32_t number(const char* what) {
    const std::string_view text = word();
    std::uint32_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size())
      fail(fmt::format("{} is \"{}\", not a whole number", what, text));
    return value;
  }
  void over() {
    if (more()) fail(fmt::format("\"{}\" is one word too many", word()));
  }
  [[noreturn]] void fail(std::string why) const { throw FlowTextError{number_, std::move(why)}; }

 private:
  std::string_view rest_, line_, words_;
  std::size_t number_ = 0;
};

class ProblemReader {
 public:
  explicit ProblemReader(std::string_view text) : lines_(text) {}

  FlowProblem read() {
    lines_.next();
    if (lines_.line() != kFirstLine) lines_.fail(fmt::format("the first line is \"{}\"", kFirstLine));
    while (const auto word = lines_.next()) {
      if (*word == "end") {
        lines_.over();
        phase_ends();
        return std::move(problem_);
      }
      line(*word);
    }
    lines_.fail("the text stops before \"end\"");
  }

 private:
  void line(std::string_view word) {
    if (word == "link") {
      problem_.links.push_back({lines_.amount("a bandwidth"), lines_.amount("a latency")});
      if (problem_.links.back().bandwidth <= 0) lines_.fail("a link without bandwidth carries nothing");
    } else if (word == "phase") {
      phase_ends();
      problem_.phases.emplace_back();
    } else if (word == "flow") {
      phase().flows.push_back(transfer());
    } else if (word == "actor") {
      phase().actors.emplace_back();
    } else {
      instruction(word);
    }
    lines_.over();
  }

  void instruction(std::string_view word) {
    Instruction out;
    if (word == "compute") {
      out.seconds = lines_.amount("a time");
    } else if (word == "send") {
      out.kind = Instruction::Kind::send;
      out.number = lines_.number("a message");
      out.transfer = transfer();
      if (!sent_.insert(out.number).second) lines_.fail(fmt::format("message {} is sent twice", out.number));
    } else if (word == "receive") {
      out.kind = Instruction::Kind::receive;
      out.number = lines_.number("a message");
      if (!received_.insert(out.number).second)
        lines_.fail(fmt::format("message {} is received twice", out.number));
    } else if (word == "meet") {
      out.kind = Instruction::Kind::meet;
      out.number = lines_.number("a meeting");
    } else {
      lines_.fail(fmt::format("\"{}\" is not a word that begins a line", word));
    }
    if (phase().actors.empty()) lines_.fail("an instruction before any actor");
    phase().actors.back().push_back(std::move(out));
  }

  Transfer transfer() {
    Transfer out;
    out.bytes = lines_.amount("a size");
    if (out.bytes > kMostBytes) lines_.fail(fmt::format("a size is above {} bytes", kMostBytes));
    while (lines_.more()) {
      out.links.push_back(lines_.number("a link"));
      if (out.links.back() >= problem_.links.size())
        lines_.fail(fmt::format("there is no link {}: {} came before this line", out.links.back(),
                                problem_.links.size()));
    }
    if (out.links.empty()) lines_.fail("a transfer names no link");
    return out;
  }

  FlowPhase& phase() {
    if (problem_.phases.empty()) lines_.fail("something happens before the first phase");
    return problem_.phases.back();
  }

  void phase_ends() {
    for (const std::uint32_t message : received_)
      if (!sent_.contains(message))
        lines_.fail(fmt::format("message {} is received and never sent", message));
    sent_.clear();
    received_.clear();
  }

  Lines lines_;
  FlowProblem problem_;
  std::set<std::uint32_t> sent_, received_;  // in this phase
};

void append(std::string& to, const Transfer& transfer) {
  fmt::format_to(std::back_inserter(to), "{}", transfer.bytes);
  for (const std::uint32_t link : transfer.links) fmt::format_to(std::back_inserter(to), " {}", link);
  to += '\n';
}

void append(std::string& to, const Instruction& instruction) {
  const auto out = std::back_inserter(to);
  switch (instruction.kind) {
    case Instruction::Kind::compute:
      fmt::format_to(out, "compute {}\n", instruction.seconds);
      break;
    case Instruction::Kind::send:
      fmt::format_to(out, "send {} ", instruction.number);
      append(to, instruction.transfer);
      break;
    case Instruction::Kind::receive:
      fmt::format_to(out, "receive {}\n", instruction.number);
      break;
    case Instruction::Kind::meet:
      fmt::format_to(out, "meet {}\n", instruction.number);
      break;
  }
}

}  // namespace

std::string to_text(const FlowProblem& problem) {
  std::string out = fmt::format("{}\n", kFirstLine);
  for (const FlowLink& link : problem.links)
    fmt::format_to(std::back_inserter(out), "link {} {}\n", link.bandwidth, link.latency);
  for (const FlowPhase& phase : problem.phases) {
    out += "phase\n";
    for (const Transfer& flow : phase.flows) append(out += "flow ", flow);
    for (const Actor& actor : phase.actors) {
      out += "actor\n";
      for (const Instruction& instruction : actor) append(out, instruction);
    }
  }
  return out + "end\n";
}

std::string to_text(const std::vector<FlowTimes>& times) {
  std::string out;
  for (const FlowTimes& phase : times) {
    fmt::format_to(std::back_inserter(out), "phase {}", phase.all);
    for (const double seconds : phase.flows) fmt::format_to(std::back_inserter(out), " {}", seconds);
    for (const double seconds : phase.actors) fmt::format_to(std::back_inserter(out), " {}", seconds);
    out += '\n';
  }
  return out + "end\n";
}

FlowProblem parse_problem(std::string_view text) { return ProblemReader(text).read(); }

std::vector<FlowTimes> parse_answer(std::string_view text, const FlowProblem& problem) {
  Lines lines(text);
  std::vector<FlowTimes> out;
  for (const FlowPhase& phase : problem.phases) {
    if (lines.next() != "phase") lines.fail("a phase has no line");
    FlowTimes times{.all = lines.amount("a time"), .flows = {}, .actors = {}};
    for (std::size_t i = 0; i < phase.flows.size(); ++i) times.flows.push_back(lines.amount("a time"));
    for (std::size_t i = 0; i < phase.actors.size(); ++i) times.actors.push_back(lines.amount("a time"));
    lines.over();
    out.push_back(std::move(times));
  }
  if (lines.next() != "end") lines.fail("the text stops before \"end\"");
  return out;
}

}  // namespace gauntlet
