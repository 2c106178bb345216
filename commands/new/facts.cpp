#include "commands/new/facts.hpp"

#include "commands/new/catalogue.hpp"
#include "config/fields/exposure.hpp"
#include "config/fields/scenario_parts.hpp"
#include "config/fields/tokens.hpp"
#include "config/toml/files.hpp"
#include "config/toml/nearest.hpp"
#include "core/quantity.hpp"
#include "core/text.hpp"
#include "study/option_problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <initializer_list>
#include <numeric>
#include <string_view>
#include <utility>

namespace gauntlet {
namespace {

constexpr std::int64_t kMostGpus = 8 * std::int64_t{kMostHosts};
constexpr std::int64_t kThousandGpus = 1024;  // as `gauntlet scale --gpus` has it: 16k are 16,384
constexpr std::int64_t kMostSteps = 1'000'000'000'000;

/// Letters, digits and signs of ASCII, which a comment of the scenario can hold as well.
bool is_plain(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~'; });
}

class FactsReader {
 public:
  explicit FactsReader(const Known& known) : known_(&known) {}
  FactsRead read();

 private:
  /// What is said of a word, trimmed; nothing where it was not given, or is not a text.
  std::optional<std::string> word(std::string_view option);
  void refuse(std::string_view option, std::string why, std::string suggestion);
  /// At most one of them is given, and one has to be where `needed`.
  void exclusive(std::initializer_list<std::string_view> options, bool needed);
  bool given(std::string_view option) const { return (known_->*known_option(option).word).has_value(); }

  /// `k`: what the letter k behind the number multiplies it by; 0: no letter is allowed.
  std::optional<std::int64_t> whole_number(std::string_view option, std::int64_t least, std::int64_t most,
                                           std::int64_t k = 0);
  std::optional<std::string> duration(std::string_view option, bool may_be_zero);
  std::optional<double> tokens(std::string_view option, const char* example);
  void read_size();
  void read_model();
  void read_work();
  void read_failures();
  void read_mix();
  void read_price();
  void check_size();
  void check_repairs();

