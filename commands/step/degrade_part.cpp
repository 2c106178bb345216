#include "commands/step/degrade_part.hpp"

#include "config/toml/nearest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>
#include <system_error>
#include <vector>

namespace gauntlet {
namespace {

constexpr double kMostTimesAsLong = 1000;  // beyond that a part is broken, not slow
constexpr Duration kLongestStall = std::chrono::hours(24);

/// One word of a path: "host:17" or "slow".
struct Word {
  std::string name;
  std::optional<std::string> index;
};

std::vector<Word> words_of(std::string_view path) {
  std::vector<Word> words;
  for (std::size_t from = 0; from <= path.size();) {
    const std::size_t end = std::min(path.find('.', from), path.size());
    const std::string_view word = path.substr(from, end - from);
    const std::size_t colon = word.find(':');
    words.push_back({std::string(word.substr(0, colon)), std::nullopt});
    if (colon != std::string_view::npos) words.back().index = std::string(word.substr(colon + 1));
    from = end + 1;
  }
  return words;
}

template <class Number>
std::optional<Number> number_in(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// Reads from the left; every function that returns false or nothing has said what is wrong.
class PartReader {
 public:
  PartReader(const std::string& said, const Components& components) : components_(components) {
    part_.shown.said = said;
    const std::size_t equals = said.find('=');
    words_ = words_of(std::string_view(said).substr(0, equals));
    if (equals != std::string::npos) value_ = said.substr(equals + 1);
  }

  ReadPart read() {
    if (component()) return {.part = std::move(part_), .problem = {}};
    return {.part = std::nullopt, .problem = std::move(problem_)};
  }

 private:
  bool wrong(std::string why, std::string suggestion) {
    problem_ = {.file = "--degrade",
                .what = part_.shown.said,
                .why = std::move(why),
                .suggestion = std::move(suggestion)};
    return false;
  }

  // --- words

  bool more() const { return next_ < words_.size(); }

  /// The next word, which must be one of these.
  const Word* take(const std::vector<std::string>& known) {
    const std::string after = next_ == 0 ? "" : fmt::format(" after \"{}\"", words_[next_ - 1].name);
    const std::string name = more() ? words_[next_].name : "";
    if (name.empty())
      wrong(fmt::format("names nothing{}", after), suggest_names("", known));
    else if (std::find(known.begin(), known.end(), name) == known.end())
      wrong(fmt::format("has \"{}\"{}", name, after), suggest_names(name, known));
    else
      return &words_[next_++];
    return nullptr;
  }

  bool plain(const Word& word) {
    return !word.index || wrong(fmt::format("has a number after \"{}\"", word.name), "leave it out");
  }

  /// `of`: " of a host"
  std::optional<std::uint32_t> index_of(const Word& word, std::uint32_t count, std::string_view of) {
    const std::string range = fmt::format("{}s{} are 0 to {}", word.name, of, count - 1);
    const std::optional<std::uint32_t> index = number_in<std::uint32_t>(word.index.value_or(""));
    if (!word.index)
      wrong(fmt::format("does not say which {}", word.name), fmt::format("{}: write {}:0", range, word.name));
    else if (!index)
      wrong(fmt::format("has \"{}\", which is the number of no {}", *word.index, word.name), range);
    else if (*index >= count)
      wrong(fmt::format("names {} {} of {}", word.name, *index, count), range);
    else
      return index;
    return std::nullopt;
  }

  bool nothing_more() {
    if (more()) return wrong(fmt::format("has \"{}\" too many", words_[next_].name), "leave it out");
    return !value_.empty() || wrong("has no value", "write =1.10 of a factor, =2s of a stall");
  }

  // --- components

  bool component() {
    const Word* first = take({"host", "tor", "aggregation", "spine", "jitter"});
    if (first == nullptr) return false;
    if (first->name == "jitter") return jitter(*first);
    return first->name == "host" ? host(*first) : network_switch(*first);
  }

  bool jitter(const Word& word) {
    if (!plain(word) || !nothing_more()) return false;
    const std::optional<double> deviation = number_in<double>(value_);
    if (!deviation || !(*deviation > 0) || !(*deviation < 1))
      return wrong("is not a relative standard deviation", "write a number above 0 and below 1: jitter=0.02");
    part_.shown.kind = DegradationKind::jitter;
    part_.shown.value = *deviation;
    return true;
  }

  bool host(const Word& word) {
    const std::optional<std::uint32_t> number = number_in<std::uint32_t>(word.index.value_or(""));
    if (number && *number >= components_.hosts && *number - components_.hosts < components_.spares)
      return wrong(fmt::format("names host {}, a spare", *number),
                   fmt::format("the job's hosts are 0 to {}", components_.hosts - 1));
    const std::optional<std::uint32_t> slot = index_of(word, components_.hosts, "");
    if (!slot) return false;
    part_.slot = *slot;
    part_.shown.component = fmt::format("host {}", *slot);
    const Word* what = take({"slow", "stall", "gpu", "nic"});
    if (what == nullptr) return false;
    if (what->name == "nic") return nic(*what);
    return what->name == "gpu" ? gpu(*what) : work(*what);
  }

  bool gpu(const Word& word) {
    const std::optional<std::uint32_t> index = index_of(word, components_.gpus_per_host, " of a host");
    if (!index) return false;
    part_.gpu = *index;
    part_.shown.component = fmt::format("GPU {} of host {}", *index, part_.slot);
    const Word* what = take({"slow", "stall"});
    return what != nullptr && work(*what);
  }

  /// Of a host or a GPU.
  bool work(const Word& what) {
    if (!plain(what)) return false;
    if (what.name == "stall") return stall();
    part_.shown.kind = DegradationKind::slow;
    if (more()) {
      const Word* segment = take({"forward", "backward", "optimizer"});
      if (segment == nullptr || !plain(*segment)) return false;
      part_.shown.segment = segment->name;
    }
    return nothing_more() && factor("1.10 takes 10% longer");
  }

  bool stall() {
    if (!nothing_more()) return false;
    const Parsed<Duration> time = parse_duration(value_);
    if (!time.value && time.why == "has no unit")  // a stall of hours is none
      return wrong(time.why, fmt::format("write \"{0}s\" or \"{0}ms\"", value_));
    if (!time.value) return wrong(time.why, time.suggestion);
    if (*time.value <= Duration::zero() || *time.value > kLongestStall)
      return wrong("is not a stall within a step",
                   fmt::format("write more than 0s and at most {}", to_text(kLongestStall)));
    part_.shown.kind = DegradationKind::stall;
    part_.shown.value = to_seconds(*time.value);
    return true;
  }

  bool nic(const Word& word) {
    part_.shown.component = fmt::format("every NIC of host {}", part_.slot);
    if (word.index) {
      const std::optional<std::uint32_t> index = index_of(word, components_.nics_per_host, " of a host");
      if (!index) return false;
      part_.nic = *index;
      part_.shown.component = fmt::format("NIC {} of host {}", *index, part_.slot);
    }
    return degrade();
  }

  bool network_switch(const Word& word) {
    if (!components_.switches)
      return wrong("is a switch, and the network's closed form has none",
                   "choose --network max-min or --network simgrid");
    part_.level = word.name == "tor"           ? SwitchKind::tor
                  : word.name == "aggregation" ? SwitchKind::aggregation
                                               : SwitchKind::spine;
    const std::uint32_t count = components_.switches(*part_.level);
    if (count == 0)
      return wrong(fmt::format("names a {} switch, and this cluster has none", word.name),
                   "gauntlet topology SCENARIO says what it has");
    const std::optional<std::uint32_t> index = index_of(word, count, "");
    if (!index) return false;
    part_.index = *index;
    part_.shown.component =
        fmt::format("{} switch {}", part_.level == SwitchKind::tor ? "ToR" : word.name, *index);
    return degrade();
  }

  bool degrade() {
    const Word* what = take({"degrade"});
    if (what == nullptr || !plain(*what) || !nothing_more()) return false;
    part_.shown.kind = DegradationKind::degrade;
    if (value_ == "lost") {
      if (part_.level) return wrong("is a switch, and only a NIC can be lost", "write a factor: 1000");
      part_.shown.value = kLost;
      return true;
    }
    return factor("4 leaves a quarter of the bandwidth");
  }

  // --- values

  bool factor(std::string_view example) {
    const std::string usage = fmt::format("write a factor from 1 to {:g}: {}", kMostTimesAsLong, example);
    const std::optional<double> value = number_in<double>(value_);
    if (!value && value_.ends_with('%')) {
      const auto more_percent = number_in<double>(std::string_view(value_).substr(0, value_.size() - 1));
      if (more_percent && *more_percent >= 0 && *more_percent <= 100)
        return wrong("is a percentage", fmt::format("the factor is {:g}", 1 + *more_percent / 100));
    }
    if (!value) return wrong(fmt::format("has \"{}\", which is not a plain number", value_), usage);
    if (*value < 1) return wrong("is better than healthy", usage);
    if (!(*value <= kMostTimesAsLong)) return wrong("is not a slow part but a broken one", usage);
    part_.shown.value = *value;
    return true;
  }

  const Components& components_;
  DegradedPart part_;
  Problem problem_;
  std::vector<Word> words_;
  std::size_t next_ = 0;
  std::string value_;
};

}  // namespace

ReadPart read_part(const std::string& said, const Components& components) {
  return PartReader(said, components).read();
}

}  // namespace gauntlet
