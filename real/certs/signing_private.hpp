// What an authority signs: its own certificate, those of drivers and agents, and the list of revoked ones. In memory
// alone.
#pragma once

#include "real/certs/openssl_private.hpp"
#include "real/certs/peer_identity.hpp"

#include <ctime>
#include <string>
#include <vector>

namespace gauntlet {

/// From `begin` until `end`, in seconds since 1970. OpenSSL takes a certificate for expired at `end` itself.
struct Validity {
  std::time_t begin = 0;
  std::time_t end = 0;
};

struct SigningAuthority {
  const X509* certificate = nullptr;
  EVP_PKEY* key = nullptr;
};

/// ECDSA on the curve P-256.
OpensslKey new_signing_key();

/// The authority of a cluster, signed by itself. It signs certificates of drivers and agents, and no further authority.
OpensslCertificate sign_authority(const std::string& cluster, EVP_PKEY& key, const Validity& validity);

/// For TLS: as a client where the role is a driver's, as a server where it is an agent's, and never as both.
OpensslCertificate sign_identity(const SigningAuthority& authority, const PeerIdentity& identity,
                                 EVP_PKEY& key, const Validity& validity);

struct RevokedSerial {
  const ASN1_INTEGER* serial = nullptr;
  std::time_t at = 0;
};

/// `number` rises with each list. It holds from `begin` on, as long as the authority's own certificate does: whoever reads it knows a newer
/// one by its number.
OpensslRevocations sign_revocations(const SigningAuthority& authority,
                                    const std::vector<RevokedSerial>& revoked, std::uint64_t number,
                                    std::time_t begin);
/// Its number; 0 where it has none.
std::uint64_t number_of(const X509_CRL& revocations);

}  // namespace gauntlet
