// A new authority: its directory, whole or not at all.
#include "core/system_advice.hpp"
#include "real/certs/authority.hpp"
#include "real/certs/authority_private.hpp"
#include "real/certs/certificate_files.hpp"
#include "real/certs/signing_private.hpp"

#include <unistd.h>

#include <filesystem>

namespace gauntlet {

namespace fs = std::filesystem;

namespace {

std::optional<Problem> write_authority(Files& files, const std::string& path, const std::string& certificate,
                                       const std::string& key, const std::string& list) {
  const std::string issued = path + "/" + kIssuedDirectory;
  if (const int failed = files.make_directory(issued, 0700)) return not_made(issued, failed);
  if (auto problem = write_pem(files, path + "/" + kAuthorityFile, certificate, Readers::everybody))
    return problem;
  if (auto problem = write_pem(files, path + "/" + kAuthorityKeyFile, key, Readers::owner)) return problem;
  if (auto problem = write_pem(files, path + "/" + kRevokedFile, list, Readers::everybody)) return problem;
  return write_pem(files, path + "/" + kLockFile, "", Readers::owner);
}

}  // namespace

std::optional<Problem> make_authority(const std::string& given, const std::string& cluster,
                                      std::uint32_t days, std::time_t now, Files& files) {
  const std::string directory = without_last_slash(given);
  if (const std::string wrong = problem_of_cluster_name(cluster); !wrong.empty())
    return Problem{.what = "--cluster \"" + cluster + "\"",
                   .why = wrong,
                   .suggestion = "write one word of a-z, 0-9 and \"-\", such as lab-1"};
  std::error_code error;
  if (fs::exists(fs::symlink_status(directory, error)))
    return problem_of(directory, "exists already",
                      "choose another name; an authority is never replaced, since its certificates would be "
                      "worthless");
  const OpensslKey key = new_signing_key();
  const OpensslCertificate certificate = sign_authority(cluster, *key, validity_of(now, days));
  const OpensslRevocations none =
      sign_revocations({.certificate = certificate.get(), .key = key.get()}, {}, 1, now - kClockSkew);
  const SecretText secret(pem_of(*key));

  const std::string path = directory + ".new-" + std::to_string(::getpid());
  NewDirectory made(files, path);
  auto problem = made.make();
  if (!problem) problem = write_authority(files, path, pem_of(*certificate), secret.text, pem_of(*none));
  if (!problem) problem = made.take_free_name(directory);
  if (problem) return with_final_name(std::move(*problem), path, directory);
  return std::nullopt;
}

}  // namespace gauntlet
