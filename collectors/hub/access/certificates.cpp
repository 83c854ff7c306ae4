// SPDX-License-Identifier: Apache-2.0
#include "collectors/hub/access/certificates.h"

#include <arpa/inet.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <memory>

namespace runglass {
namespace {

template <auto Free>
struct Freed {
  template <class T>
  void operator()(T* object) const {
    Free(object);
  }
};
using Key = std::unique_ptr<EVP_PKEY, Freed<EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, Freed<X509_free>>;
using Bytes = std::unique_ptr<BIO, Freed<BIO_free>>;
using Names = std::unique_ptr<GENERAL_NAMES, Freed<GENERAL_NAMES_free>>;
using Extension = std::unique_ptr<X509_EXTENSION, Freed<X509_EXTENSION_free>>;

// Clocks of a cluster differ: a new certificate must be valid on every node at once.
constexpr long kValidBefore = 3600;

Status refused(const char* what) {
  std::array<char, 256> text{};
  ERR_error_string_n(ERR_get_error(), text.data(), text.size());
  return {Code::kInternal, std::string("certificate: ") + what + ": " + text.data()};
}

Result<Certificate> parse(std::string_view pem) {
  const Bytes in(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  Certificate certificate(PEM_read_bio_X509(in.get(), nullptr, nullptr, nullptr));
  if (!certificate) return Status(Code::kInvalidArgument, "certificate: this is no PEM certificate");
  return certificate;
}

template <class Write>
Result<std::string> pemOf(const Write& write) {
  const Bytes out(BIO_new(BIO_s_mem()));
  if (write(out.get()) != 1) return refused("cannot be written");
  char* data = nullptr;
  const long size = BIO_get_mem_data(out.get(), &data);
  return std::string(data, static_cast<std::size_t>(size));
}

Result<KeyPair> pairOf(X509* certificate, EVP_PKEY* key) {
  KeyPair out;
  RG_ASSIGN(out.certificate, pemOf([&](BIO* bio) { return PEM_write_bio_X509(bio, certificate); }));
  RG_ASSIGN(out.key, pemOf([&](BIO* bio) { return PEM_write_bio_PKCS8PrivateKey(bio, key, nullptr, nullptr, 0, nullptr, nullptr); }));
  return out;
}

bool addExtension(X509* certificate, X509* issuer, int kind, const char* value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  const Extension extension(X509V3_EXT_conf_nid(nullptr, &context, kind, value));
  return extension && X509_add_ext(certificate, extension.get(), -1) == 1;
}

bool isName(const std::string& name) {
  return !name.empty() && name.size() <= 253 && std::ranges::all_of(name, [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' || c == '-' || c == '_' || c == '*';
  });
}

// Built from parts, not from a parsed string: a name is data.
Status addNames(X509* certificate, const std::vector<std::string>& names) {
  const Names all(GENERAL_NAMES_new());
  for (const std::string& name : names) {
    std::array<unsigned char, 16> address{};
    const int bytes = inet_pton(AF_INET, name.c_str(), address.data()) == 1    ? 4
                      : inet_pton(AF_INET6, name.c_str(), address.data()) == 1 ? 16
                                                                               : 0;
    if (bytes == 0 && !isName(name))
      return {Code::kInvalidArgument, "certificate: '" + name + "' is neither a host name nor an IP address"};
    ASN1_STRING* text = bytes > 0 ? ASN1_OCTET_STRING_new() : ASN1_IA5STRING_new();
    ASN1_STRING_set(text, bytes > 0 ? static_cast<const void*>(address.data()) : name.data(),
                    bytes > 0 ? bytes : static_cast<int>(name.size()));
    GENERAL_NAME* one = GENERAL_NAME_new();
    GENERAL_NAME_set0_value(one, bytes > 0 ? GEN_IPADD : GEN_DNS, text);
    sk_GENERAL_NAME_push(all.get(), one);
  }
  if (X509_add1_ext_i2d(certificate, NID_subject_alt_name, all.get(), 0, X509V3_ADD_DEFAULT) != 1) return refused("names");
  return {};
}

// The fields that authority and issued certificates have in common; the subject is `name`.
Result<Certificate> blank(EVP_PKEY* key, const std::string& name, int days) {
  if (days < 1 || days > 3650) return Status(Code::kInvalidArgument, "certificate: valid for 1 to 3650 days, not " + std::to_string(days));
  Certificate certificate(X509_new());
  ASN1_INTEGER* serial = X509_get_serialNumber(certificate.get());
  const std::unique_ptr<BIGNUM, Freed<BN_free>> number(BN_new());
  X509_NAME* subject = X509_get_subject_name(certificate.get());
  const bool good = X509_set_version(certificate.get(), X509_VERSION_3) == 1 && BN_rand(number.get(), 127, 0, 0) == 1 &&
                    BN_to_ASN1_INTEGER(number.get(), serial) != nullptr &&
                    X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -kValidBefore) != nullptr &&
                    X509_time_adj_ex(X509_getm_notAfter(certificate.get()), days, 0, nullptr) != nullptr &&
                    X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8, reinterpret_cast<const unsigned char*>(name.data()),
                                               static_cast<int>(std::min<std::size_t>(name.size(), 64)), -1, 0) == 1 &&
                    X509_set_pubkey(certificate.get(), key) == 1;
  if (!good) return refused("cannot be made");
  return certificate;
}

}  // namespace

