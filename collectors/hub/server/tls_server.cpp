// SPDX-License-Identifier: Apache-2.0
#include "collectors/hub/server/tls_server.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <sys/stat.h>

#include <cstring>

#include "collectors/wire/guarded_file.h"

namespace runglass {
namespace {

constexpr DurNs kLookEvery = kNsPerSecond;
constexpr long kMaxCertificates = 32 << 10;  // maximum bytes of a client's certificates
constexpr char kCiphers[] = "ECDHE+AESGCM:ECDHE+CHACHA20";
constexpr unsigned char kProtocol[] = "\x02h2";
constexpr int kMaxKeyUpdates = 64;  // per client: each costs a key derivation, and gRPC's clients send none

using Bytes = std::unique_ptr<BIO, decltype(&BIO_free)>;
using Certificate = std::unique_ptr<X509, decltype(&X509_free)>;
using Key = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;

Bytes bytesOf(const std::string& text) { return {BIO_new_mem_buf(text.data(), static_cast<int>(text.size())), BIO_free}; }
Certificate next(BIO* in) { return {PEM_read_bio_X509(in, nullptr, nullptr, nullptr), X509_free}; }

Status unusable(const std::string& file, const char* what) {
  std::array<char, 256> text{};
  ERR_error_string_n(ERR_get_error(), text.data(), text.size());
  return {Code::kInvalidArgument, "TLS: " + file + ": is no usable " + what + ": " + text.data()};
}

int chooseProtocol(SSL*, const unsigned char** out, unsigned char* size, const unsigned char* offered, unsigned int length, void*) {
  unsigned char* chosen = nullptr;
  if (SSL_select_next_proto(&chosen, size, kProtocol, sizeof kProtocol - 1, offered, length) != OPENSSL_NPN_NEGOTIATED)
    return SSL_TLSEXT_ERR_ALERT_FATAL;
  *out = chosen;
  return SSL_TLSEXT_ERR_OK;
}

void countKeyUpdates(int sent, int, int type, const void* message, std::size_t size, SSL*, void* count) {
  if (sent == 0 && type == SSL3_RT_HANDSHAKE && size > 0 && *static_cast<const unsigned char*>(message) == SSL3_MT_KEY_UPDATE)
    ++*static_cast<int*>(count);
}

}  // namespace

TlsSession::TlsSession(SSL* ssl) : m_ssl(ssl, SSL_free) {
  SSL_set_msg_callback(ssl, countKeyUpdates);
  SSL_set_msg_callback_arg(ssl, m_key_updates.get());
}

TlsSession::Answer TlsSession::answer(int result) const {
  switch (SSL_get_error(m_ssl.get(), result)) {
    case SSL_ERROR_NONE:
      return Answer::kDone;
    case SSL_ERROR_WANT_READ:
      return Answer::kWantRead;
    case SSL_ERROR_WANT_WRITE:
      return Answer::kWantWrite;
    default:
      return Answer::kEnd;
  }
}

TlsSession::Answer TlsSession::shake() {
  ERR_clear_error();
  return answer(SSL_accept(m_ssl.get()));
}

TlsSession::Answer TlsSession::read(std::span<char> into, std::size_t& got) {
  ERR_clear_error();
  const Answer read = answer(SSL_read_ex(m_ssl.get(), into.data(), into.size(), &got));
  return *m_key_updates > kMaxKeyUpdates ? Answer::kEnd : read;
}

TlsSession::Answer TlsSession::write(std::string_view bytes, std::size_t& wrote) {
  ERR_clear_error();
  return answer(SSL_write_ex(m_ssl.get(), bytes.data(), bytes.size(), &wrote));
}

void TlsSession::close() {
  ERR_clear_error();
  (void)SSL_shutdown(m_ssl.get());
}

std::string TlsSession::certificate() const {
  const Certificate shown(SSL_get1_peer_certificate(m_ssl.get()), X509_free);
  if (!shown || SSL_get_verify_result(m_ssl.get()) != X509_V_OK) return {};
  const Bytes out(BIO_new(BIO_s_mem()), BIO_free);
  if (PEM_write_bio_X509(out.get(), shown.get()) != 1) return {};
  char* data = nullptr;
  const long size = BIO_get_mem_data(out.get(), &data);
  return {data, static_cast<std::size_t>(size)};
}

Result<std::unique_ptr<TlsServer>> TlsServer::make(const HubOptions& options, AccessTable& access, bool local) {
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
    return std::unique_ptr<TlsServer>();
  }
  if (!local && options.tls_client_ca.empty() && options.token_file.empty())
    return Status(Code::kFailedPrecondition,
                  "listen: " + options.listen + ": reachable from other machines, so a token file or client CA is needed");
  std::unique_ptr<TlsServer> self(new TlsServer(options, access));
  self->m_versions = self->versions();
  RG_TRY(self->load());
  return self;
}

