#include "real/stream/tls_private.hpp"

#include <grpcpp/security/tls_certificate_provider.h>
#include <grpcpp/security/tls_certificate_verifier.h>
#include <grpcpp/security/tls_credentials_options.h>

#include <exception>
#include <utility>
#include <vector>

namespace gauntlet {
namespace {

namespace tls = grpc::experimental;

/// Checks a peer once its handshake has shown that it has the key of its certificate.
class PeerVerifier final : public tls::ExternalCertificateVerifier {
 public:
  PeerVerifier(std::shared_ptr<PeerTrust> trust, PeerCheck::Wanted wanted, OnRefusal on_refusal)
      : trust_(std::move(trust)), wanted_(std::move(wanted)), on_refusal_(std::move(on_refusal)) {}

  bool Verify(tls::TlsCustomVerificationCheckRequest* request, std::function<void(grpc::Status)>,
              grpc::Status* status) override {
    const PeerCheck::Verdict verdict = judge(*request);
    if (!verdict.passes()) {
      on_refusal_(verdict);
      *status = {grpc::StatusCode::UNAUTHENTICATED, verdict.why};
    }
    return true;
  }
  void Cancel(tls::TlsCustomVerificationCheckRequest*) override {}

 private:
  PeerCheck::Verdict judge(const tls::TlsCustomVerificationCheckRequest& request) const {
    try {
      const grpc::string_ref certificate = request.peer_cert();
      return trust_->check({certificate.data(), certificate.size()}, wanted_);
    } catch (const std::exception& error) {
      return {.why = error.what()};  // no memory is left
    }
  }

  const std::shared_ptr<PeerTrust> trust_;
  const PeerCheck::Wanted wanted_;
  const OnRefusal on_refusal_;
};

std::shared_ptr<tls::CertificateProviderInterface> provider_of(const HostCertificates& own) {
  return std::make_shared<tls::StaticDataCertificateProvider>(
      own.authority,
      std::vector<tls::IdentityKeyCertPair>{{.private_key = own.key, .certificate_chain = own.certificate}});
}

}  // namespace

std::shared_ptr<grpc::ServerCredentials> agent_credentials(const std::shared_ptr<PeerTrust>& trust,
                                                           OnRefusal on_refusal) {
  tls::TlsServerCredentialsOptions options(provider_of(trust->own()));
  options.watch_root_certs();
  options.watch_identity_key_cert_pairs();
  // gRPC refuses in silence, and knows no list of revoked certificates but the one of its start. So it leaves the whole
  // check to our verifier, which is asked about each peer, also about one without a certificate.
  options.set_cert_request_type(GRPC_SSL_REQUEST_CLIENT_CERTIFICATE_BUT_DONT_VERIFY);
  options.set_certificate_verifier(tls::ExternalCertificateVerifier::Create<PeerVerifier>(
      trust, PeerCheck::Wanted{.role = PeerRole::driver}, std::move(on_refusal)));
  return tls::TlsServerCredentials(options);
}

std::shared_ptr<grpc::ChannelCredentials> driver_credentials(const std::shared_ptr<PeerTrust>& trust,
                                                             const std::string& host, OnRefusal on_refusal) {
  tls::TlsChannelCredentialsOptions options;
  options.set_certificate_provider(provider_of(trust->own()));
  options.watch_root_certs();
  options.watch_identity_key_cert_pairs();
  options.set_verify_server_certs(false);  // by our verifier, which says why not
  options.set_certificate_verifier(tls::ExternalCertificateVerifier::Create<PeerVerifier>(
      trust, PeerCheck::Wanted{.role = PeerRole::agent, .host = host}, std::move(on_refusal)));
  return tls::TlsCredentials(options);
}

std::string certificate_of_peer(const grpc::AuthContext& context) {
  const auto found = context.FindPropertyValues(GRPC_X509_PEM_CERT_PROPERTY_NAME);
  return found.size() == 1 ? std::string(found[0].data(), found[0].size()) : "";
}

}  // namespace gauntlet
