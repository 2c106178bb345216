#include "real/certs/peer_check.hpp"

#include "real/certs/authority.hpp"
#include "real/certs/certificate_files.hpp"
#include "real/certs/signing_private.hpp"

#include <openssl/x509_vfy.h>

#include <algorithm>

namespace gauntlet {
namespace {

using Store509 = std::unique_ptr<X509_STORE, OpensslFree<X509_STORE_free>>;
using Context509 = std::unique_ptr<X509_STORE_CTX, OpensslFree<X509_STORE_CTX_free>>;

std::string described(int error, const X509& certificate, PeerRole wanted) {
  switch (error) {
    case X509_V_ERR_CERT_HAS_EXPIRED:
      return "its certificate expired on " + date_text(time_of(*X509_get0_notAfter(&certificate)));
    case X509_V_ERR_CERT_NOT_YET_VALID:
      return "its certificate is valid from " + date_text(time_of(*X509_get0_notBefore(&certificate))) +
             " on; the clock of one of the two hosts is wrong";
    case X509_V_ERR_CERT_REVOKED:
      return "its certificate is revoked";
    case X509_V_ERR_INVALID_PURPOSE:
      return "its certificate is not for the role of " + std::string(name_of(wanted));
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    case X509_V_ERR_CERT_SIGNATURE_FAILURE:
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
      return "another authority issued its certificate";
    default:
      return std::string("its certificate is not accepted: ") + X509_verify_cert_error_string(error);
  }
}

std::string problem_of_identity(const std::optional<PeerIdentity>& peer, const PeerIdentity& own,
                                const PeerCheck::Wanted& wanted) {
  if (!peer) return "its certificate names no host of a lab";
  if (peer->cluster != own.cluster)
    return "its certificate is of cluster " + peer->cluster + ", and this is cluster " + own.cluster;
  if (peer->role != wanted.role)
    return "its certificate is not for the role of " + std::string(name_of(wanted.role));
  if (!wanted.host.empty() && peer->host != wanted.host)
    return "its certificate is of host " + peer->host + ", and it was reached as " + wanted.host;
  return "";
}

}  // namespace

struct PeerCheck::Store {
  Store509 trusted;
  std::uint64_t number = 0;
  std::string text;  // of the list
};

PeerCheck::PeerCheck(const HostCertificates& own)
    : own_(own.identity), authority_(own.authority), revoked_file_(own.revoked_file) {}
PeerCheck::~PeerCheck() = default;

std::shared_ptr<const PeerCheck::Store> PeerCheck::store() const {
  const std::lock_guard lock(mutex_);
  return store_;
}

std::optional<Problem> PeerCheck::renew() {
  std::string text;
  if (auto problem = read_pem(revoked_file_, Readers::everybody, text)) {
    problem->suggestion = "bring it back from the authority's directory";
    return problem;
  }
  const std::shared_ptr<const Store> before = store();
  if (before && before->text == text) return std::nullopt;
  const OpensslCertificate authority = certificate_of(authority_);
  const OpensslRevocations list = revocations_of(text);
  if (!authority || !list || X509_CRL_verify(list.get(), X509_get0_pubkey(authority.get())) != 1)
    return problem_of(revoked_file_,
                      "is not a list of revoked certificates that the authority of this lab signed",
                      "copy it from the authority's directory again");
  const std::uint64_t number = number_of(*list);
  if (before && number < before->number)
    return problem_of(revoked_file_,
                      "is older (number " + std::to_string(number) +
                          ") than the list that was read before (" + std::to_string(before->number) + ")",
                      "copy it from the authority's directory again");
  const auto next = std::make_shared<Store>();
  next->number = number;
  next->text = std::move(text);
  next->trusted.reset(X509_STORE_new());
  if (!next->trusted) throw OpensslFailure("X509_STORE_new");
  require(X509_STORE_add_cert(next->trusted.get(), authority.get()), "X509_STORE_add_cert");
  require(X509_STORE_add_crl(next->trusted.get(), list.get()), "X509_STORE_add_crl");
  require(X509_STORE_set_flags(next->trusted.get(), X509_V_FLAG_CRL_CHECK | X509_V_FLAG_X509_STRICT),
          "X509_STORE_set_flags");
  const std::lock_guard lock(mutex_);
  if (store_ && store_->number > number) return std::nullopt;
  store_ = next;
  ++lists_;
  return std::nullopt;
}

std::uint64_t PeerCheck::lists() const {
  const std::lock_guard lock(mutex_);
  return lists_;
}

PeerCheck::Verdict PeerCheck::check(std::string_view text, const Wanted& wanted, std::time_t now) const {
  if (text.empty()) return {.why = "it has no certificate"};
  const OpensslCertificate certificate = certificate_of(text);
  if (!certificate) return {.why = "what it sent is not a certificate"};
  Verdict verdict = {.peer = identity_of_uri(single_uri_of(*certificate)),
                     .serial = serial_of(*certificate),
                     .expires = time_of(*X509_get0_notAfter(certificate.get()))};
  const std::shared_ptr<const Store> store = this->store();
  if (!store) {
    verdict.why = "the list of revoked certificates was never read";
    return verdict;
  }
  const Context509 context(X509_STORE_CTX_new());
  if (!context) throw OpensslFailure("X509_STORE_CTX_new");
  require(X509_STORE_CTX_init(context.get(), store->trusted.get(), certificate.get(), nullptr),
          "X509_STORE_CTX_init");
  const int purpose = wanted.role == PeerRole::driver ? X509_PURPOSE_SSL_CLIENT : X509_PURPOSE_SSL_SERVER;
  require(X509_STORE_CTX_set_purpose(context.get(), purpose), "X509_STORE_CTX_set_purpose");
  X509_STORE_CTX_set_time(context.get(), 0, now);
  if (X509_verify_cert(context.get()) != 1)
    verdict.why = described(X509_STORE_CTX_get_error(context.get()), *certificate, wanted.role);
  if (verdict.passes()) verdict.why = problem_of_identity(verdict.peer, own_, wanted);
  return verdict;
}

std::optional<Problem> load_host_certificates(const std::string& directory, PeerRole role, std::time_t now,
                                              HostCertificates& out) {
  const std::string remedy = "take a directory that gauntlet certs issue wrote";
  const auto file = [&](const char* name) { return directory + "/" + name; };
  HostCertificates read;
  const auto load = [&](const char* name, Readers readers, std::string& into) {
    auto problem = read_pem(file(name), readers, into);
    if (problem && problem->suggestion.empty()) problem->suggestion = remedy;
    return problem;
  };
  if (auto problem = load(kCertificateFile, Readers::everybody, read.certificate)) return problem;
  if (auto problem = load(kKeyFile, Readers::owner, read.key)) return problem;
  if (auto problem = load(kAuthorityFile, Readers::everybody, read.authority)) return problem;
  read.revoked_file = file(kRevokedFile);
  const OpensslCertificate certificate = certificate_of(read.certificate);
  const OpensslKey key = key_of(read.key);
  if (!certificate) return problem_of(file(kCertificateFile), "does not hold a certificate", remedy);
  if (!key || X509_check_private_key(certificate.get(), key.get()) != 1)
    return problem_of(file(kKeyFile), "does not hold the key of " + std::string(kCertificateFile), remedy);
  const auto identity = identity_of_uri(single_uri_of(*certificate));
  if (!identity) return problem_of(file(kCertificateFile), "names no host of a lab", remedy);
  read.identity = *identity;
  PeerCheck check(read);
  if (auto problem = check.renew()) return problem;
  const auto verdict = check.check(read.certificate, {.role = role, .host = identity->host}, now);
  if (!verdict.passes()) {
    constexpr std::string_view kIts = "its certificate ";
    const bool begins = verdict.why.starts_with(kIts);
    return problem_of(file(kCertificateFile), begins ? verdict.why.substr(kIts.size()) : verdict.why,
                      "issue one: gauntlet certs issue DIR --role " + std::string(name_of(role)) +
                          " --host " + identity->host);
  }
  out = std::move(read);
  return std::nullopt;
}

}  // namespace gauntlet
