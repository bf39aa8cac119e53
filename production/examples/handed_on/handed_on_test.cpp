// Two programs work under one hold, which one of them has handed to the other in a request.
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/deadline.h"
#include "core/testing/eventually.h"
#include "faults/testing/called_program.h"
#include "faults/testing/redis_test.h"

namespace {

// The next line that a program writes; what there is of it at the program's end. Fails the test if
// none comes.
std::string next_line(faults::Process& process, std::string_view awaited) {
  std::string line;
  core::Deadline deadline(core::condition_limit);
  while (!deadline.is_over()) {
    pollfd output{.fd = process.output().get(), .events = POLLIN, .revents = 0};
    if (poll(&output, 1, 100) <= 0) continue;
    char byte = 0;
    if (read(output.fd, &byte, 1) != 1 || byte == '\n') return line;
    line.push_back(byte);
  }
  ADD_FAILURE() << "waited in vain for the line with " << awaited << "; read: \"" << line << '"';
  return line;
}

void expect_exit(faults::Process& process, int code) {
  const auto ending = process.ending(faults::standstill);
  ASSERT_TRUE(ending) << "the program did not end";
  EXPECT_EQ(ending->number, code);
}

class HandedOn : public faults::RedisTest {
 protected:
  struct Service {
    std::unique_ptr<faults::Process> process;
    std::string port;
  };

  // `owner` is the argument of both programs that names the lock's owner: nothing, or "trace-id".
  [[nodiscard]] Service start_billing(const std::vector<std::string>& owner) {
    Service service{.process = playground_.start(BILLING, owner, url()), .port = {}};
    service.port = next_line(*service.process, "the service's port");
    return service;
  }
  [[nodiscard]] std::unique_ptr<faults::Process> start_order(
      const Service& service, const std::string& patience_ms,
      const std::vector<std::string>& owner) {
    std::vector<std::string> words{service.port, "request-7", patience_ms};
    words.insert(words.end(), owner.begin(), owner.end());
    return playground_.start(ORDER, words, url());
  }

  [[nodiscard]] long long bills() { return redis().direct().command({"LLEN", "bills"}).integer(); }

  // A request that is answered too late is given up and sent again, to another instance. Then the
  // first instance handles it, while the second attempt holds the lock. Returns its answer.
  [[nodiscard]] std::string answer_to_an_earlier_attempt(const std::vector<std::string>& owner) {
    const auto slow = start_billing(owner);
    const auto other = start_billing(owner);
    slow.process->freeze();
    other.process->freeze();
    const auto first = start_order(slow, "100", owner);
    expect_exit(*first, 1);
    const auto second = start_order(other, "60000", owner);
    EXPECT_EQ(next_line(*second, "the second hold"), "holds the order");
    slow.process->thaw();
    auto said = next_line(*slow.process, "the slow service's answer");
    other.process->thaw();
    expect_exit(*second, 0);
    return said;
  }

 private:
  [[nodiscard]] faults::Playground::Environment url() {
    return {{"REDIS_URL", "redis://" + link().address().text()}};
  }

  faults::Playground playground_;
};

TEST_F(HandedOn, ServiceAndThreadWorkUnderTheCallersHold) {
  const auto billing = start_billing({});
  const auto order = start_order(billing, "60000", {});
  EXPECT_EQ(next_line(*order, "the hold"), "holds the order");
  EXPECT_EQ(next_line(*order, "the thread's work"), "packed");
  EXPECT_EQ(next_line(*order, "the service's answer"), "billed");
  expect_exit(*order, 0);
  EXPECT_EQ(bills(), 1);
  EXPECT_FALSE(value("lock:order:4711"));
}

TEST_F(HandedOn, AServiceThatFailsLeavesTheHold) {
  redis().direct().command({"SET", "bills", "is no list"});
  const auto billing = start_billing({});
  const auto order = start_order(billing, "60000", {});
  expect_exit(*order, 1);
  EXPECT_FALSE(value("lock:order:4711"));
}

TEST_F(HandedOn, ATokenDoesNotOpenTheNextHold) {
  EXPECT_EQ(answer_to_an_earlier_attempt({}), "request-7: refused: the caller's hold is over");
  EXPECT_EQ(bills(), 1);
}

TEST_F(HandedOn, ATraceIdDoesAndTheOrderIsBilledTwice) {
  EXPECT_EQ(answer_to_an_earlier_attempt({"trace-id"}), "request-7: billed");
  EXPECT_EQ(bills(), 2);
}

}  // namespace
