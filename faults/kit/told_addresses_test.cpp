#include "faults/kit/told_addresses.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "faults/testing/kit_test.h"

namespace faults {
namespace {

std::string translated(std::string bytes) {
  translate_ports(bytes, {{40'001, 50'001}, {40'002, 50'002}});
  return bytes;
}

Message message_in(const std::string& bytes) {
  RespReader reader;
  reader.feed(bytes);
  return *reader.next();
}

TEST(ToldAddresses, AreTranslatedInEveryForm) {
  for (const auto* form : {
           "*2\r\n$9\r\n127.0.0.1\r\n$5\r\n4000x\r\n",                       // SENTINEL
           "*4\r\n$4\r\nport\r\n$5\r\n4000x\r\n$2\r\nip\r\n$9\r\n",          // the same, by name
           "*4\r\n$11\r\nmaster-port\r\n$5\r\n4000x\r\n",                    // of a replica
           "*3\r\n$9\r\n127.0.0.1\r\n:4000x\r\n$40\r\n",                     // CLUSTER SLOTS
           "%2\r\n$4\r\nport\r\n:4000x\r\n$2\r\nip\r\n",                     // CLUSTER SHARDS
           "$60\r\n07c3 127.0.0.1:4000x@31004 slave\r\n",                    // CLUSTER NODES
           "-MOVED 3999 127.0.0.1:4000x\r\n",                                // and ASK
           "$60\r\nmaster_host:127.0.0.1\r\nmaster_port:4000x\r\n",          // INFO
           "$60\r\nslave0:ip=127.0.0.1,port=4000x,state=online\r\n",         // the same of a master
           "$60\r\nmaster0:name=lock,address=127.0.0.1:4000x,slaves=1\r\n",  // of a Sentinel
           "$60\r\nlock 127.0.0.1 4000x 127.0.0.1 40002\r\n",                // +switch-master
           "$60\r\n127.0.0.1,4000x,5a0d,1,lock,127.0.0.1,40002,1\r\n",       // hello of a Sentinel
       }) {
    std::string told = form;
    std::string read = form;
    std::replace(told.begin(), told.end(), 'x', '1');
    for (auto at = read.find("4000x"); at != std::string::npos; at = read.find("4000x")) {
      read.replace(at, 5, "50001");
    }
    if (const auto at = read.find("40002"); at != std::string::npos) read.replace(at, 5, "50002");
    EXPECT_EQ(translated(told), read);
  }
}

TEST(ToldAddresses, AreNoOtherNumbers) {
  for (const auto* bytes :
       {"$60\r\nslave0:ip=127.0.0.1,port=30000,offset=40001,lag=0\r\n",
        "*4\r\n$17\r\nslave-repl-offset\r\n$5\r\n40001\r\n", "$20\r\n127.0.0.1:140001\r\n",
        "$20\r\n10.0.0.1:40001\r\n", "$40\r\n07c3 127.0.0.1:30000@40001 slave\r\n"}) {
    EXPECT_EQ(translated(bytes), bytes);
  }
}

TEST(ToldAddresses, AreInRepliesThatNameServers) {
  const auto any = message_in("$5\r\n40001\r\n");
  for (const auto* command : {"SENTINEL", "CLUSTER", "ROLE", "INFO"}) {
    EXPECT_TRUE(may_tell_addresses(command, any)) << command;
  }
  for (const auto* error : {"-MOVED 1 127.0.0.1:40001\r\n", "-ASK 1 127.0.0.1:40001\r\n"}) {
    EXPECT_TRUE(may_tell_addresses("SET", message_in(error))) << error;
  }
  EXPECT_FALSE(may_tell_addresses("GET", any));
}

TEST(ToldAddresses, AreInWhatSentinelsPublish) {
  const auto told = resp({"message", "+switch-master", "lock 127.0.0.1 1 127.0.0.1 40001"});
  const auto by_pattern = resp({"pmessage", "*", "+switch-master", "lock 127.0.0.1 40001"});
  EXPECT_TRUE(may_tell_addresses("message", message_in(told)));
  EXPECT_TRUE(may_tell_addresses("message", message_in(by_pattern)));
  EXPECT_TRUE(may_tell_addresses("message", message_in(">" + told.substr(1))));
  EXPECT_FALSE(may_tell_addresses("message", message_in(resp({"message", "lock", "free"}))));
}

}  // namespace
}  // namespace faults
