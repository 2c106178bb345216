#include "real/certs/signing_private.hpp"

#include <openssl/rand.h>

#include <array>

namespace gauntlet {
namespace {

using Extension = std::unique_ptr<X509_EXTENSION, OpensslFree<X509_EXTENSION_free>>;
using Integer = std::unique_ptr<ASN1_INTEGER, OpensslFree<ASN1_INTEGER_free>>;
using Moment = std::unique_ptr<ASN1_TIME, OpensslFree<ASN1_TIME_free>>;

// Unique without a counter that a crash could repeat: 2^127 numbers (RFC 5280, section 4.1.2.2 allows 20 bytes).
Integer random_serial() {
  std::array<unsigned char, 16> bytes{};
  require(RAND_bytes(bytes.data(), static_cast<int>(bytes.size())), "RAND_bytes");
  bytes[0] = static_cast<unsigned char>((bytes[0] & 0x7f) | 0x40);  // positive, and of full length
  const std::unique_ptr<BIGNUM, OpensslFree<BN_free>> number(
      BN_bin2bn(bytes.data(), static_cast<int>(bytes.size()), nullptr));
  Integer serial(BN_to_ASN1_INTEGER(number.get(), nullptr));
  if (!serial) throw OpensslFailure("BN_to_ASN1_INTEGER");
  return serial;
}

Moment moment(std::time_t at) {
  Moment time(ASN1_TIME_set(nullptr, at));
  if (!time) throw OpensslFailure("ASN1_TIME_set");
  return time;
}

void set_name(X509_NAME& name, const std::string& cluster, const char* what) {
  const auto add = [&](const char* field, const std::string& text) {
    require(X509_NAME_add_entry_by_txt(&name, field, MBSTRING_UTF8,
                                       reinterpret_cast<const unsigned char*>(text.c_str()), -1, -1, 0),
            "X509_NAME_add_entry_by_txt");
  };
  add("O", cluster);
  add("CN", what);
}

void add_extension(X509& certificate, const X509* issuer, int kind, const std::string& value) {
  X509V3_CTX context{};
  X509* signer = issuer == nullptr ? &certificate : const_cast<X509*>(issuer);  // which is only read
  X509V3_set_ctx(&context, signer, &certificate, nullptr, nullptr, 0);
  const Extension extension(X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str()));
  if (!extension) throw OpensslFailure("X509V3_EXT_conf_nid");
  require(X509_add_ext(&certificate, extension.get(), -1), "X509_add_ext");
}

OpensslCertificate unsigned_certificate(EVP_PKEY& key, const Validity& validity) {
  OpensslCertificate made(X509_new());
  if (!made) throw OpensslFailure("X509_new");
  require(X509_set_version(made.get(), X509_VERSION_3), "X509_set_version");
  require(X509_set_serialNumber(made.get(), random_serial().get()), "X509_set_serialNumber");
  require(X509_set1_notBefore(made.get(), moment(validity.begin).get()), "X509_set1_notBefore");
  require(X509_set1_notAfter(made.get(), moment(validity.end).get()), "X509_set1_notAfter");
  require(X509_set_pubkey(made.get(), &key), "X509_set_pubkey");
  return made;
}

void sign(X509& certificate, EVP_PKEY& key) {
  if (X509_sign(&certificate, &key, EVP_sha256()) == 0) throw OpensslFailure("X509_sign");
}

}  // namespace

OpensslKey new_signing_key() {
  OpensslKey key(EVP_EC_gen("P-256"));
  if (!key) throw OpensslFailure("EVP_EC_gen");
  return key;
}

OpensslCertificate sign_authority(const std::string& cluster, EVP_PKEY& key, const Validity& validity) {
  OpensslCertificate made = unsigned_certificate(key, validity);
  X509& authority = *made;
  set_name(*X509_get_subject_name(&authority), cluster, "gauntlet authority");
  require(X509_set_issuer_name(&authority, X509_get_subject_name(&authority)), "X509_set_issuer_name");
  add_extension(authority, nullptr, NID_basic_constraints, "critical,CA:TRUE,pathlen:0");
  add_extension(authority, nullptr, NID_key_usage, "critical,keyCertSign,cRLSign");
  add_extension(authority, nullptr, NID_subject_key_identifier, "hash");
  sign(authority, key);
  return made;
}

