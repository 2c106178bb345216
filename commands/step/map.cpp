#include "commands/step/map.hpp"

#include "core/contract.hpp"
#include "core/infinity.hpp"
#include "report/units.hpp"
#include "report/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace gauntlet {
namespace {

constexpr std::uint32_t kColumns = 192;  // of one band of rows
constexpr std::uint32_t kCells = 8192;   // keeps the file below 2 MB
constexpr double kSameColour = 1e-4;     // shares of the step that differ by less look alike
constexpr double kWidth = 1056, kLeft = 76, kTop = 84, kAxis = 34, kGap = 14, kLegend = 64;

constexpr double kNumber = 40;  // a column's number has that much room
constexpr std::string_view kCulprit = " font-weight=\"600\" fill=\"#b42318\"";

struct Rgb {
  double red, green, blue;
};
constexpr std::array<Rgb, 3> kColours = {
    {{180, 35, 24}, {246, 196, 110}, {219, 233, 246}}};  // from least waiting

/// `share` from 0 (waits least) to 1.
std::string colour_of(double share) {
  const double at = std::clamp(share, 0.0, 1.0) * (kColours.size() - 1);
  const std::size_t below = std::min<std::size_t>(static_cast<std::size_t>(at), kColours.size() - 2);
  const double part = at - static_cast<double>(below);
  const auto mix = [&](double Rgb::*channel) {
    return static_cast<int>(kColours[below].*channel * (1 - part) + kColours[below + 1].*channel * part +
                            0.5);
  };
  return fmt::format("#{:02x}{:02x}{:02x}", mix(&Rgb::red), mix(&Rgb::green), mix(&Rgb::blue));
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else
      out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return out;
}

std::string range_text(const char* one, std::uint32_t first, std::uint32_t last) {
  return first == last ? fmt::format("{} {}", one, first) : fmt::format("{}s {}-{}", one, first, last);
}

/// The ranks of one stage in one or more neighbouring replicas.
struct Cell {
  std::uint32_t stage = 0, first_replica = 0, last_replica = 0;
  std::uint32_t first_rank = 0, last_rank = 0, first_host = 0, last_host = 0;
  double waiting = 0, longer = 0;  // shares of the step, of the rank that waits least
  bool culprit = false;
};

class Map {
 public:
  explicit Map(const StepPictures& pictures)
      : pictures_(pictures),
        layout_(pictures.layout),
        group_((layout_.pp * layout_.dp + kCells - 1) / kCells) {
    expect(pictures.waiting.size() == layout_.ranks() && pictures.healthy_waiting.size() == layout_.ranks(),
           "every rank waits or does not");
    const std::uint32_t columns = (layout_.dp + group_ - 1) / group_;
    per_band_ = std::min(columns, kColumns);
    bands_ = (columns + per_band_ - 1) / per_band_;
    cell_width_ = std::clamp((kWidth - kLeft - 20) / per_band_, 2.0, 40.0);
    cell_height_ = std::clamp(420.0 / (layout_.pp * bands_), 6.0, 26.0);
    for (std::uint32_t stage = 0; stage < layout_.pp; ++stage)
      for (std::uint32_t first = 0; first < layout_.dp; first += group_) cells_.push_back(cell(stage, first));
    for (const Cell& each : cells_) {
      least_ = std::min(least_, value(each));
      most_ = std::max(most_, value(each));
    }
  }

  std::string svg() {
    const double bottom = kTop + bands_ * band_height();
    out_ = fmt::format(
        "{} viewBox=\"0 0 {:.0f} {:.0f}\" width=\"{:.0f}\" height=\"{:.0f}\" font-family=\"system-ui, "
        "'DejaVu Sans', "
        "sans-serif\" font-size=\"12\" fill=\"#3e4c59\">\n<title>{}</title>\n<rect width=\"100%\" "
        "height=\"100%\" "
        "fill=\"#fff\"/>\n",
        kMapBegins, kWidth, bottom + kLegend, kWidth, bottom + kLegend, escaped(title()));
    words();
    for (const Cell& each : cells_) draw(each);
    mark();
    axes();
    legend(bottom + 14);
    return out_ + "</svg>\n";
  }

