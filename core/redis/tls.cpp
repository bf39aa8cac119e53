#include "core/redis/tls.h"

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "core/error.h"
#include "core/redis/host_lookup.h"
#include "core/redis/sigpipe.h"

namespace core {
namespace {

// The first reason that OpenSSL has noted for this thread, which is then forgotten.
std::string take_reason() {
  const auto code = ERR_get_error();
  ERR_clear_error();
  const char* reason = code == 0 ? nullptr : ERR_reason_error_string(code);
  if (reason == nullptr) return "the connection was closed";
  if (std::string_view(reason) == "wrong version number") return "the other side speaks no TLS";
  return reason;
}

void must_work(bool worked, std::string_view what, const std::string& file) {
  if (worked) return;
  // OpenSSL has no words for an error of the system's, such as a file that is not there.
  const int error = access(file.c_str(), R_OK) == 0 ? 0 : errno;
  const auto reason = take_reason();
  throw AccessDenied(fmt::format("cannot use {} \"{}\": {}", what, file,
                                 error != 0 ? std::strerror(error) : reason));
}

void trust(SSL_CTX* context, const Tls& tls) {
  if (tls.ca_file.empty()) {
    SSL_CTX_set_default_verify_paths(context);
  } else {
    must_work(SSL_CTX_load_verify_locations(context, tls.ca_file.c_str(), nullptr) == 1,
              "the authorities in", tls.ca_file);
  }
  SSL_CTX_set_verify(context, tls.verify ? SSL_VERIFY_PEER : SSL_VERIFY_NONE, nullptr);
}

void identify(SSL_CTX* context, const Tls& tls) {
  if (tls.certificate_file.empty()) return;
  const auto* certificate = tls.certificate_file.c_str();
  must_work(SSL_CTX_use_certificate_chain_file(context, certificate) == 1, "the certificate",
            tls.certificate_file);
  must_work(SSL_CTX_use_PrivateKey_file(context, tls.key_file.c_str(), SSL_FILETYPE_PEM) == 1,
            "the key", tls.key_file);
}

// The certificate must be for `name`.
void expect_name(SSL* session, const std::string& name) {
  if (HostLookup::is_numeric(name)) {
    X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(session), name.c_str());
    return;
  }
  SSL_set1_host(session, name.c_str());
  // Which certificate is meant, if the server has several:
  // https://www.rfc-editor.org/rfc/rfc6066#section-3
  SSL_ctrl(session, SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name,
           const_cast<char*>(name.c_str()));
}

}  // namespace

void TlsSession::Free::operator()(ssl_st* session) const {
  SSL_free(session);
}
void TlsSession::Free::operator()(ssl_ctx_st* context) const {
  SSL_CTX_free(context);
}

TlsSession::TlsSession(const Tls& tls, const std::string& host, int socket) {
  ignore_sigpipe();
  ERR_clear_error();
  context_.reset(SSL_CTX_new(TLS_client_method()));
  SSL_CTX_set_min_proto_version(context_.get(), TLS1_2_VERSION);
  SSL_CTX_set_mode(context_.get(),
                   SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  trust(context_.get(), tls);
  identify(context_.get(), tls);
  session_.reset(SSL_new(context_.get()));
  SSL_set_fd(session_.get(), socket);
  expect_name(session_.get(), tls.server_name.empty() ? host : tls.server_name);
  SSL_set_connect_state(session_.get());
}

TlsSession::~TlsSession() = default;

TlsSession::Progress TlsSession::handshake() {
  return progress_of(SSL_do_handshake(session_.get()));
}

TlsSession::Progress TlsSession::read(char* bytes, std::size_t size, std::size_t& count) {
  count = 0;
  return progress_of(SSL_read_ex(session_.get(), bytes, size, &count));
}

TlsSession::Progress TlsSession::write(std::string_view bytes, std::size_t& count) {
  count = 0;
  return progress_of(SSL_write_ex(session_.get(), bytes.data(), bytes.size(), &count));
}

TlsSession::Progress TlsSession::progress_of(int result) {
  if (result == 1) return Progress::done;
  const int system_error = errno;
  switch (SSL_get_error(session_.get(), result)) {
    case SSL_ERROR_WANT_READ: return Progress::wants_to_read;
    case SSL_ERROR_WANT_WRITE: return Progress::wants_to_write;
    default: break;
  }
  const auto verified = SSL_get_verify_result(session_.get());
  denied_ = verified != X509_V_OK && SSL_get_verify_mode(session_.get()) != SSL_VERIFY_NONE;
  if (denied_) {
    failure_ =
        fmt::format("its certificate is not accepted: {}", X509_verify_cert_error_string(verified));
    ERR_clear_error();
    return Progress::failed;
  }
  const auto code = ERR_peek_error();
  // An alert is what the server says of us: https://www.rfc-editor.org/rfc/rfc8446#section-6.2
  denied_ = ERR_GET_LIB(code) == ERR_LIB_SSL && ERR_GET_REASON(code) >= SSL_AD_REASON_OFFSET;
  const bool by_system = code == 0 && system_error != 0;
  failure_ = by_system ? std::strerror(system_error) : take_reason();
  return Progress::failed;
}

}  // namespace core
