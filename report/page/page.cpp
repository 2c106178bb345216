#include "report/page/page.hpp"

#include "report/page/assets.hpp"
#include "report/page/chart_json.hpp"
#include "report/page/html.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

namespace gauntlet {
namespace {

using Json = nlohmann::ordered_json;

/// As escaped(), with what stands in `backquotes` as code, and "+-" as one sign.
std::string marked_up(std::string_view with_ascii) {
  const std::string text = replaced(std::string(with_ascii), " +- ", " ± ");
  std::string out;
  bool code = false;
  const bool paired = std::ranges::count(text, '`') % 2 == 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t next = std::min(text.find('`', at), text.size());
    out += escaped(std::string_view(text).substr(at, next - at));
    if (next < text.size()) {
      out += !paired ? "`" : code ? "</code>" : "<code>";
      code = !code;
    }
    at = next + 1;
  }
  return out;
}

bool is_number(std::string_view cell) {
  return !cell.empty() && cell.find_first_of("0123456789-") != std::string_view::npos &&
         cell.find_first_not_of("0123456789.,+-%x ") == std::string_view::npos;
}

/// Writes the blocks of a page, and gathers its charts.
class Writer {
 public:
  void operator()(const Paragraph& words) { html_ += fmt::format("<p>{}</p>\n", marked_up(words.text)); }
  void operator()(const FactList& all) {
    html_ += "<dl class=\"facts\">\n";
    for (const Fact& fact : all.facts) {
      html_ += fmt::format("<div><dt>{}</dt><dd>{}", marked_up(fact.name), marked_up(fact.value));
      if (!fact.note.empty()) html_ += fmt::format(" <small>{}</small>", marked_up(fact.note));
      html_ += "</dd></div>\n";
    }
    html_ += "</dl>\n";
  }
  void operator()(const PageTable& table) {
    if (table.folded)
      html_ += fmt::format("<details class=\"more\"><summary>{}</summary>\n", escaped(table.title));
    html_ += fmt::format("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{}\"><table>\n",
                         escaped(table.title));
    if (!table.folded && !table.title.empty())
      html_ += fmt::format("<caption>{}</caption>\n", escaped(table.title));
    html_ += "<thead><tr>";
    for (const std::string& name : table.header)
      html_ += fmt::format("<th scope=\"col\">{}</th>", marked_up(name));
    html_ += "</tr></thead>\n<tbody>\n";
    for (const std::vector<std::string>& row : table.rows) {
      html_ += "<tr>";
      for (const std::string& cell : row)
        html_ += fmt::format("<td{}>{}</td>", is_number(cell) ? " class=\"number\"" : "", marked_up(cell));
      html_ += "</tr>\n";
    }
    html_ += table.folded ? "</tbody></table></div></details>\n" : "</tbody></table></div>\n";
  }
  void operator()(const Verbatim& listing) {
    const std::string text = fmt::format("<pre tabindex=\"0\"{}>{}</pre>\n",
                                         listing.wraps ? " class=\"prose\"" : "", escaped(listing.text));
    html_ += listing.title.empty()
                 ? text
                 : fmt::format("<details class=\"more\"><summary>{}</summary>\n{}</details>\n",
                               escaped(listing.title), text);
  }
  void operator()(const Chart& chart) {
    const std::string title = std::visit([](const auto& each) { return each.title; }, chart);
    html_ += fmt::format("<figure class=\"chart\" data-chart=\"{}\"><figcaption>{}</figcaption></figure>\n",
                         charts_.size(), escaped(title));
    charts_.push_back(chart_json(chart));
  }
  void add(const Block& block) { std::visit(*this, block); }

  const std::string& html() const { return html_; }
  const Json& charts() const { return charts_; }

