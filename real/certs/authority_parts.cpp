#include "core/files/durable.hpp"
#include "core/system_advice.hpp"
#include "real/certs/authority_private.hpp"

#include <openssl/crypto.h>

#include <cerrno>

namespace gauntlet {

std::string date_text(std::time_t at) {
  std::tm fields{};
  char text[64] = {};
  if (::gmtime_r(&at, &fields) == nullptr) return "an unknown day";
  std::strftime(text, sizeof text, "%Y-%m-%d %H:%M UTC", &fields);
  return text;
}

SecretText::~SecretText() { OPENSSL_cleanse(text.data(), text.size()); }

NewDirectory::~NewDirectory() {
  if (made_) remove_all(files_, path_);
}

std::optional<Problem> NewDirectory::make() {
  remove_all(files_, path_);  // of a process of this number, which is gone
  const int error = files_.make_directory(path_, 0700);
  made_ = error == 0;
  return made_ ? std::nullopt : std::optional(not_made(path_, error));
}

std::optional<Problem> NewDirectory::take_free_name(const std::string& name) {
  return named(name, files_.rename(path_, name));
}

std::optional<Problem> NewDirectory::take_name_of_old(const std::string& name) {
  return named(name, take_name(files_, path_, name));
}

std::optional<Problem> NewDirectory::named(const std::string& name, int error) {
  if (error != 0) return not_made(name, error);
  stands_ = true;
  const int lost = sync_name(files_, name);
  if (lost == 0) return std::nullopt;
  made_ = false;  // what had the name before may come back under it
  return problem_of(name, "is there, and a power cut may still take it away: " + system_message(lost),
                    "check the disk");
}

Problem with_final_name(Problem problem, const std::string& temporary, const std::string& path) {
  if (problem.file.starts_with(temporary)) problem.file.replace(0, temporary.size(), path);
  return problem;
}

Problem not_made(const std::string& path, int error) {
  return problem_of(path, "cannot be made: " + system_message(error),
                    error == ENOENT ? "make the directory above it first" : system_advice(error));
}

std::string without_last_slash(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path;
}

std::string host_directory_of(const std::string& directory, PeerRole role, const std::string& host) {
  return directory + "/" + std::string(name_of(role)) + "-" + host;
}

Validity validity_of(std::time_t now, std::uint32_t days) {
  return {.begin = now - kClockSkew, .end = now + std::time_t{days} * kDay};
}

bool is_active(const IssuedCertificate& certificate, std::time_t now) {
  return !certificate.revoked && certificate.end > now;
}

}  // namespace gauntlet
