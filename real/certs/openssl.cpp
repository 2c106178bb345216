#include "real/certs/openssl_private.hpp"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>

#include <algorithm>
#include <cctype>

namespace gauntlet {
namespace {

using Bio = std::unique_ptr<BIO, OpensslFree<BIO_free_all>>;

Bio reader_of(std::string_view text) {
  Bio bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
  if (!bio) throw OpensslFailure("BIO_new_mem_buf");
  return bio;
}

template <class Write>
std::string written(const Write& write) {
  const Bio bio(BIO_new(BIO_s_mem()));
  if (!bio) throw OpensslFailure("BIO_new");
  require(write(bio.get()), "PEM_write_bio");
  char* bytes = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &bytes);
  return {bytes, static_cast<std::size_t>(size)};
}

// A key is not asked for a password: nobody may be there to type it.
int no_password(char*, int, int, void*) { return -1; }

std::string last_reason() {
  const unsigned long error = ERR_get_error();
  const char* reason = error == 0 ? nullptr : ERR_reason_error_string(error);
  ERR_clear_error();
  return reason == nullptr ? "" : std::string(": ") + reason;
}

}  // namespace

OpensslFailure::OpensslFailure(const std::string& call)
    : std::runtime_error("OpenSSL's " + call + " failed" + last_reason()) {}

void require(int done, const char* call) {
  if (done != 1) throw OpensslFailure(call);
}

OpensslCertificate certificate_of(std::string_view pem) {
  OpensslCertificate read(PEM_read_bio_X509(reader_of(pem).get(), nullptr, no_password, nullptr));
  ERR_clear_error();
  return read;
}

OpensslKey key_of(std::string_view pem) {
  OpensslKey read(PEM_read_bio_PrivateKey(reader_of(pem).get(), nullptr, no_password, nullptr));
  ERR_clear_error();
  return read;
}

OpensslRevocations revocations_of(std::string_view pem) {
  OpensslRevocations read(PEM_read_bio_X509_CRL(reader_of(pem).get(), nullptr, no_password, nullptr));
  ERR_clear_error();
  return read;
}

std::string pem_of(const X509& certificate) {
  return written([&](BIO* to) { return PEM_write_bio_X509(to, &certificate); });
}

std::string pem_of(const EVP_PKEY& key) {
  return written([&](BIO* to) {
    return PEM_write_bio_PKCS8PrivateKey(to, &key, nullptr, nullptr, 0, nullptr, nullptr);
  });
}

std::string pem_of(const X509_CRL& revocations) {
  return written([&](BIO* to) { return PEM_write_bio_X509_CRL(to, &revocations); });
}

std::string serial_of(const X509& certificate) { return serial_text(*X509_get0_serialNumber(&certificate)); }

std::string serial_text(const ASN1_INTEGER& serial) {
  const std::unique_ptr<BIGNUM, OpensslFree<BN_free>> number(ASN1_INTEGER_to_BN(&serial, nullptr));
  char* digits = number ? BN_bn2hex(number.get()) : nullptr;
  if (digits == nullptr) throw OpensslFailure("BN_bn2hex");
  std::string text = digits;
  OPENSSL_free(digits);
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

std::time_t time_of(const ASN1_TIME& time) {
  std::tm fields{};
  require(ASN1_TIME_to_tm(&time, &fields), "ASN1_TIME_to_tm");
  return ::timegm(&fields);
}

std::string organisation_of(const X509& certificate) {
  char text[256] = {};
  const int size =
      X509_NAME_get_text_by_NID(X509_get_subject_name(&certificate), NID_organizationName, text, sizeof text);
  return size < 0 ? "" : text;
}

std::string single_uri_of(const X509& certificate) {
  std::string uri;
  const std::unique_ptr<GENERAL_NAMES, OpensslFree<GENERAL_NAMES_free>> names(
      static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(&certificate, NID_subject_alt_name, nullptr, nullptr)));
  for (int i = 0; names && i < sk_GENERAL_NAME_num(names.get()); ++i) {
    const GENERAL_NAME* each = sk_GENERAL_NAME_value(names.get(), i);
    if (each->type != GEN_URI) continue;
    if (!uri.empty()) return "";
    const ASN1_IA5STRING* text = each->d.uniformResourceIdentifier;
    uri.assign(reinterpret_cast<const char*>(ASN1_STRING_get0_data(text)),
               static_cast<std::size_t>(ASN1_STRING_length(text)));
  }
  return uri;
}

}  // namespace gauntlet
