#include "real/certs/certificate_files.hpp"

#include "core/files/durable.hpp"
#include "core/files/open_file.hpp"
#include "core/system_advice.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace gauntlet {
namespace {

constexpr std::size_t kLargest = std::size_t{16} << 20;  // a list of 100,000 revoked certificates has 5 MB

}  // namespace

std::optional<Problem> write_pem(Files& files, const std::string& path, std::string_view pem,
                                 Readers readers) {
  const ReplacedFile file = {.path = path,
                             .temporary = path + ".new-" + std::to_string(::getpid()),
                             .mode = readers == Readers::owner ? mode_t{0600} : mode_t{0644}};
  const auto failure = replace_file(files, file, pem);
  if (!failure) return std::nullopt;
  return problem_of(path, "cannot be written: " + system_message(failure->error),
                    system_advice(failure->error));
}

std::optional<Problem> read_pem(const std::string& path, Readers readers, std::string& out) {
  OpenFile file(system_files(), path, O_RDONLY);
  if (file.error() != 0) return problem_of(path, "cannot be read: " + system_message(file.error()));
  struct stat found {};
  if (::fstat(file.descriptor(), &found) != 0 || !S_ISREG(found.st_mode))
    return problem_of(path, "is not a regular file");
  if (readers == Readers::owner && (found.st_mode & 077) != 0)
    return problem_of(path, "is a key that other users can read",
                      "revoke its certificate if they may have, else: chmod 600 " + path);
  if (static_cast<std::size_t>(found.st_size) > kLargest)
    return problem_of(path, "has more than 16 MiB, which no file of certificates has");
  out.clear();
  const int error = file.read(out);
  return error == 0 ? std::nullopt
                    : std::optional(problem_of(path, "cannot be read: " + system_message(error)));
}

}  // namespace gauntlet
