// A report as one HTML file that opens anywhere: its library (D3, https://d3js.org) is inside, nothing is fetched.
#pragma once

#include "report/page/chart.hpp"

#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace gauntlet {

/// A paragraph.
struct Paragraph {
  std::string text;
};

/// A figure with its name: "ETTR", "91.49% +- 0.06", "95% interval".
struct Fact {
  std::string name, value;
  std::string note = {};
};
struct FactList {
  std::vector<Fact> facts;
};

/// Rows of text. Cells that look like numbers stand to the right.
struct PageTable {
  std::string title;
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;  // as long as the header
  bool folded = false;                         // only its title is seen until a reader opens it
};

/// Text as it is, in a font of equal widths. Where it has a title, only that is seen until a reader opens it.
struct Verbatim {
  std::string text;
  std::string title = {};
  bool wraps = false;  // lines of prose, where a table has none
};

using Block = std::variant<Paragraph, FactList, PageTable, Verbatim, Chart>;

struct Section {
  std::string heading = {};
  std::vector<Block> blocks = {};

  void add(Paragraph words);
  void add(FactList facts);
  void add(PageTable table);
  void add(Verbatim listing);
  void add(Chart chart);
};

/// A section that only says why something is missing.
Section section_without(std::string heading, std::string why);

struct Page {
  std::string name;                     // of the browser's tab: "gauntlet run llama3-405b-54d"
  std::string answer;                   // the first line of the report
  std::vector<std::string> lines = {};  // what follows it: the question, what the intervals are, the seed
  std::vector<Fact> figures = {};       // the main figures, large
  std::vector<Section> sections = {};   // those without a block are left out
  std::string command = {};             // that gives it again; empty where none does
  std::string currency = "USD";         // of all money
};

/// How a page of to_html() begins.
inline constexpr std::string_view kPageBegins =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<!-- gauntlet -->";

/// The same bytes for the same page. All text is escaped.
std::string to_html(const Page& page);

}  // namespace gauntlet
