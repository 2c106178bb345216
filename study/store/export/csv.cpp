#include "study/store/export/csv.hpp"

#include "core/contract.hpp"
#include "study/summary/fingerprint_text.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace gauntlet {
namespace {

constexpr std::size_t kBuffer = 1 << 16;  // bytes that are written at once

/// Whether it stands in a file as it is. One look at each character: find_first_of makes a search of each.
bool is_bare(std::string_view text) {
  return std::ranges::none_of(text, [](char c) { return c == ',' || c == '"' || c == '\r' || c == '\n'; });
}

void append(std::string& line, const Cell& cell) {
  struct Append {
    std::string& line;
    void operator()(std::monostate) const {}
    void operator()(std::int64_t value) const {  // twice as fast as format_to
      const fmt::format_int digits(value);
      line.append(digits.data(), digits.size());
    }
    void operator()(double value) const { fmt::format_to(std::back_inserter(line), "{}", value); }
    void operator()(std::string_view text) const {
      if (is_bare(text))
        line += text;
      else
        line += csv_field(text);
    }
    void operator()(Hex print) const { line += fingerprint_text(print.value); }
    void operator()(const Latencies* latencies) const { line += latencies->text(); }
  };
  std::visit(Append{line}, cell);
}

}  // namespace

void append_csv(std::string& line, std::span<const Cell> cells) {
  for (const Cell& cell : cells) {
    const auto* number = std::get_if<std::int64_t>(&cell);
    if (number != nullptr && *number == 0)  // half of all cells
      line += '0';
    else
      append(line, cell);
    line += ',';
  }
}

CsvWriter::CsvWriter(const std::filesystem::path& file, const std::vector<Column>& columns, Files& files)
    : columns_(columns.size()),
      out_(files, file.string(), O_WRONLY | O_CREAT | O_TRUNC),
      error_(out_.error()) {
  for (std::size_t i = 0; i < columns.size(); ++i)
    buffer_ += (i == 0 ? "" : ",") + csv_field(columns[i].name);
  buffer_ += '\n';
}

void CsvWriter::add(const Row& row, std::span<const Cell> before) {
  expect(before.size() + row.size() == columns_, "a row has a cell for every column");
  append_csv(buffer_, before);
  append_csv(buffer_, row);
  buffer_.back() = '\n';
  if (buffer_.size() >= kBuffer) flush();
}

void CsvWriter::flush() {
  if (error_ == 0) error_ = out_.write(buffer_);
  buffer_.clear();
}

int CsvWriter::close() {
  flush();
  const int closed = out_.close();
  if (error_ == 0) error_ = closed;
  return error_;
}

std::optional<std::vector<std::string>> CsvReader::next() {
  std::string text;
  if (!std::getline(in_, text)) return std::nullopt;
  ++line_;
  whole_ = !in_.eof();
  return csv_fields(text);
}

std::string csv_field(std::string_view text) {
  if (is_bare(text)) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

std::vector<std::string> csv_fields(std::string_view line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"') {
      fields.back() += '"';
      ++i;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
  return fields;
}

}  // namespace gauntlet
