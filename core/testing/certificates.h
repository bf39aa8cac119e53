// For tests of TLS: an authority, and certificates that it has issued.
#pragma once

#include <openssl/evp.h>
#include <openssl/x509.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>

namespace core {

struct FreeOpenSsl {
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  void operator()(X509* certificate) const { X509_free(certificate); }
};
using Key = std::unique_ptr<EVP_PKEY, FreeOpenSsl>;
using Certificate = std::unique_ptr<X509, FreeOpenSsl>;

// Files in PEM format.
struct CertificateFiles {
  std::string certificate;
  std::string key;
};

class Authority {
 public:
  // Writes its certificate, and those that it issues, to `directory`.
  Authority(std::filesystem::path directory, std::string name);

  [[nodiscard]] std::string certificate_file() const;

  // For `names`, such as "DNS:localhost,IP:127.0.0.1"; valid from an hour ago until `ends_in`.
  [[nodiscard]] CertificateFiles issue(const std::string& file, const std::string& names,
                                       std::chrono::seconds ends_in = std::chrono::hours(1)) const;

 private:
  const std::filesystem::path directory_;
  const std::string name_;
  const Key key_;
  const Certificate certificate_;
};

}  // namespace core
