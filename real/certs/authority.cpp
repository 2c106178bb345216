#include "real/certs/authority.hpp"

#include "core/system_advice.hpp"
#include "real/certs/authority_private.hpp"
#include "real/certs/certificate_files.hpp"
#include "real/certs/signing_private.hpp"

#include <fcntl.h>
#include <openssl/crypto.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <map>
#include <thread>
#include <tuple>

namespace gauntlet {
namespace {

namespace fs = std::filesystem;

constexpr auto kLockPatience = std::chrono::seconds(10);
constexpr auto kLockLook = std::chrono::milliseconds(20);

std::map<std::string, std::time_t> revoked_in(X509_CRL& list) {
  std::map<std::string, std::time_t> out;
  STACK_OF(X509_REVOKED)* revoked = X509_CRL_get_REVOKED(&list);
  for (int i = 0; i < sk_X509_REVOKED_num(revoked); ++i) {
    const X509_REVOKED* each = sk_X509_REVOKED_value(revoked, i);
    out.emplace(serial_text(*X509_REVOKED_get0_serialNumber(each)),
                time_of(*X509_REVOKED_get0_revocationDate(each)));
  }
  return out;
}

std::optional<Problem> check_days(std::time_t end, std::time_t authority_end, std::uint32_t days,
                                  std::time_t now, const std::string& file) {
  if (authority_end <= now)
    return problem_of(file,
                      "expired on " + date_text(authority_end) + ", so nothing that it signs is accepted",
                      "make another authority with gauntlet certs init, and issue the certificates again");
  if (end <= authority_end) return std::nullopt;
  const std::time_t most = (authority_end - now) / kDay;
  return Problem{.what = "--days " + std::to_string(days),
                 .why = "is longer than the authority lasts, which expires on " + date_text(authority_end),
                 .suggestion = most > 0 ? "write --days " + std::to_string(most) + " or less"
                                        : "make another authority with gauntlet certs init"};
}

}  // namespace

CertificateAuthority::~CertificateAuthority() {
  OPENSSL_cleanse(key_.data(), key_.size());
  if (lock_ >= 0) ::close(lock_);
}

std::optional<Problem> CertificateAuthority::open(const std::string& directory, Files& files) {
  files_ = &files;
  directory_ = without_last_slash(directory);
  std::error_code error;
  if (!fs::exists(directory_ + "/" + kAuthorityFile, error))
    return problem_of(directory_, "is not the directory of an authority", "gauntlet certs init makes one");
  if (auto problem = take_lock()) return problem;
  if (auto problem = read_pem(directory_ + "/" + kAuthorityFile, Readers::everybody, certificate_))
    return problem;
  if (auto problem = read_pem(directory_ + "/" + kAuthorityKeyFile, Readers::owner, key_)) return problem;
  if (auto problem = read_pem(directory_ + "/" + kRevokedFile, Readers::everybody, list_)) return problem;
  const OpensslCertificate certificate = certificate_of(certificate_);
  if (!certificate) return problem_of(directory_ + "/" + kAuthorityFile, "does not hold a certificate");
  const OpensslKey key = key_of(key_);
  if (!key || X509_check_private_key(certificate.get(), key.get()) != 1)
    return problem_of(directory_ + "/" + kAuthorityKeyFile,
                      "does not hold the key of " + std::string(kAuthorityFile),
                      "bring both back from one copy");
  const OpensslRevocations list = revocations_of(list_);
  if (!list || X509_CRL_verify(list.get(), key.get()) != 1)
    return problem_of(directory_ + "/" + kRevokedFile,
                      "does not hold a list of revoked certificates that this authority signed",
                      "bring it back from a copy: without it, revoked certificates would be accepted");
  cluster_ = organisation_of(*certificate);
  return std::nullopt;
}

std::optional<Problem> CertificateAuthority::take_lock() {
  const std::string path = directory_ + "/" + kLockFile;
  lock_ = ::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  if (lock_ < 0) return problem_of(path, "cannot be opened: " + system_message(errno));
  const auto until = std::chrono::steady_clock::now() + kLockPatience;
  while (::flock(lock_, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR)
      return problem_of(path, "cannot be locked: " + system_message(errno));
    if (std::chrono::steady_clock::now() >= until)
      return problem_of(path, "is held by another command for a long time", "try again when it has ended");
    std::this_thread::sleep_for(kLockLook);
  }
  return std::nullopt;
}

std::optional<Problem> CertificateAuthority::list(std::vector<IssuedCertificate>& out) const {
  out.clear();
  const std::map<std::string, std::time_t> revoked = revoked_in(*revocations_of(list_));
  std::error_code error;
  for (const auto& file : fs::directory_iterator(directory_ + "/" + kIssuedDirectory, error)) {
    if (file.path().extension() != ".pem") continue;  // what a crash left under a temporary name
    std::string pem;
    if (auto problem = read_pem(file.path().string(), Readers::everybody, pem)) return problem;
    const OpensslCertificate certificate = certificate_of(pem);
    const auto identity = certificate ? identity_of_uri(single_uri_of(*certificate)) : std::nullopt;
    if (!identity)
      return problem_of(file.path(), "does not hold a certificate of this authority", "remove it");
    IssuedCertificate& each = out.emplace_back();
    each.serial = serial_of(*certificate);
    each.identity = *identity;
    each.begin = time_of(*X509_get0_notBefore(certificate.get()));
    each.end = time_of(*X509_get0_notAfter(certificate.get()));
    if (const auto found = revoked.find(each.serial); found != revoked.end()) each.revoked = found->second;
  }
  if (error) return problem_of(directory_ + "/" + kIssuedDirectory, "cannot be read: " + error.message());
  std::sort(out.begin(), out.end(), [](const IssuedCertificate& a, const IssuedCertificate& b) {
    return std::tie(a.identity.role, a.identity.host, a.begin, a.serial) <
           std::tie(b.identity.role, b.identity.host, b.begin, b.serial);
  });
  return std::nullopt;
}

std::optional<Problem> CertificateAuthority::issue(const Request& request, Issued& out) {
  if (const std::string wrong = problem_of_host_name(request.host); !wrong.empty())
    return Problem{.what = "--host \"" + request.host + "\"",
                   .why = "is not the name of a host: it " + wrong,
                   .suggestion = "write the name by which drivers reach it, such as node-7.lab"};
  const OpensslCertificate authority = certificate_of(certificate_);
  const OpensslKey authority_key = key_of(key_);
  const Validity validity = validity_of(request.now, request.days);
  if (auto problem = check_days(validity.end, time_of(*X509_get0_notAfter(authority.get())), request.days,
                                request.now, directory_ + "/" + kAuthorityFile))
    return problem;
  const std::string directory = host_directory_of(directory_, request.role, request.host);
  if (auto problem = read_books()) return problem;
  const PeerIdentity identity = {.cluster = cluster_, .role = request.role, .host = request.host};
  for (const IssuedCertificate& each : *books_) {
    if (each.identity != identity || !is_active(each, request.now)) continue;
    return problem_of(directory,
                      "host " + request.host + " has a certificate as " + std::string(name_of(request.role)) +
                          " already, which expires on " + date_text(each.end),
                      "use that, or revoke it first: gauntlet certs revoke " + directory_ + " --role " +
                          std::string(name_of(request.role)) + " --host " + request.host);
  }

  const OpensslKey key = new_signing_key();
  const OpensslCertificate certificate =
      sign_identity({.certificate = authority.get(), .key = authority_key.get()}, identity, *key, validity);
  const SecretText secret(pem_of(*key));
  const std::string serial = serial_of(*certificate);
  // In the books first: a certificate that nobody knows of could not be revoked.
  const std::string entry = directory_ + "/" + kIssuedDirectory + "/" + serial + ".pem";
  if (auto problem = write_pem(*files_, entry, pem_of(*certificate), Readers::everybody)) return problem;
  if (auto problem =
          write_host(directory, {.certificate = pem_of(*certificate), .key = secret.text}, entry)) {
    books_.reset();  // the entry may stand
    return problem;
  }
  out = {.directory = directory,
         .certificate = {.serial = serial,
                         .identity = identity,
                         .begin = validity.begin,
                         .end = validity.end,
                         .revoked = std::nullopt}};
  books_->push_back(out.certificate);
  return std::nullopt;
}

std::optional<Problem> CertificateAuthority::read_books() {
  if (books_) return std::nullopt;
  std::vector<IssuedCertificate> all;
  if (auto problem = list(all)) return problem;
  books_ = std::move(all);
  return std::nullopt;
}

/// Where it fails, the entry in the books goes too.
std::optional<Problem> CertificateAuthority::write_host(const std::string& host_directory,
                                                        const HostFiles& host, const std::string& entry) {
  const std::string path = directory_ + "/new-" + std::to_string(::getpid());
  NewDirectory made(*files_, path);
  auto problem = made.make();
  const auto write = [&](const char* name, const std::string& pem, Readers readers) {
    if (!problem) problem = write_pem(*files_, path + "/" + name, pem, readers);
  };
  write(kCertificateFile, host.certificate, Readers::everybody);
  write(kKeyFile, host.key, Readers::owner);
  write(kAuthorityFile, certificate_, Readers::everybody);
  write(kRevokedFile, list_, Readers::everybody);
  if (!problem) problem = made.take_name_of_old(host_directory);
  if (!problem) return std::nullopt;
  if (!made.stands()) files_->remove(entry);
  return with_final_name(std::move(*problem), path, host_directory);
}

}  // namespace gauntlet