  const Known* known_;
  FactsRead out_;
  Facts facts_;
};

std::optional<std::string> FactsReader::word(std::string_view option) {
  const Known::Word& given = known_->*known_option(option).word;
  if (!given) return {};
  const std::string_view text = trimmed(*given);
  const std::string example = fmt::format("write {} {}", option, known_option(option).value);
  if (text.empty()) {
    refuse(option, "is empty", example);
  } else if (!is_plain(text)) {
    refuse(option, "has a character that is not plain text", example);
  } else {
    return std::string(text);
  }
  return {};
}

void FactsReader::refuse(std::string_view option, std::string why, std::string suggestion) {
  const Known::Word& given = known_->*known_option(option).word;
  const std::string said = given && is_plain(*given) ? '"' + *given + '"' : std::string();
  out_.problems.push_back(option_problem(std::string(option), said, std::move(why), std::move(suggestion)));
}

void FactsReader::exclusive(std::initializer_list<std::string_view> options, bool needed) {
  std::string_view first;
  for (const std::string_view option : options) {
    if (!given(option)) continue;
    if (!first.empty())
      refuse(option, fmt::format("is given together with {}", first), "leave one of them out");
    else
      first = option;
  }
  if (needed && first.empty()) out_.missing.push_back(&known_option(*options.begin()));
}

/// 4096 of "512x8", which a reader may write for hosts and their GPUs.
std::optional<std::int64_t> product_of(std::string_view text) {
  const std::size_t times = text.find('x');
  if (times == std::string_view::npos) return std::nullopt;
  const auto factor = [](std::string_view part) {
    part = trimmed(part);
    std::int32_t value = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
    return error == std::errc{} && end == part.data() + part.size() ? std::optional(value) : std::nullopt;
  };
  const auto one = factor(text.substr(0, times)), other = factor(text.substr(times + 1));
  if (!one || !other) return std::nullopt;
  return std::int64_t{*one} * *other;
}

std::optional<std::int64_t> FactsReader::whole_number(std::string_view option, std::int64_t least,
                                                      std::int64_t most, std::int64_t k) {
  const auto text = word(option);
  if (!text) return {};
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
  const std::string_view rest(end, static_cast<std::size_t>(text->data() + text->size() - end));
  const bool thousands = k > 0 && (rest == "k" || rest == "K");
  if ((!rest.empty() && !thousands) || (error != std::errc{} && error != std::errc::result_out_of_range)) {
    const auto product = product_of(*text);
    refuse(option, "is not a whole number",
           product && *product >= least && *product <= most
               ? fmt::format("write {} {}", option, *product)
               : fmt::format("write for example {} {}", option, std::max<std::int64_t>(least, 8)));
    return {};
  }
  if (error == std::errc{} && thousands) value = value > most / k ? most + 1 : value * k;
  if (error == std::errc{} && value >= least && value <= most) return value;
  refuse(option, fmt::format("is not between {} and {}", least, most), "");
  return {};
}

std::optional<std::string> FactsReader::duration(std::string_view option, bool may_be_zero) {
  const auto text = word(option);
  if (!text) return {};
  const Parsed<Duration> parsed = parse_duration(*text);
  if (!parsed.value) {
    refuse(option, parsed.why, parsed.suggestion);
    return {};
  }
  if (may_be_zero ? *parsed.value >= Duration::zero() : *parsed.value > Duration::zero()) return text;
  refuse(option, may_be_zero ? "is below zero" : "is not above zero",
         fmt::format("write for example {} 90s", option));
  return {};
}

std::optional<double> FactsReader::tokens(std::string_view option, const char* example) {
  const auto text = word(option);
  if (!text) return {};
  const Parsed<double> parsed = parse_tokens(*text);
  constexpr double kMostTokens = 1e18;  // as config/ has it
  if (!parsed.value)
    refuse(option, parsed.why, fmt::format("write for example {} {}", option, example));
  else if (*parsed.value > kMostTokens)
    refuse(option, "is more than 1e18 tokens", fmt::format("write for example {} {}", option, example));
  else
    return parsed.value;
  return {};
}

void FactsReader::read_size() {
  if (const auto name = word("--hardware"))
    if (const auto found = find_hardware("--hardware", *name, out_.problems)) {
      facts_.hardware_name = *name;
      facts_.hardware = *found;
    }
  if (const auto gpus = whole_number("--gpus", 1, kMostGpus, kThousandGpus))
    facts_.gpus = static_cast<std::uint32_t>(*gpus);
  const auto small = [&](std::string_view option) -> std::optional<std::uint32_t> {
    const auto value = whole_number(option, 1, 1'000'000);
    return value ? std::optional(static_cast<std::uint32_t>(*value)) : std::nullopt;
  };
  facts_.tp = small("--tp");
  facts_.pp = small("--pp");
  if (const auto spares = whole_number("--spares", 0, kMostHosts))
    facts_.spares = static_cast<std::uint32_t>(*spares);
  check_size();
}

/// "4096 or 4104": the multiples of `part` around a number of GPUs.
std::string multiples_near(std::uint64_t gpus, std::uint64_t part) {
  const std::uint64_t below = gpus / part * part, above = below + part;
  return below == 0 ? fmt::format("write --gpus {}", above)
                    : fmt::format("write --gpus {} or {}", below, above);
}

void FactsReader::check_size() {
  if (facts_.gpus == 0 || facts_.hardware_name.empty()) return;
  const std::uint32_t per_host = facts_.hardware.gpus_per_host;
  facts_.hosts = facts_.gpus / per_host;
  if (facts_.gpus % per_host != 0)
    return refuse(
        "--gpus",
        fmt::format("is not a multiple of the {} GPUs of one {} host", per_host, facts_.hardware_name),
        multiples_near(facts_.gpus, per_host));
  const std::uint64_t ranks = std::uint64_t{facts_.tp.value_or(1)} * facts_.pp.value_or(1);
  if (facts_.gpus % ranks == 0) return;
  const std::string product = facts_.tp && facts_.pp
                                  ? fmt::format("--tp x --pp = {} x {} = {}", *facts_.tp, *facts_.pp, ranks)
                                  : fmt::format("{} = {}", facts_.tp ? "--tp" : "--pp", ranks);
  const std::uint64_t group = std::lcm(ranks, std::uint64_t{per_host});
  refuse("--gpus", fmt::format("is not divisible by {}", product), multiples_near(facts_.gpus, group));
}

void FactsReader::read_model() {
  exclusive({"--model", "--step-time"}, true);
  if (const auto time = duration("--step-time", false)) facts_.step_time = time;
  const auto name = word("--model");
  if (name) {
    if (const auto found = find_model("--model", *name, out_.problems)) {
      facts_.model_name = *name;
      facts_.model = *found;
    }
  } else if (facts_.step_time) {
    if (const auto found = find_model("--step-time", kStandIn, out_.problems)) facts_.model = *found;
  }
}

void FactsReader::read_work() {
  exclusive({"--tokens", "--steps", "--window"}, true);
  facts_.tokens = tokens("--tokens", "2T");
  facts_.steps = whole_number("--steps", 1, kMostSteps);
  if (const auto window = duration("--window", false)) facts_.window = window;
  facts_.batch = tokens("--batch", "16.8M");
  // The largest published batches have some ten million tokens.
  constexpr double kMostBatch = 1e9;
  if (facts_.batch && *facts_.batch > kMostBatch)
    refuse("--batch", "is more than 1e9 tokens in one step", "write for example --batch 16.8M");
  else if (facts_.batch && given("--model") && *facts_.batch < facts_.model.sequence)
    refuse("--batch",
           fmt::format("is less than one sequence of {} tokens, and counts tokens", facts_.model.sequence),
           "write for example --batch 16.8M");
  if (!given("--model") && given("--step-time") && given("--tokens") && !given("--batch"))
    out_.missing.push_back(&known_option("--batch"));
}

void FactsReader::read_failures() {
  const auto text = word("--failures");
  if (!text) return;
  const std::string example = "write for example --failures '12 over 30d x 128 hosts'";
  double count = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), count);
  constexpr std::string_view kOver = " over ";
  std::string_view rest(end, static_cast<std::size_t>(text->data() + text->size() - end));
  if (error != std::errc{} || !rest.starts_with(kOver))
    return refuse("--failures", "is not a count over days and hosts", example);
  if (!(count > 0 && count <= 1e18))
    return refuse("--failures", "does not count any failure",
                  "write the count of a longer time; one that was nearly seen counts as 0.5");
  rest = trimmed(rest.substr(kOver.size()));
  const Parsed<Exposure> over = parse_exposure(rest);
  if (!over.value) return refuse("--failures", over.why, over.suggestion);
  double per_host = 1;
  if (over.value->kind == ComponentKind::gpu)
    per_host = facts_.hardware.gpus_per_host;
  else if (over.value->kind == ComponentKind::nic)
    per_host = facts_.hardware.nics_per_host;
  else if (over.value->kind != ComponentKind::host)
    return refuse("--failures", "does not count hosts, GPUs or NICs", example);
  facts_.failures = {.count = count,
                     .over = std::string(rest),
                     .seconds = over.value->seconds,
                     .host_seconds = over.value->seconds * over.value->components / per_host};
}

