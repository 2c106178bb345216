#include "shell/output_file.hpp"

#include "core/files/durable.hpp"
#include "core/files/read.hpp"
#include "core/system_advice.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace gauntlet {
namespace {

namespace fs = std::filesystem;

bool begins_with(const fs::path& file, std::string_view begins) {
  std::ifstream in(file, std::ios::binary);
  std::string start(begins.size(), '\0');
  in.read(start.data(), static_cast<std::streamsize>(start.size()));
  return in.gcount() == 0 || (static_cast<std::size_t>(in.gcount()) == start.size() && start == begins);
}

/// The file whose log SQLite would take that path for (https://www.sqlite.org/tempfiles.html); empty where there is none.
std::string database_of(const std::string& path) {
  for (const std::string_view suffix : {"-journal", "-wal", "-shm"}) {
    std::error_code ignored;
    if (!path.ends_with(suffix)) continue;
    if (std::string base = path.substr(0, path.size() - suffix.size()); fs::is_regular_file(base, ignored))
      return base;
  }
  return {};
}

}  // namespace

std::optional<Problem> problem_of_output(const std::string& path, std::string_view begins,
                                         std::string_view kind, std::string_view option) {
  const auto problem = [&](std::string why, std::string suggestion) {
    return Problem{.file = std::string(option),
                   .what = path,
                   .why = std::move(why),
                   .suggestion = std::move(suggestion)};
  };
  if (path.empty()) return problem("names no file", fmt::format("write {} FILE", option));
  std::error_code error;
  const fs::path file(path), folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  if (const auto unknown = out_of_reach(path))
    return problem("cannot be written: " + *unknown, "choose another name");
  if (!fs::is_directory(folder, error))
    return problem(fmt::format("cannot be written: there is no directory {}", folder.string()),
                   "make it first");
  if (::access(folder.c_str(), W_OK | X_OK) != 0)
    return problem(fmt::format("cannot be written: {}: {}", folder.string(), std::strerror(errno)),
                   "choose another directory");
  if (const std::string database = database_of(path); !database.empty())
    return problem(fmt::format("is where SQLite keeps the log of {}", database), "choose another name");
  const fs::file_type type = fs::symlink_status(file, error).type();
  if (type == fs::file_type::not_found) return std::nullopt;
  if (type == fs::file_type::directory) return problem("is a directory", "name a file in it");
  if (type != fs::file_type::regular) return problem("is not a regular file", "choose another name");
  if (!begins_with(file, begins))
    return problem(fmt::format("exists, is not {} of gauntlet's and is not overwritten", kind),
                   "choose another name");
  return std::nullopt;
}

std::optional<Problem> problem_of_same_outputs(std::span<const NamedOutput> outputs) {
  for (std::size_t i = 0; i < outputs.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      if (outputs[i].path.empty() || outputs[j].path.empty()) continue;
      std::error_code ignored;
      if (fs::weakly_canonical(outputs[i].path, ignored) != fs::weakly_canonical(outputs[j].path, ignored))
        continue;
      return Problem{.file = std::string(outputs[i].option),
                     .what = std::string(outputs[i].path),
                     .why = fmt::format("is the file of {} too", outputs[j].option),
                     .suggestion = "choose another name"};
    }
  return std::nullopt;
}

std::optional<Problem> write_output(const std::string& path, std::string_view text) {
  const auto failure = replace_file(system_files(), {.path = path, .temporary = temporary_name(path)}, text);
  if (!failure) return std::nullopt;
  return Problem{.file = path,
                 .what = {},
                 .why = "cannot be written: " + system_message(failure->error),
                 .suggestion = {}};
}

}  // namespace gauntlet