 private:
  double value(const Cell& cell) const { return pictures_.degraded ? cell.longer : cell.waiting; }
  double band_height() const { return kAxis + layout_.pp * cell_height_ + kGap; }

  Cell cell(std::uint32_t stage, std::uint32_t first) const {
    Cell out{
        .stage = stage, .first_replica = first, .last_replica = std::min(first + group_, layout_.dp) - 1};
    const std::uint32_t ranks = layout_.tp * layout_.cp;
    out.first_rank = layout_.rank({.tp = 0, .cp = 0, .dp = first, .pp = stage});
    out.last_rank = out.first_rank + ranks * (out.last_replica - first + 1) - 1;
    out.first_host = out.first_rank / pictures_.gpus_per_host;
    out.last_host = out.last_rank / pictures_.gpus_per_host;
    out.culprit = std::ranges::any_of(pictures_.culprits, [&](const RankRange& ranks) {
      return ranks.first <= out.last_rank && ranks.last >= out.first_rank;
    });
    out.waiting = out.longer = kInfinity;
    for (std::uint32_t rank = out.first_rank; rank <= out.last_rank; ++rank) {
      const double waits = pictures_.waiting[rank] / pictures_.step_seconds;
      out.waiting = std::min(out.waiting, waits);
      out.longer = std::min(out.longer, waits - pictures_.healthy_waiting[rank] / pictures_.step_seconds);
    }
    return out;
  }

  std::uint32_t column(const Cell& cell) const { return cell.first_replica / group_; }
  double x(const Cell& cell) const { return kLeft + column(cell) % per_band_ * cell_width_; }
  double y(std::uint32_t band, std::uint32_t stage) const {
    return kTop + band * band_height() + kAxis + stage * cell_height_;
  }
  double y(const Cell& cell) const { return y(column(cell) / per_band_, cell.stage); }

  void text(double at_x, double at_y, std::string_view anchor, std::string_view what,
            std::string_view style = "") {
    out_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\"{}>{}</text>\n", at_x, at_y,
                        anchor, style, escaped(what));
  }

  std::string title() const {
    if (!pictures_.degraded) return fmt::format("{}: who waits in a healthy step", pictures_.scenario);
    return fmt::format("{}{}: who waits longer than in a healthy step", pictures_.scenario,
                       pictures_.cause.empty() ? "" : " with " + pictures_.cause);
  }

  void words() {
    text(20, 28, "start", title(), " font-size=\"16\" font-weight=\"600\" fill=\"#1f2933\"");
    text(20, 48, "start",
         fmt::format(
             "{} GPUs. Rows: pipeline stages; columns: data-parallel replicas; a cell: {}; point at one for "
             "its numbers.",
             count_text(layout_.ranks()), counted(layout_.tp * layout_.cp * group_, "rank")));
    text(20, 66, "start",
         pictures_.degraded ? "Red: waits least beyond a healthy step; the others wait for it."
                            : "Red: waits least, and sets the pace.");
  }

