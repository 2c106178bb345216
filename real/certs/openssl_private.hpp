// OpenSSL's objects with one owner each, and their text forms (PEM).
#pragma once

#include <openssl/evp.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <ctime>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

namespace gauntlet {

template <auto Free>
struct OpensslFree {
  template <class Object>
  void operator()(Object* object) const {
    Free(object);
  }
};

using OpensslKey = std::unique_ptr<EVP_PKEY, OpensslFree<EVP_PKEY_free>>;
using OpensslCertificate = std::unique_ptr<X509, OpensslFree<X509_free>>;
using OpensslRevocations = std::unique_ptr<X509_CRL, OpensslFree<X509_CRL_free>>;

/// A call of OpenSSL that fails only where memory or random numbers are missing, or by our mistake.
struct OpensslFailure : std::runtime_error {
  explicit OpensslFailure(const std::string& call);
};

/// Throws where `done` is not 1, which is how OpenSSL says that it did what it was asked for.
void require(int done, const char* call);

// Null where the text is not one.
OpensslCertificate certificate_of(std::string_view pem);
OpensslKey key_of(std::string_view pem);
OpensslRevocations revocations_of(std::string_view pem);

std::string pem_of(const X509& certificate);
std::string pem_of(const EVP_PKEY& key);
std::string pem_of(const X509_CRL& revocations);

/// In small hexadecimal digits, as file names and lists have it.
std::string serial_of(const X509& certificate);
std::string serial_text(const ASN1_INTEGER& serial);
std::time_t time_of(const ASN1_TIME& time);
/// The organisation of its subject: the cluster.
std::string organisation_of(const X509& certificate);
/// The URI among its alternative names; empty where there is none, or more than one.
std::string single_uri_of(const X509& certificate);

}  // namespace gauntlet