Result<KeyPair> makeAuthority(int days) {
  const Key key(EVP_EC_gen("P-256"));
  if (!key) return refused("no key");
  RG_ASSIGN(const Certificate certificate, blank(key.get(), "Runglass authority", days));
  X509* self = certificate.get();
  const bool good = X509_set_issuer_name(self, X509_get_subject_name(self)) == 1 &&
                    addExtension(self, self, NID_basic_constraints, "critical,CA:TRUE,pathlen:0") &&
                    addExtension(self, self, NID_key_usage, "critical,keyCertSign,cRLSign") &&
                    addExtension(self, self, NID_subject_key_identifier, "hash") && X509_sign(self, key.get(), EVP_sha256()) > 0;
  if (!good) return refused("the authority cannot be made");
  return pairOf(self, key.get());
}

Result<KeyPair> issueCertificate(const KeyPair& authority, CertificateUse use, const std::vector<std::string>& names, int days) {
  if (names.empty()) return Status(Code::kInvalidArgument, "certificate: it needs a name");
  RG_ASSIGN(const Certificate issuer, parse(authority.certificate));
  const Bytes in(BIO_new_mem_buf(authority.key.data(), static_cast<int>(authority.key.size())));
  const Key signer(PEM_read_bio_PrivateKey(in.get(), nullptr, nullptr, nullptr));
  if (!signer) return Status(Code::kInvalidArgument, "certificate: the authority's key is no PEM key");
  if (X509_check_private_key(issuer.get(), signer.get()) != 1)
    return Status(Code::kInvalidArgument, "certificate: the authority's key is not that of its certificate");
  const Key key(EVP_EC_gen("P-256"));
  if (!key) return refused("no key");
  RG_ASSIGN(const Certificate certificate, blank(key.get(), names.front(), days));
  RG_TRY(addNames(certificate.get(), names));
  const bool server = use == CertificateUse::kServer;
  const bool good = X509_set_issuer_name(certificate.get(), X509_get_subject_name(issuer.get())) == 1 &&
                    addExtension(certificate.get(), issuer.get(), NID_basic_constraints, "critical,CA:FALSE") &&
                    addExtension(certificate.get(), issuer.get(), NID_key_usage, "critical,digitalSignature") &&
                    addExtension(certificate.get(), issuer.get(), NID_ext_key_usage, server ? "serverAuth" : "clientAuth") &&
                    addExtension(certificate.get(), issuer.get(), NID_subject_key_identifier, "hash") &&
                    addExtension(certificate.get(), issuer.get(), NID_authority_key_identifier, "keyid:always") &&
                    X509_sign(certificate.get(), signer.get(), EVP_sha256()) > 0;
  if (!good) return refused("cannot be signed");
  return pairOf(certificate.get(), key.get());
}

Result<std::string> fingerprintOf(std::string_view certificate) {
  RG_ASSIGN(const Certificate parsed, parse(certificate));
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  if (X509_digest(parsed.get(), EVP_sha256(), digest.data(), &size) != 1) return refused("no fingerprint");
  constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  for (unsigned i = 0; i < size; ++i) out += {kDigits[digest[i] >> 4U], kDigits[digest[i] & 15U]};
  return out;
}

Result<TimeNs> endOf(std::string_view certificate) {
  RG_ASSIGN(const Certificate parsed, parse(certificate));
  std::tm end{};
  if (ASN1_TIME_to_tm(X509_get0_notAfter(parsed.get()), &end) != 1) return refused("its end cannot be read");
  return static_cast<TimeNs>(timegm(&end)) * kNsPerSecond;
}

Result<std::vector<std::string>> namesOf(std::string_view certificate) {
  RG_ASSIGN(const Certificate parsed, parse(certificate));
  std::vector<std::string> out;
  const Names names(static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(parsed.get(), NID_subject_alt_name, nullptr, nullptr)));
  for (int i = 0; names && i < sk_GENERAL_NAME_num(names.get()); ++i) {
    int kind = 0;
    const auto* value = static_cast<const ASN1_STRING*>(GENERAL_NAME_get0_value(sk_GENERAL_NAME_value(names.get(), i), &kind));
    const unsigned char* data = ASN1_STRING_get0_data(value);
    const int size = ASN1_STRING_length(value);
    std::array<char, INET6_ADDRSTRLEN> text{};
    if (kind == GEN_DNS) out.emplace_back(reinterpret_cast<const char*>(data), static_cast<std::size_t>(size));
    if (kind == GEN_IPADD && inet_ntop(size == 4 ? AF_INET : AF_INET6, data, text.data(), text.size()) != nullptr)
      out.emplace_back(text.data());
  }
  return out;
}

}  // namespace runglass