std::array<TlsServer::Version, 3> TlsServer::versions() const {
  std::array<Version, 3> out;
  for (std::size_t i = 0; const std::string* file : {&m_certificate, &m_key, &m_authority}) {
    struct stat info {};
    if (!file->empty() && stat(file->c_str(), &info) == 0)
      out[i] = {info.st_ino, info.st_size, info.st_mtim.tv_sec * kNsPerSecond + info.st_mtim.tv_nsec};
    ++i;
  }
  return out;
}

Status TlsServer::load() {
  RG_ASSIGN(const std::string chain, readGuarded(m_certificate, "TLS certificate", false));
  RG_ASSIGN(const std::string secret, readGuarded(m_key, "TLS key", true));
  std::string authority;
  if (!m_authority.empty()) {
    RG_ASSIGN(authority, readGuarded(m_authority, "TLS client CA", false));
  }
  ERR_clear_error();
  const std::shared_ptr<SSL_CTX> context(SSL_CTX_new(TLS_server_method()), SSL_CTX_free);
  if (!context) return unusable(m_certificate, "certificate");
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  SSL_CTX_set_cipher_list(context.get(), kCiphers);
  // A resumed session would outlive its certificate's CA.
  SSL_CTX_set_options(context.get(), SSL_OP_NO_TICKET | SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_CIPHER_SERVER_PREFERENCE);
  SSL_CTX_set_num_tickets(context.get(), 0);
  SSL_CTX_set_session_cache_mode(context.get(), SSL_SESS_CACHE_OFF);
  SSL_CTX_set_mode(context.get(), SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
  // One record per call, or else a client that sends records without data would hold the thread as long as it sends.
  SSL_CTX_clear_mode(context.get(), SSL_MODE_AUTO_RETRY);
  SSL_CTX_set_max_cert_list(context.get(), kMaxCertificates);
  SSL_CTX_set_alpn_select_cb(context.get(), chooseProtocol, nullptr);

  const Bytes chain_in = bytesOf(chain);
  const Certificate own = next(chain_in.get());
  if (!own || SSL_CTX_use_certificate(context.get(), own.get()) != 1) return unusable(m_certificate, "certificate");
  while (Certificate more = next(chain_in.get()))
    if (SSL_CTX_add1_chain_cert(context.get(), more.get()) != 1) return unusable(m_certificate, "certificate");
  ERR_clear_error();  // the end of the file counts as an error
  const Key key(PEM_read_bio_PrivateKey(bytesOf(secret).get(), nullptr, nullptr, nullptr), EVP_PKEY_free);
  if (!key || SSL_CTX_use_PrivateKey(context.get(), key.get()) != 1 || SSL_CTX_check_private_key(context.get()) != 1)
    return unusable(m_key, "key of that certificate");
  if (!m_authority.empty()) {
    const Bytes in = bytesOf(authority);
    int count = 0;
    for (; Certificate one = next(in.get()); ++count)
      if (X509_STORE_add_cert(SSL_CTX_get_cert_store(context.get()), one.get()) != 1 ||
          SSL_CTX_add_client_CA(context.get(), one.get()) != 1)
        return unusable(m_authority, "client CA");
    if (count == 0) return unusable(m_authority, "client CA");
    ERR_clear_error();
  }
  m_context = context;
  return {};
}

std::unique_ptr<TlsSession> TlsServer::session(int fd, DurNs now) {
  if (now - m_looked >= kLookEvery) {
    m_looked = now;
    // A pair of files during renewal does not match: the next check finds both.
    if (const auto there = versions(); there != m_versions && load().ok()) m_versions = there;
  }
  SSL* const ssl = SSL_new(m_context.get());
  if (ssl == nullptr || SSL_set_fd(ssl, fd) != 1) {
    SSL_free(ssl);
    return nullptr;
  }
  // Where only certificates grant access, no part of gRPC is reachable without one.
  if (!m_authority.empty())
    SSL_set_verify(ssl, m_access.takesTokens({wallNow(), now}) ? SSL_VERIFY_PEER : SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT,
                   nullptr);
  return std::make_unique<TlsSession>(ssl);
}

}  // namespace runglass
