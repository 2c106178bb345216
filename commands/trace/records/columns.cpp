#include "commands/trace/records/columns.hpp"

#include "commands/trace/records/records.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <span>
#include <string_view>

namespace gauntlet::detail {
namespace {

constexpr std::array<std::string_view, 6> kLanlCauses = {"Facilities", "Hardware",     "Human Error",
                                                         "Network",    "Undetermined", "Software"};
/// What LANL's file has beside what is read: the machine and its use.
constexpr std::array<std::string_view, 15> kLanlOthers = {
    "machine type", "procstot",     "procsinnode", "nodenumz",   "node install",
    "node prod",    "node decom",   "fru type",    "mem",        "cputype",
    "memtype",      "num intercon", "purpose",     "Same Event", "nodes"};
constexpr std::string_view kLanlStart = "Prob Started";

class Header {
 public:
  Header(const std::vector<std::string>& names, const std::string& file, std::uint32_t line,
         std::vector<Problem>& problems)
      : names_(names), known_(names.size()), file_(file), line_(line), problems_(&problems) {
    for (std::size_t i = 0; i < names.size(); ++i)
      if (!names[i].empty() && std::find(names.begin(), names.begin() + static_cast<long>(i), names[i]) !=
                                   names.begin() + static_cast<long>(i))
        mistake("names the column \"" + names[i] + "\" twice", "rename one of them");
  }

  std::optional<std::size_t> find(std::string_view name) {
    const auto at = std::ranges::find(names_, name);
    if (at == names_.end()) return std::nullopt;
    const auto index = static_cast<std::size_t>(at - names_.begin());
    known_[index] = true;
    return index;
  }

  std::size_t need(std::string_view name) {
    const auto found = find(name);
    if (!found) missing_.emplace_back(name);
    return found.value_or(0);
  }

  std::vector<std::string> unread() const {
    std::vector<std::string> out;
    for (std::size_t i = 0; i < names_.size(); ++i)
      if (!known_[i]) out.push_back(names_[i]);
    return out;
  }

  /// Whether nothing is wrong; says what is.
  bool sound(std::string_view format) {
    if (!missing_.empty()) {
      mistake("has no column " + list(missing_), "the columns of the format " + std::string(format) +
                                                     " are found by name; this line names " + list(names_));
    }
    return good_;
  }

 private:
  static std::string list(std::span<const std::string> names) {
    std::string out;
    for (const std::string& name : names) out += (out.empty() ? "\"" : ", \"") + name + "\"";
    return out;
  }
  void mistake(std::string why, std::string suggestion) {
    good_ = false;
    problems_->push_back({.file = file_,
                          .line = line_,
                          .column = 1,
                          .what = "the first line",
                          .why = std::move(why),
                          .suggestion = std::move(suggestion)});
  }

  const std::vector<std::string>& names_;
  std::vector<bool> known_;
  std::vector<std::string> missing_;
  std::string file_;
  std::uint32_t line_;
  std::vector<Problem>* problems_;
  bool good_ = true;
};

}  // namespace

std::optional<TraceColumns> find_columns(const std::vector<std::string>& names, TraceFormat format,
                                         const std::string& file, std::uint32_t line,
                                         std::vector<Problem>& problems) {
  Header header(names, file, line, problems);
  TraceColumns out;
  out.format = format;
  out.count = names.size();
  if (format == TraceFormat::detect)
    out.format = header.find(kLanlStart) ? TraceFormat::lanl : TraceFormat::csv;
  if (out.format == TraceFormat::lanl) {
    out.start = header.need(kLanlStart);
    out.end = header.need("Prob Fixed");
    out.node = header.need("nodenum");
    out.system = header.need("System");
    out.nodes = header.find("nodes");
    out.down_time = header.find("Down Time");
    for (const std::string_view cause : kLanlCauses)
      out.cause_columns.emplace_back(header.need(cause), cause_name(cause));
    for (const std::string_view other : kLanlOthers) header.find(other);
  } else {
    out.start = header.need("start");
    out.end = header.need("end");
    out.node = header.need("node");
    out.cause = header.need("cause");
    out.system = header.find("system");
  }
  out.unread = header.unread();
  if (!header.sound(out.format == TraceFormat::lanl ? "lanl" : "csv")) return std::nullopt;
  return out;
}

}  // namespace gauntlet::detail
