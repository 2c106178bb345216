#include "commands/trace/records/csv_file.hpp"

#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filter/lzma.hpp>
#include <boost/iostreams/filtering_stream.hpp>
#include <csv.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <istream>
#include <new>
#include <stdexcept>
#include <string_view>

namespace gauntlet {
namespace {

namespace io = boost::iostreams;

constexpr std::string_view kGzip("\x1f\x8b", 2), kXz("\xfd"
                                                     "7zXZ\0",
                                                     6);
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
constexpr std::size_t kLongestLine = 1 << 20;  // a line of a trace is a few hundred bytes; beyond, it is none

}  // namespace

/// One line to fields.
class CsvLineParser {
 public:
  CsvLineParser() {
    if (csv_init(&parser_, CSV_STRICT | CSV_STRICT_FINI) != 0) throw std::bad_alloc();
  }
  ~CsvLineParser() { csv_free(&parser_); }
  CsvLineParser(const CsvLineParser&) = delete;
  CsvLineParser& operator=(const CsvLineParser&) = delete;

  std::optional<std::vector<std::string>> parse(const std::string& line) {
    fields_.clear();
    const bool read = csv_parse(&parser_, line.data(), line.size(), field, nullptr, this) == line.size();
    const bool ended =
        csv_fini(&parser_, field, nullptr, this) == 0;  // also of what failed: it starts afresh
    if (read && ended) return std::move(fields_);
    csv_free(&parser_);
    if (csv_init(&parser_, CSV_STRICT | CSV_STRICT_FINI) != 0) throw std::bad_alloc();
    return std::nullopt;
  }

 private:
  static void field(void* text, std::size_t size, void* self) {
    static_cast<CsvLineParser*>(self)->fields_.emplace_back(static_cast<const char*>(text), size);
  }

  csv_parser parser_{};
  std::vector<std::string> fields_;
};

struct CsvFile::Parts {
  std::ifstream file;
  io::filtering_istream text;
  CsvLineParser parser;
  std::string line, failure;
  std::uint32_t number = 0;

  /// The next line into `line`; false at the end or after a failure.
  bool read_line() {
    line.clear();
    if (!failure.empty()) return false;
    try {
      std::streambuf& bytes = *text.rdbuf();
      for (int c = bytes.sbumpc(); c != std::char_traits<char>::eof(); c = bytes.sbumpc()) {
        if (c == '\n') return count();
        line += static_cast<char>(c);
        if (line.size() <= kLongestLine) continue;
        failure = "line " + std::to_string(number + 1) + " is longer than 1 MiB";
        return false;
      }
      return !line.empty() && count();
    } catch (const std::exception& error) {
      failure =
          std::string("is damaged or was cut after line ") + std::to_string(number) + ": " + error.what();
      return false;
    }
  }

 private:
  bool count() {
    ++number;
    if (number == 1 && line.starts_with(kByteOrderMark)) line.erase(0, kByteOrderMark.size());
    if (line.ends_with('\r')) line.pop_back();
    return true;
  }
};

CsvFile::CsvFile(const std::filesystem::path& file) : parts_(std::make_unique<Parts>()) {
  std::error_code error;
  if (std::filesystem::is_directory(file, error)) {
    parts_->failure = "is a directory";
    return;
  }
  parts_->file.open(file, std::ios::binary);
  if (!parts_->file) {
    parts_->failure = std::string("cannot be opened: ") + std::strerror(errno);
    return;
  }
  std::string begin(kXz.size(), '\0');
  parts_->file.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  parts_->file.clear();
  parts_->file.seekg(0);
  if (begin.starts_with(kGzip)) parts_->text.push(io::gzip_decompressor());
  if (begin == kXz) parts_->text.push(io::lzma_decompressor());
  parts_->text.push(parts_->file);
}

CsvFile::~CsvFile() = default;

std::optional<CsvFile::Row> CsvFile::next() {
  while (parts_->read_line()) {
    auto fields = parts_->parser.parse(parts_->line);
    if (fields && fields->empty()) continue;
    return Row{.line = parts_->number, .fields = std::move(fields)};
  }
  return std::nullopt;
}

const std::string& CsvFile::failure() const { return parts_->failure; }

}  // namespace gauntlet
