// What the commands of an authority share.
#pragma once

#include "core/files/files.hpp"
#include "core/problem.hpp"
#include "real/certs/authority.hpp"
#include "real/certs/signing_private.hpp"

#include <ctime>
#include <optional>
#include <string>
#include <utility>

namespace gauntlet {

inline constexpr std::time_t kDay = 24 * 60 * 60;
inline constexpr std::time_t kClockSkew = 5 * 60;  // of hosts whose clocks are behind the authority's

inline const std::string kIssuedDirectory = "issued";
inline const std::string kLockFile = "lock";

/// A text that is wiped when it is not needed any more.
struct SecretText {
  explicit SecretText(std::string from) : text(std::move(from)) {}
  ~SecretText();
  SecretText(const SecretText&) = delete;
  SecretText& operator=(const SecretText&) = delete;
  std::string text;
};

/// A directory that is made under a temporary name; unless it takes its own, nothing of it is left.
class NewDirectory {
 public:
  NewDirectory(Files& files, std::string path) : files_(files), path_(std::move(path)) {}
  ~NewDirectory();
  NewDirectory(const NewDirectory&) = delete;
  NewDirectory& operator=(const NewDirectory&) = delete;

  std::optional<Problem> make();
  /// A name that nothing has.
  std::optional<Problem> take_free_name(const std::string& name);
  /// The directory that had this name, if any, is removed, its name taken at one instant.
  std::optional<Problem> take_name_of_old(const std::string& name);
  /// Whether it has its name: then it stays, whatever failed after that.
  bool stands() const { return stands_; }

 private:
  std::optional<Problem> named(const std::string& name, int error);

  Files& files_;
  std::string path_;
  bool made_ = false, stands_ = false;
};

/// Of a file under a temporary name, which nobody knows.
Problem with_final_name(Problem problem, const std::string& temporary, const std::string& path);
Problem not_made(const std::string& path, int error);

std::string without_last_slash(std::string path);
std::string host_directory_of(const std::string& directory, PeerRole role, const std::string& host);

Validity validity_of(std::time_t now, std::uint32_t days);

/// Neither revoked nor expired.
bool is_active(const IssuedCertificate& certificate, std::time_t now);

}  // namespace gauntlet
