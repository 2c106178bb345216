// Revocation: a list that names more certificates than the one before.
#include "real/certs/authority.hpp"
#include "real/certs/authority_private.hpp"
#include "real/certs/certificate_files.hpp"
#include "real/certs/signing_private.hpp"

#include <filesystem>

namespace gauntlet {

namespace fs = std::filesystem;

std::optional<Problem> CertificateAuthority::revoke(PeerRole role, const std::string& host, std::time_t now,
                                                    std::vector<IssuedCertificate>& out) {
  out.clear();
  books_.reset();
  std::vector<IssuedCertificate> all;
  if (auto problem = list(all)) return problem;
  const PeerIdentity identity = {.cluster = cluster_, .role = role, .host = host};
  std::string why = "host " + host + " was never given a certificate as " + std::string(name_of(role));
  for (const IssuedCertificate& each : all) {
    if (each.identity != identity) continue;
    if (is_active(each, now)) out.push_back(each);
    why =
        "the certificate of host " + host + " as " + std::string(name_of(role)) +
        (each.revoked ? " was revoked on " + date_text(*each.revoked) : " expired on " + date_text(each.end));
  }
  if (out.empty()) return problem_of(directory_, why, "see gauntlet certs list " + directory_);

  const OpensslCertificate authority = certificate_of(certificate_);
  const OpensslKey authority_key = key_of(key_);
  const OpensslRevocations old = revocations_of(list_);
  std::vector<RevokedSerial> revoked;
  STACK_OF(X509_REVOKED)* entries = X509_CRL_get_REVOKED(old.get());
  for (int i = 0; i < sk_X509_REVOKED_num(entries); ++i) {
    const X509_REVOKED* each = sk_X509_REVOKED_value(entries, i);
    revoked.push_back(
        {X509_REVOKED_get0_serialNumber(each), time_of(*X509_REVOKED_get0_revocationDate(each))});
  }
  std::vector<OpensslCertificate> certificates;
  for (IssuedCertificate& each : out) {
    std::string pem;
    const std::string entry = directory_ + "/" + kIssuedDirectory + "/" + each.serial + ".pem";
    if (auto problem = read_pem(entry, Readers::everybody, pem)) return problem;
    certificates.push_back(certificate_of(pem));
    if (!certificates.back()) return problem_of(entry, "does not hold a certificate any more");
    revoked.push_back({X509_get0_serialNumber(certificates.back().get()), now});
    each.revoked = now;
  }
  const OpensslRevocations renewed =
      sign_revocations({.certificate = authority.get(), .key = authority_key.get()}, revoked,
                       number_of(*old) + 1, now - kClockSkew);
  const std::string text = pem_of(*renewed);
  if (auto problem = write_pem(*files_, directory_ + "/" + kRevokedFile, text, Readers::everybody))
    return problem;
  list_ = text;
  return renew_lists(text);
}

std::optional<Problem> CertificateAuthority::renew_lists(const std::string& list) {
  std::optional<Problem> first;
  std::error_code error;
  for (const auto& each : fs::directory_iterator(directory_, error)) {
    const std::string file = (each.path() / kRevokedFile).string();
    if (!fs::is_directory(fs::symlink_status(each.path(), error)) || !fs::exists(file, error)) continue;
    auto problem = write_pem(*files_, file, list, Readers::everybody);
    if (problem && !first) first = std::move(problem);
  }
  if (first)
    first->suggestion =
        "the certificate is revoked in " + directory_ + "/" + kRevokedFile + "; copy that here";
  return first;
}

}  // namespace gauntlet