void FactsReader::read_mix() {
  facts_.mix = word("--mix");
  if (!facts_.mix) return;
  const std::vector<std::string> known = catalogue_names("faults", {});
  if (std::ranges::find(known, *facts_.mix) == known.end())
    refuse("--mix", "is not in the catalogue's faults", suggest_names(*facts_.mix, known));
}

/// "2.10USD". The amount alone could be of any currency.
void FactsReader::read_price() {
  const auto text = word("--gpu-hour");
  if (!text) return;
  double amount = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), amount);
  const std::string_view code = trimmed({end, static_cast<std::size_t>(text->data() + text->size() - end)});
  const bool word_of_letters =
      std::ranges::all_of(code, [](char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); });
  if (error != std::errc{} || !word_of_letters)
    return refuse("--gpu-hour", "is not a price", "write for example --gpu-hour 2.10USD");
  if (code.empty())
    return refuse("--gpu-hour", "has no currency", fmt::format("write --gpu-hour {}USD", *text));
  if (!(amount >= 0 && amount <= kMostMoney.value))
    return refuse("--gpu-hour", "is not a price that can be paid", "write for example --gpu-hour 2.10USD");
  const Parsed<Price> price = parse_price(*text);
  if (!price.value) return refuse("--gpu-hour", price.why, price.suggestion);
  facts_.gpu_hour = *price.value;
}

/// Hosts in repair cannot fail: more failures than repairs that fit one after the other were never counted.
void FactsReader::check_repairs() {
  if (facts_.failures.count == 0 || facts_.repair.empty() || facts_.mix) return;
  const double repair = to_seconds(*parse_duration(facts_.repair).value);
  if (facts_.failures.count * repair < facts_.failures.host_seconds) return;
  constexpr double kDay = 86400;
  refuse(
      "--failures",
      fmt::format("cannot be: repairs of {} each are {:.6g} days of hosts in repair, and the hosts were "
                  "watched for {:.6g}",
                  facts_.repair, facts_.failures.count * repair / kDay, facts_.failures.host_seconds / kDay),
      "correct the count, its days and hosts, or write a shorter --repair");
}

FactsRead FactsReader::read() {
  read_size();
  read_model();
  read_work();
  read_failures();
  read_mix();
  if (const auto time = duration("--checkpoint", true)) facts_.checkpoint = *time;
  if (const auto time = duration("--restart", true)) facts_.restart = *time;
  if (const auto time = duration("--repair", false)) facts_.repair = *time;
  read_price();
  check_repairs();
  for (const std::string_view option :
       {"--gpus", "--hardware", "--failures", "--checkpoint", "--restart", "--repair"})
    if (!given(option)) out_.missing.push_back(&known_option(option));
  std::ranges::sort(out_.missing, {},
                    [](const KnownOption* option) { return option - known_options().data(); });
  if (out_.problems.empty() && out_.missing.empty()) out_.facts = std::move(facts_);
  return std::move(out_);
}

}  // namespace

FactsRead read_facts(const Known& known) { return FactsReader(known).read(); }

}  // namespace gauntlet
