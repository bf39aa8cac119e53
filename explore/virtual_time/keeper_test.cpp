// Whole programs in virtual time: what they wait for comes before time goes on.
#include "explore/virtual_time/keeper.h"

#include <gmock/gmock.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "faults/kit/errors.h"
#include "faults/kit/redis_binary.h"
#include "faults/testing/kit_test.h"

namespace {

using testing::HasSubstr;

class KeeperTest : public testing::Test {
 protected:
  void SetUp() override {
    if (std::string_view(LAB_PYTHON).empty()) GTEST_SKIP() << "there is no Python here";
  }

  // Runs a Python program, which may say one line: returns that. It knows the modules below, and
  // `python`, with which it starts others.
  std::string said_by(const std::string& text, int code = 0) {
    const auto file = directory_.path() / "said";
    const auto program =
        "import os, select, signal, socket, subprocess, sys, time\n"
        "python = [sys.executable, '-u', '-c']\n"
        "def say(*words): print(*words, file=open('" +
        file.native() + "', 'w'))\n" + text;
    EXPECT_EQ(explore::run_in_virtual_time({LAB_PYTHON, "-u", "-c", program}), code);
    std::string line;
    std::ifstream input(file);
    std::getline(input, line);
    return line;
  }

 private:
  faults::Reaper reaper_;
  faults::TempDir directory_{reaper_};
};

TEST_F(KeeperTest, SleepsForAnHourInNoTime) {
  const auto before = std::chrono::steady_clock::now();
  EXPECT_EQ(said_by("a = time.monotonic(); time.sleep(36000); say(round(time.monotonic() - a))\n"
                    "sys.exit(7)",
                    7),
            "36000");
  EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::hours(1));
}

// The other one takes half a second of a CPU, and none of virtual time.
TEST_F(KeeperTest, WaitsForABusyProcess) {
  EXPECT_EQ(said_by("busy = 'import time\\n'\\\n"
                    "  'while time.process_time() < 0.5: pass\\n'\\\n"
                    "  'print(\"done\"); time.sleep(1)'\n"
                    "child = subprocess.Popen(python + [busy], stdout=subprocess.PIPE)\n"
                    "ready = select.select([child.stdout], [], [], 0.001)[0]\n"
                    "say(child.stdout.readline().decode() if ready else 'too late')"),
            "done");
}

TEST_F(KeeperTest, DeliversBeforeTimeGoesOn) {
  EXPECT_EQ(said_by("server = socket.create_server(('127.0.0.1', 0))\n"
                    "echo = 'import socket, sys\\n'\\\n"
                    "  's = socket.create_connection((\"127.0.0.1\", int(sys.argv[1])))\\n'\\\n"
                    "  'while True: s.sendall(s.recv(9))'\n"
                    "port = str(server.getsockname()[1])\n"
                    "child = subprocess.Popen(python + [echo, port])\n"
                    "server.settimeout(0.001)\n"
                    "peer = server.accept()[0]\n"
                    "peer.settimeout(0.001)\n"
                    "start = time.monotonic()\n"
                    "for i in range(500):\n"
                    "  peer.sendall(b'x'); peer.recv(9)\n"
                    "say(time.monotonic() - start); child.kill()"),
            "0.0");
}

TEST_F(KeeperTest, WaitsForADeath) {
  EXPECT_EQ(said_by("dead = 0\n"
                    "for i in range(5):\n"
                    "  child = subprocess.Popen(python + ['import time; time.sleep(9999)'])\n"
                    "  time.sleep(1); child.kill(); time.sleep(0.000001)\n"
                    "  dead += child.poll() is not None\n"
                    "say(dead)"),
            "5");
}

// It counts seconds; stopped for an hour, it goes on where it was.
TEST_F(KeeperTest, LeavesOutAStoppedProcess) {
  EXPECT_EQ(said_by("count = 'import time\\n'\\\n"
                    "  'while True: time.sleep(1); print(1)'\n"
                    "child = subprocess.Popen(python + [count], stdout=subprocess.PIPE)\n"
                    "def counted(): return len(os.read(child.stdout.fileno(), 65536)) // 2\n"
                    "time.sleep(10.5)\n"
                    "first = counted()\n"
                    "os.kill(child.pid, signal.SIGSTOP); time.sleep(3600)\n"
                    "stopped = bool(select.select([child.stdout], [], [], 0)[0])\n"
                    "os.kill(child.pid, signal.SIGCONT); time.sleep(10.1)\n"
                    "say(first, stopped, counted()); child.kill()"),
            "10 False 11");
}

TEST_F(KeeperTest, BringsASignalBeforeTimeGoesOn) {
  EXPECT_EQ(said_by("hears = 'import signal\\n'\\\n"
                    "  'signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])\\n'\\\n"
                    "  'signal.sigwait([signal.SIGUSR1]); print(\"heard\")'\n"
                    "child = subprocess.Popen(python + [hears], stdout=subprocess.PIPE)\n"
                    "time.sleep(1); os.kill(child.pid, signal.SIGUSR1)\n"
                    "ready = select.select([child.stdout], [], [], 0.001)[0]\n"
                    "say(child.stdout.readline().decode() if ready else 'too late')"),
            "heard");
}

TEST_F(KeeperTest, EndsWhatTheProgramLeaves) {
  const auto child =
      std::stoi(said_by("child = subprocess.Popen(python + ['import time; time.sleep(9999)'])\n"
                        "time.sleep(1); say(child.pid)"));
  EXPECT_TRUE(faults::eventually([&] { return kill(child, 0) != 0; }));
}

TEST_F(KeeperTest, CountsTheChildOfAFork) {
  EXPECT_EQ(said_by("read, write = os.pipe()\n"
                    "if os.fork() == 0:\n"
                    "  while time.process_time() < 0.3: pass\n"
                    "  os.write(write, b'forked'); os._exit(0)\n"
                    "ready = select.select([read], [], [], 0.001)[0]\n"
                    "say(os.read(read, 9).decode() if ready else 'too late')"),
            "forked");
}

TEST_F(KeeperTest, RefusesAStaticProgram) {
  EXPECT_THAT(faults::said_by<faults::CannotRun>([&] {
                said_by("subprocess.run(['" LAB_STATIC_PROGRAM "'], stdin=os.pipe()[0])");
              }),
              HasSubstr("lab_reaper keeps real time: it is linked statically"));
}

TEST_F(KeeperTest, RefusesAnUnknownTimer) {
  EXPECT_THAT(faults::said_by<faults::CannotRun>(
                  [&] { said_by("signal.setitimer(signal.ITIMER_REAL, 1); time.sleep(5)"); }),
              HasSubstr("waits in a way that virtual time does not know: setitimer"));
}

}  // namespace
