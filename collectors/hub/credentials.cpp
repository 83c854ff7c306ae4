// SPDX-License-Identifier: Apache-2.0
#include "collectors/hub/credentials.h"

#include <grpcpp/security/tls_certificate_provider.h>
#include <grpcpp/security/tls_credentials_options.h>

namespace runglass {
namespace {

constexpr unsigned kLookEverySeconds = 1;

}  // namespace

Result<std::shared_ptr<grpc::ServerCredentials>> serverCredentials(const HubOptions& options, const AccessBook& access, bool local) {
  if (options.tls_cert.empty() != options.tls_key.empty())
    return Status(Code::kInvalidArgument, "TLS: " + options.listen + ": certificate and key must be given together");
  if (options.tls_cert.empty()) {
    if (!options.tls_client_ca.empty())
      return Status(Code::kInvalidArgument, "TLS: " + options.listen + ": a client CA needs a certificate and a key");
    if (!local)
      return Status(Code::kFailedPrecondition,
                    "listen: " + options.listen +
                        ": reachable from other machines, so TLS is needed: give a certificate, a key, and a token file or client CA "
                        "(runglassctl pair makes them)");
    return grpc::InsecureServerCredentials();
  }
  if (!local && options.tls_client_ca.empty() && options.token_file.empty())
    return Status(Code::kFailedPrecondition,
                  "listen: " + options.listen + ": reachable from other machines, so a token file or client CA is needed");
  RG_TRY(readGuarded(options.tls_cert, "TLS certificate", false).status());
  RG_TRY(readGuarded(options.tls_key, "TLS key", true).status());
  if (!options.tls_client_ca.empty()) RG_TRY(readGuarded(options.tls_client_ca, "TLS client CA", false).status());
  using namespace grpc::experimental;
  const auto files =
      std::make_shared<FileWatcherCertificateProvider>(options.tls_key, options.tls_cert, options.tls_client_ca, kLookEverySeconds);
  TlsServerCredentialsOptions tls(files);
  tls.watch_identity_key_cert_pairs();
  if (!options.tls_client_ca.empty()) {
    tls.watch_root_certs();
    // Where pair made the file, a call shows a certificate that it names or a token; else nobody gets in without a certificate.
    tls.set_cert_request_type(access.isIssued() ? GRPC_SSL_REQUEST_CLIENT_CERTIFICATE_AND_VERIFY
                                                : GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
  }
  return TlsServerCredentials(tls);
}

}  // namespace runglass