 private:
  std::string html_;
  Json charts_ = Json::array();
};

/// The half-width of an interval in small letters.
std::string figure_html(const std::string& value) {
  const std::size_t sign = value.find(" ± ");
  if (sign == std::string::npos) return escaped(value);
  return fmt::format("{} <small>{}</small>", escaped(value.substr(0, sign)), escaped(value.substr(sign + 1)));
}

/// A name that may be broken at its dots and underscores.
std::string breakable(const std::string& html) {
  return replaced(replaced(html, "_", "_<wbr>"), ".", ".<wbr>");
}

std::string figures_html(const std::vector<Fact>& figures) {
  if (figures.empty()) return "";
  std::string html = "<dl class=\"figures\">\n";
  for (const Fact& figure : figures)
    html += fmt::format("<div><dt>{}</dt><dd>{}</dd><dd class=\"note\">{}</dd></div>\n",
                        breakable(marked_up(figure.name)), figure_html(figure.value), marked_up(figure.note));
  return html + "</dl>\n";
}

/// Links to the sections.
std::string contents_html(const std::vector<const Section*>& sections) {
  if (sections.size() < 3) return "";
  std::string html = "<nav aria-label=\"Sections\"><ul>\n";
  for (std::size_t i = 0; i < sections.size(); ++i)
    html += fmt::format("<li><a href=\"#section-{}\">{}</a></li>\n", i + 1, escaped(sections[i]->heading));
  return html + "</ul></nav>\n";
}

/// What a reader sees where the end of the file is missing, or no script runs. The last script hides it.
std::string incomplete_html(const Page& page) {
  return fmt::format(
      "<p id=\"incomplete\" role=\"alert\">The charts of this page are missing: the end of the file is "
      "missing, or "
      "scripts are "
      "switched off.{}</p>\n",
      page.command.empty() ? "" : fmt::format(" To write it again: <code>{}</code>", escaped(page.command)));
}

/// Nothing in the data may end its element, nor open a comment in it.
std::string data_of(const Page& page, const Json& charts) {
  const Json json = {{"currency", page.currency}, {"charts", charts}};
  return json_in_script(json.dump(-1, ' ', false, Json::error_handler_t::replace));
}

std::string scripts() {
  std::string html = fmt::format("<!--\n{}-->\n<script>\n{}\n</script>\n", d3_license(), d3_script());
  for (const std::string_view script : {numbers_script(), axes_script(), marks_script(), lines_script(),
                                        bars_script(), distribution_script(), heat_script(), page_script()})
    html += fmt::format("<script>\n{}</script>\n", script);
  return html;
}

}  // namespace

void Section::add(Paragraph words) { blocks.emplace_back(std::in_place_type<Paragraph>, std::move(words)); }
void Section::add(FactList facts) { blocks.emplace_back(std::in_place_type<FactList>, std::move(facts)); }
void Section::add(PageTable table) { blocks.emplace_back(std::in_place_type<PageTable>, std::move(table)); }
void Section::add(Verbatim listing) { blocks.emplace_back(std::in_place_type<Verbatim>, std::move(listing)); }
void Section::add(Chart chart) { blocks.emplace_back(std::in_place_type<Chart>, std::move(chart)); }

Section section_without(std::string heading, std::string why) {
  Section section{.heading = std::move(heading)};
  section.add(Paragraph{std::move(why)});
  return section;
}

std::string to_html(const Page& page) {
  Writer body;
  std::vector<const Section*> sections;
  for (const Section& section : page.sections)
    if (!section.blocks.empty()) sections.push_back(&section);
  std::string html, content;
  for (std::size_t i = 0; i < sections.size(); ++i) {
    const std::size_t from = body.html().size();
    for (const Block& block : sections[i]->blocks) body.add(block);
    content += fmt::format(
        "<section id=\"section-{0}\" aria-labelledby=\"heading-{0}\">\n<h2 "
        "id=\"heading-{0}\">{1}</h2>\n{2}</section>\n",
        i + 1, escaped(sections[i]->heading), body.html().substr(from));
  }
  html = fmt::format(
      "{}\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n"
      "<link rel=\"icon\" href=\"data:,\">\n<title>{}</title>\n<style>\n{}</style>\n</head>\n"
      "<body>\n<main>\n{}<p class=\"name\">{}</p>\n<h1>{}</h1>\n",
      kPageBegins, escaped(page.name), page_style(), incomplete_html(page), escaped(page.name),
      marked_up(page.answer));
  for (const std::string& line : page.lines)
    if (!line.empty()) html += fmt::format("<p class=\"line\">{}</p>\n", marked_up(line));
  html += figures_html(page.figures) + contents_html(sections) + content;
  if (!page.command.empty())
    html += fmt::format(
        "<section id=\"reproduce\"><h2>Reproduce with</h2>\n<pre tabindex=\"0\">{}</pre></section>\n",
        escaped(page.command));
  return html +
         fmt::format(
             "</main>\n<script type=\"application/json\" id=\"data\">{}</script>\n{}</body>\n</html>\n",
             data_of(page, body.charts()), scripts());
}

}  // namespace gauntlet
