#include "core/redis/tls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/ssl.h>
#include <sys/socket.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <thread>

#include "core/redis/server.h"
#include "core/testing/certificates.h"
#include "core/testing/connection_kinds.h"
#include "core/testing/tls_server.h"
#include "faults/testing/redis_test.h"

namespace {

using core::Access;
using core::Address;
using core::answer_to;
using core::ConnectionKind;
using core::refusal_of;
using testing::AnyOf;
using testing::HasSubstr;

class TlsOnce : public faults::RedisTest {
 protected:
  // The address of a server with this certificate; `host` is what it is called.
  [[nodiscard]] Address listening(const core::CertificateFiles& own,
                                  const std::string& host = "127.0.0.1") {
    redis().retire();  // its settings name files that end with this test
    const auto port = core::listen_for_tls(redis().direct(), own, authority_.certificate_file());
    if (!port) return {};
    return {.host = host, .port = *port, .access = trusting(authority_)};
  }
  [[nodiscard]] static std::shared_ptr<const Access> trusting(const core::Authority& authority) {
    return std::make_shared<const Access>(
        Access{.tls = core::Tls{.ca_file = authority.certificate_file()}});
  }
  [[nodiscard]] core::CertificateFiles good() const {
    return authority_.issue("server", "DNS:localhost,IP:127.0.0.1");
  }
  [[nodiscard]] const core::Authority& authority() const { return authority_; }
  [[nodiscard]] const std::filesystem::path& directory() const { return files_.path(); }