OpensslCertificate sign_identity(const SigningAuthority& authority, const PeerIdentity& identity,
                                 EVP_PKEY& key, const Validity& validity) {
  const bool is_driver = identity.role == PeerRole::driver;
  OpensslCertificate made = unsigned_certificate(key, validity);
  X509& leaf = *made;
  // The host stands in the alternative names: a common name has at most 64 characters.
  set_name(*X509_get_subject_name(&leaf), identity.cluster, is_driver ? "gauntlet driver" : "gauntlet agent");
  require(X509_set_issuer_name(&leaf, X509_get_subject_name(authority.certificate)), "X509_set_issuer_name");
  add_extension(leaf, authority.certificate, NID_basic_constraints, "critical,CA:FALSE");
  add_extension(leaf, authority.certificate, NID_key_usage, "critical,digitalSignature");
  add_extension(leaf, authority.certificate, NID_ext_key_usage, is_driver ? "clientAuth" : "serverAuth");
  add_extension(leaf, authority.certificate, NID_subject_key_identifier, "hash");
  add_extension(leaf, authority.certificate, NID_authority_key_identifier, "keyid:always");
  const std::string host = (is_ipv4_address(identity.host) ? ",IP:" : ",DNS:") + identity.host;
  add_extension(leaf, authority.certificate, NID_subject_alt_name, "URI:" + uri_of(identity) + host);
  sign(leaf, *authority.key);
  return made;
}

OpensslRevocations sign_revocations(const SigningAuthority& authority,
                                    const std::vector<RevokedSerial>& revoked, std::uint64_t number,
                                    std::time_t begin) {
  OpensslRevocations made(X509_CRL_new());
  if (!made) throw OpensslFailure("X509_CRL_new");
  X509_CRL& list = *made;
  require(X509_CRL_set_version(&list, X509_CRL_VERSION_2), "X509_CRL_set_version");
  require(X509_CRL_set_issuer_name(&list, X509_get_subject_name(authority.certificate)),
          "X509_CRL_set_issuer_name");
  require(X509_CRL_set1_lastUpdate(&list, moment(begin).get()), "X509_CRL_set1_lastUpdate");
  require(X509_CRL_set1_nextUpdate(&list, X509_get0_notAfter(authority.certificate)),
          "X509_CRL_set1_nextUpdate");
  for (const RevokedSerial& each : revoked) {
    std::unique_ptr<X509_REVOKED, OpensslFree<X509_REVOKED_free>> entry(X509_REVOKED_new());
    if (!entry) throw OpensslFailure("X509_REVOKED_new");
    require(X509_REVOKED_set_serialNumber(entry.get(), const_cast<ASN1_INTEGER*>(each.serial)),
            "X509_REVOKED_set_serialNumber");
    require(X509_REVOKED_set_revocationDate(entry.get(), moment(each.at).get()),
            "X509_REVOKED_set_revocationDate");
    require(X509_CRL_add0_revoked(&list, entry.get()), "X509_CRL_add0_revoked");
    static_cast<void>(entry.release());
  }
  const Integer numbered(ASN1_INTEGER_new());
  if (!numbered) throw OpensslFailure("ASN1_INTEGER_new");
  require(ASN1_INTEGER_set_uint64(numbered.get(), number), "ASN1_INTEGER_set_uint64");
  require(X509_CRL_add1_ext_i2d(&list, NID_crl_number, numbered.get(), 0, 0), "X509_CRL_add1_ext_i2d");
  require(X509_CRL_sort(&list), "X509_CRL_sort");
  if (X509_CRL_sign(&list, authority.key, EVP_sha256()) == 0) throw OpensslFailure("X509_CRL_sign");
  return made;
}

std::uint64_t number_of(const X509_CRL& revocations) {
  const Integer number(
      static_cast<ASN1_INTEGER*>(X509_CRL_get_ext_d2i(&revocations, NID_crl_number, nullptr, nullptr)));
  std::uint64_t value = 0;
  return number && ASN1_INTEGER_get_uint64(&value, number.get()) == 1 ? value : 0;
}

}  // namespace gauntlet
