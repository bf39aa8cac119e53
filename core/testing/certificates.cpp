#include "core/testing/certificates.h"

#include <openssl/bio.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <stdexcept>
#include <utility>

namespace core {
namespace {

void name(X509_NAME* subject, const std::string& text) {
  X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>(text.c_str()), -1, -1, 0);
}

void extend(X509* certificate, X509* issuer, int kind, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  auto* extension = X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str());
  if (extension == nullptr) throw std::invalid_argument(value);
  X509_add_ext(certificate, extension, -1);
  X509_EXTENSION_free(extension);
}

// Without extensions, and not signed.
Certificate draft(EVP_PKEY* key, const std::string& subject, std::chrono::seconds ends_in) {
  static long serial = 0;
  Certificate certificate(X509_new());
  X509_set_version(certificate.get(), X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), ++serial);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -3600);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), ends_in.count());
  X509_set_pubkey(certificate.get(), key);
  name(X509_get_subject_name(certificate.get()), subject);
  return certificate;
}

Certificate self_signed(EVP_PKEY* key, const std::string& subject) {
  auto certificate = draft(key, subject, std::chrono::hours(1));
  X509_set_issuer_name(certificate.get(), X509_get_subject_name(certificate.get()));
  extend(certificate.get(), certificate.get(), NID_basic_constraints, "critical,CA:TRUE");
  extend(certificate.get(), certificate.get(), NID_key_usage, "critical,keyCertSign");
  X509_sign(certificate.get(), key, EVP_sha256());
  return certificate;
}

template <typename Write>
void write_file(const std::filesystem::path& file, Write write) {
  BIO* out = BIO_new_file(file.c_str(), "w");
  if (out == nullptr) throw std::runtime_error("cannot write " + file.native());
  write(out);
  BIO_free(out);
}

}  // namespace

Authority::Authority(std::filesystem::path directory, std::string name)
    : directory_(std::move(directory)),
      name_(std::move(name)),
      key_(EVP_EC_gen("P-256")),
      certificate_(self_signed(key_.get(), name_)) {
  write_file(certificate_file(), [&](BIO* out) { PEM_write_bio_X509(out, certificate_.get()); });
}

std::string Authority::certificate_file() const {
  return directory_ / (name_ + ".pem");
}

CertificateFiles Authority::issue(const std::string& file, const std::string& names,
                                  std::chrono::seconds ends_in) const {
  const Key key(EVP_EC_gen("P-256"));
  const auto certificate = draft(key.get(), file, ends_in);
  X509_set_issuer_name(certificate.get(), X509_get_subject_name(certificate_.get()));
  extend(certificate.get(), certificate_.get(), NID_subject_alt_name, names);
  X509_sign(certificate.get(), key_.get(), EVP_sha256());
  const CertificateFiles files{.certificate = directory_ / (file + ".pem"),
                               .key = directory_ / (file + ".key")};
  write_file(files.certificate, [&](BIO* out) { PEM_write_bio_X509(out, certificate.get()); });
  write_file(files.key, [&](BIO* out) {
    PEM_write_bio_PrivateKey(out, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
  });
  return files;
}

}  // namespace core