 private:
  faults::Reaper files_reaper_;
  faults::TempDir files_{files_reaper_};
  const core::Authority authority_{files_.path(), "authority"};
};

class TlsTest : public TlsOnce, public testing::WithParamInterface<ConnectionKind> {};

INSTANTIATE_TEST_SUITE_P(, TlsTest,
                         testing::Values(ConnectionKind::blocking,
                                         ConnectionKind::without_blocking),
                         [](const auto& way) { return core::name_of(way.param); });

// A server that was built without it cannot be tested.
#define LISTEN_OR_SKIP(address) \
  if ((address).port == 0) GTEST_SKIP() << "this server was built without TLS"

TEST_P(TlsTest, CarriesCommands) {
  const auto address = listening(good());
  LISTEN_OR_SKIP(address);
  EXPECT_EQ(answer_to(address, {"SET", "key", "text"}, GetParam()), "OK");
  EXPECT_EQ(value("key"), "text");
}

TEST_P(TlsTest, CarriesALongText) {
  const auto address = listening(good());
  LISTEN_OR_SKIP(address);
  const std::string text(3'000'000, 'x');
  EXPECT_EQ(answer_to(address, {"SET", "key", text}, GetParam()), "OK");
  EXPECT_EQ(answer_to(address, {"GET", "key"}, GetParam()), text);
}

TEST_P(TlsTest, TrustsACertificateForTheName) {
  const auto address = listening(authority().issue("named", "DNS:localhost"), "localhost");
  LISTEN_OR_SKIP(address);
  EXPECT_EQ(answer_to(address, {"PING"}, GetParam()), "PONG");
}

TEST_P(TlsTest, NamesAnExpiredCertificate) {
  const auto address =
      listening(authority().issue("old", "IP:127.0.0.1", -std::chrono::minutes(1)));
  LISTEN_OR_SKIP(address);
  EXPECT_EQ(refusal_of(address, GetParam()),
            "cannot trust " + address.text() +
                ": its certificate is not accepted: certificate has expired");
}

TEST_P(TlsTest, NamesAnUnknownAuthority) {
  auto address = listening(good());
  LISTEN_OR_SKIP(address);
  address.access = trusting(core::Authority(directory(), "stranger"));
  EXPECT_THAT(refusal_of(address, GetParam()),
              AnyOf(HasSubstr("not accepted: unable to get local issuer certificate"),
                    HasSubstr("not accepted: self-signed certificate in certificate chain")));
}

TEST_P(TlsTest, TrustsNoStrangerByDefault) {
  auto address = listening(good());
  LISTEN_OR_SKIP(address);
  address.access = std::make_shared<const Access>(Access{.tls = core::Tls{}});
  EXPECT_THAT(refusal_of(address, GetParam()), HasSubstr("its certificate is not accepted: "));
}

TEST_P(TlsTest, NamesAWrongHostName) {
  const auto address = listening(authority().issue("other", "DNS:elsewhere.example"), "localhost");
  LISTEN_OR_SKIP(address);
  EXPECT_THAT(refusal_of(address, GetParam()), AnyOf(HasSubstr("not accepted: hostname mismatch"),
                                                     HasSubstr("not accepted: Hostname mismatch")));
}

TEST_P(TlsTest, NamesAWrongAddress) {
  const auto address = listening(authority().issue("other", "DNS:localhost"));
  LISTEN_OR_SKIP(address);
  EXPECT_THAT(refusal_of(address, GetParam()), HasSubstr("not accepted: IP address mismatch"));
}

TEST_P(TlsTest, ComparesTheNameThatIsAskedFor) {
  auto address = listening(authority().issue("other", "DNS:elsewhere.example"));
  LISTEN_OR_SKIP(address);
  address.access = std::make_shared<const Access>(
      Access{.tls = core::Tls{.ca_file = authority().certificate_file(),
                              .server_name = "elsewhere.example"}});
  EXPECT_EQ(answer_to(address, {"PING"}, GetParam()), "PONG");
}

// A Redis server that hears something else waits for the end of the line.
TEST_F(TlsOnce, AsksWhetherASilentPortSpeaksIt) {
  auto address = link().address();
  address.access = trusting(authority());
  core::Server server(address, {.connect = std::chrono::milliseconds(50)});
  try {
    server.command({"PING"});
    FAIL() << "it does not";
  } catch (const core::Unreachable& error) {
    EXPECT_EQ(std::string(error.what()), "cannot connect to " + address.text() +
                                             " with TLS: timed out; does it speak TLS there?");
  }
}

TEST_F(TlsOnce, IsAskedForWhereAPortForItClosesAtOnce) {
  auto address = listening(good());
  LISTEN_OR_SKIP(address);
  address.access = nullptr;
  core::Server server(address, core::patient);
  try {
    server.command({"PING"});
    FAIL() << "it speaks TLS there";
  } catch (const core::LostReply& error) {
    EXPECT_THAT(error.what(), HasSubstr("at once; does it speak TLS (rediss://)?"));
  }
}

TEST_F(TlsOnce, IsNotAskedForOnceThereWasAnAnswer) {
  core::Server server(link().address(), core::patient);
  server.command({"PING"});
  const auto lost =
      link().arm({.direction = faults::Direction::reply, .command = "GET"}, faults::Action::reset);
  try {
    server.command({"GET", "key"});
    FAIL() << "its reply was lost";
  } catch (const core::LostReply& error) {
    EXPECT_THAT(error.what(), testing::Not(HasSubstr("TLS")));
  }
}

TEST_P(TlsTest, ShowsItsOwnCertificateIfAsked) {
  auto address = listening(good());
  LISTEN_OR_SKIP(address);
  redis().direct().command({"CONFIG", "SET", "tls-auth-clients", "yes"});
  const auto own = authority().issue("client", "DNS:client");
  address.access = std::make_shared<const Access>(
      Access{.tls = core::Tls{.ca_file = authority().certificate_file(),
                              .certificate_file = own.certificate,
                              .key_file = own.key}});
  EXPECT_EQ(answer_to(address, {"PING"}, GetParam()), "PONG");
}

TEST_P(TlsTest, NamesAFileThatIsNotThere) {
  auto address = link().address();
  address.access =
      std::make_shared<const Access>(Access{.tls = core::Tls{.ca_file = "/nonexistent.pem"}});
  EXPECT_THAT(
      refusal_of(address, GetParam()),
      HasSubstr("cannot use the authorities in \"/nonexistent.pem\": No such file or directory"));
}

// The other side of a connection on `socket`, which speaks nothing newer than TLS 1.1.
void speak_old_tls(int socket, const core::CertificateFiles& own) {
  const std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context(SSL_CTX_new(TLS_server_method()),
                                                                  SSL_CTX_free);
  SSL_CTX_set_max_proto_version(context.get(), TLS1_1_VERSION);
  SSL_CTX_use_certificate_chain_file(context.get(), own.certificate.c_str());
  SSL_CTX_use_PrivateKey_file(context.get(), own.key.c_str(), SSL_FILETYPE_PEM);
  const std::unique_ptr<SSL, decltype(&SSL_free)> session(SSL_new(context.get()), SSL_free);
  SSL_set_fd(session.get(), socket);
  SSL_accept(session.get());
}

// In a new process, whose OpenSSL lets both sides speak it, whatever its own defaults are.
TEST(TlsDeathTest, IsNotOlderThan12) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  faults::Reaper reaper;
  const faults::TempDir files(reaper);
  const auto settings = files.path() / "openssl.cnf";
  std::ofstream(settings) << "openssl_conf = a\n[a]\nssl_conf = b\n[b]\nsystem_default = c\n"
                             "[c]\nMinProtocol = TLSv1\nCipherString = DEFAULT:@SECLEVEL=0\n";
  const auto handshake = [&] {
    const core::Authority authority(files.path(), "authority");
    const auto own = authority.issue("server", "IP:127.0.0.1");
    std::array<int, 2> ends{};
    socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data());
    std::jthread([&] { speak_old_tls(ends[0], own); }).detach();
    core::TlsSession session(core::Tls{.verify = false}, "127.0.0.1", ends[1]);
    std::_Exit(session.handshake() == core::TlsSession::Progress::failed ? 0 : 1);
  };
  if (std::getenv("OPENSSL_CONF") == nullptr) setenv("OPENSSL_CONF", settings.c_str(), 1);
  EXPECT_EXIT(handshake(), testing::ExitedWithCode(0), "");
  unsetenv("OPENSSL_CONF");
}

TEST_F(TlsOnce, EndsWithTheTimeForAReply) {
  const auto address = listening(good());
  LISTEN_OR_SKIP(address);
  core::Server server(
      address, {.connect = std::chrono::seconds(10), .command = std::chrono::milliseconds(50)});
  server.command({"PING"});
  redis().freeze();
  EXPECT_THROW(server.command({"PING"}), core::LostReply);
  redis().thaw();
}

}  // namespace