  void draw(const Cell& cell) {
    const double range = most_ - least_;
    const double share = range > kSameColour ? (value(cell) - least_) / range : 1;
    out_ += fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\" data-host=\"{}\" "
        "data-value=\"{:.5f}\"><title>{}, stage {}, {}, {}: waits {:.1f}% of the step{}</title></rect>\n",
        x(cell), y(cell), cell_width_ - 0.5, cell_height_ - 0.5, colour_of(share), cell.first_host,
        value(cell), range_text("host", cell.first_host, cell.last_host), cell.stage,
        range_text("replica", cell.first_replica, cell.last_replica),
        range_text("rank", cell.first_rank, cell.last_rank), 100 * cell.waiting,
        pictures_.degraded ? fmt::format(", {:.1f}% {} than healthy", 100 * std::abs(cell.longer),
                                         cell.longer < 0 ? "less" : "more")
                           : "");
  }

  /// An outline around each culprit, and their name above the first.
  void mark() {
    bool named = false;
    for (const Cell& cell : cells_) {
      if (!cell.culprit) continue;
      out_ += fmt::format(
          "<rect class=\"culprit\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" "
          "fill=\"none\" "
          "stroke=\"#1f2933\" stroke-width=\"2\"/>\n",
          x(cell) - 1, y(cell) - 1, cell_width_ + 1.5, cell_height_ + 1.5);
      if (named) continue;
      named = true;
      const double middle = x(cell) + cell_width_ / 2;
      const char* anchor = middle < 200 ? "start" : middle > kWidth - 200 ? "end" : "middle";
      text(middle, y(column(cell) / per_band_, 0) - kAxis + 10, anchor, pictures_.cause, kCulprit);
    }
  }

  /// The numbers of the culprits' columns stand out, and those that would be too close to them are left out.
  void columns(std::uint32_t band) {
    const std::uint32_t all = (layout_.dp + group_ - 1) / group_, end = std::min((band + 1) * per_band_, all);
    const std::uint32_t apart = std::max(1u, static_cast<std::uint32_t>(kNumber / cell_width_ + 0.999));
    std::vector<std::uint32_t> shown;
    const auto add = [&](std::uint32_t c, std::string_view style) {
      for (const std::uint32_t other : shown)
        if ((std::max(c, other) - std::min(c, other)) * cell_width_ < kNumber - 8) return;
      shown.push_back(c);
      text(kLeft + (c % per_band_ + 0.5) * cell_width_, y(band, 0) - 5, "middle",
           fmt::format("{}", c * group_), style);
    };
    for (const Cell& cell : cells_)
      if (cell.culprit && column(cell) / per_band_ == band) add(column(cell), kCulprit);
    for (std::uint32_t c = band * per_band_; c < end; c += apart) add(c, "");
    text(kLeft - 8, y(band, 0) - 5, "end", "replica");
  }

  void rows(std::uint32_t band) {
    const std::uint32_t apart = std::max(1u, static_cast<std::uint32_t>(13 / cell_height_ + 0.999));
    for (std::uint32_t stage = 0; stage < layout_.pp; stage += apart)
      text(kLeft - 8, y(band, stage) + cell_height_ / 2 + 4, "end", fmt::format("stage {}", stage));
  }

  void axes() {
    for (std::uint32_t band = 0; band < bands_; ++band) {
      columns(band);
      rows(band);
    }
  }

  void legend(double top) {
    constexpr double kLength = 260;
    out_ += "<defs><linearGradient id=\"waits\">";
    for (std::size_t i = 0; i < kColours.size(); ++i)
      out_ += fmt::format("<stop offset=\"{:.2f}\" stop-color=\"{}\"/>",
                          static_cast<double>(i) / (kColours.size() - 1),
                          colour_of(static_cast<double>(i) / (kColours.size() - 1)));
    out_ += fmt::format(
        "</linearGradient></defs>\n<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"12\" "
        "fill=\"url(#waits)\"/>\n",
        kLeft, top, kLength);
    const char* form = pictures_.degraded ? "{:+.1f}%" : "{:.1f}%";
    text(kLeft, top + 28, "start", fmt::format(fmt::runtime(form), 100 * least_));
    text(kLeft + kLength, top + 28, "end", fmt::format(fmt::runtime(form), 100 * most_));
    text(kLeft + kLength + 12, top + 11, "start",
         pictures_.degraded ? "of the step: waiting for others, beyond that of a healthy step"
                            : "of the step: waiting for others");
  }

  const StepPictures& pictures_;
  const Layout& layout_;
  std::uint32_t group_;  // replicas of a cell
  std::uint32_t per_band_ = 1, bands_ = 1;
  double cell_width_ = 1, cell_height_ = 1;
  std::vector<Cell> cells_;
  double least_ = kInfinity, most_ = -kInfinity;
  std::string out_;
};

}  // namespace

std::string to_svg(const StepPictures& pictures) { return Map(pictures).svg(); }

}  // namespace gauntlet
