// Real programs in virtual time: what they wait for, and that they go on when it does.
#include "faults/explore/virtual_time/virtual_time.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <string_view>

#include "core/redis/server.h"
#include "faults/explore/virtual_time/virtual_process.h"
#include "faults/kit/redis_binary.h"
#include "faults/kit/redis_process.h"
#include "faults/testing/kit_test.h"

namespace {

using explore::Duration;
using explore::ProcessRole;
using explore::VirtualProcess;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;

// A Python program in virtual time, which says a line after each of its waits.
class Program {
 public:
  Program(explore::VirtualTime& time, faults::Reaper& reaper, const std::filesystem::path& log,
          std::vector<std::string> command, ProcessRole role = ProcessRole::client)
      : inside_(time, role),
        process_({.program = command.at(0),
                  .arguments = command,
                  .environment = inside_.environment(),
                  .log = log},
                 reaper) {}

  // Waits until it rests; false if it has ended.
  bool rests() { return inside_.await_rest(process_, "the program"); }
  // The next line that it says.
  std::string line() {
    auto text = faults::line_from(process_);
    if (text.ends_with("\n")) text.pop_back();
    return text;
  }
  [[nodiscard]] std::optional<Duration> deadline() const { return inside_.next_deadline(); }
  void notice_time() const { inside_.notice_time(); }
  void write(const std::string& text) {
    faults::write_line(process_, text);
    inside_.notice(0);
  }
  VirtualProcess& inside() { return inside_; }

 private:
  VirtualProcess inside_;
  faults::Process process_;
};

class VirtualTimeTest : public testing::Test {
 protected:
  Program python(const std::string& text) {
    return {time, reaper, directory.path() / "log", {LAB_PYTHON, "-u", "-c", text}};
  }
  void go_on(const Program& program, Duration by) {
    time.advance_to(time.now() + by);
    program.notice_time();
  }

  faults::Reaper reaper;
  faults::TempDir directory{reaper};
  explore::VirtualTime time{directory.path()};
};

class PythonTimeTest : public VirtualTimeTest {
 protected:
  void SetUp() override {
    if (std::string_view(LAB_PYTHON).empty()) GTEST_SKIP() << "there is no Python here";
  }
};

TEST_F(PythonTimeTest, SleepsUntilTimeGoesOn) {
  auto program = python(
      "import time; a = time.monotonic(); time.sleep(3600)\n"
      "print(round(time.monotonic() - a)); time.sleep(1)");
  ASSERT_TRUE(program.rests());
  EXPECT_EQ(program.deadline(), seconds(3600));
  go_on(program, seconds(3599));
  ASSERT_TRUE(program.rests());
  EXPECT_EQ(program.deadline(), seconds(3600));
  go_on(program, seconds(1));
  EXPECT_EQ(program.line(), "3600");
  ASSERT_TRUE(program.rests());
  EXPECT_EQ(program.deadline(), seconds(3601));
}

// A server measures the processor's clock so, before it listens.
TEST_F(PythonTimeTest, AServersSleepNeedsNoTimeToGoOn) {
  const std::string text = "import time; time.sleep(0.001); print('slept'); time.sleep(3600)";
  Program program(time, reaper, directory.path() / "log", {LAB_PYTHON, "-u", "-c", text},
                  ProcessRole::server);
  EXPECT_EQ(program.line(), "slept");
}

TEST_F(PythonTimeTest, HidesWhetherTheProcessorsClockCanBeUsed) {
  auto program = python(
      "import ctypes, time; fopen = ctypes.CDLL(None).fopen; fopen.restype = ctypes.c_void_p\n"
      "print([fopen(name, b'r') is not None for name in (b'/proc/cpuinfo', b'/proc/stat')])\n"
      "time.sleep(1)");
  EXPECT_EQ(program.line(), "[False, True]");
}

// It answers PING, and INFO as a server does that has looked at the processor itself.
TEST_F(PythonTimeTest, RefusesAServerThatReadsTheCpusClock) {
  const auto program = directory.path() / "server";
  std::ofstream(program) << "#!" LAB_PYTHON R"(
import os, socket, sys
server = socket.socket(socket.AF_UNIX)
server.bind(sys.argv[sys.argv.index('--unixsocket') + 1])
server.listen()
connection = server.accept()[0]
connection.recv(4096)
connection.sendall(b'+PONG\r\n')
connection.recv(4096)
info = b'# Server\r\nprocess_id:%d\r\nmonotonic_clock:X86 TSC @ 2000 ticks/us\r\n' % os.getpid()
connection.sendall(b'$%d\r\n%s\r\n' % (len(info), info))
connection.recv(4096)
)";
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  const VirtualProcess inside(time, ProcessRole::server);
  core::Server door(faults::socket_in(directory.path()));
  const auto start = [&] {
    (void)faults::start_redis({.binary = {.program = program, .runs_as = "server"},
                               .arguments = {},
                               .environment = inside.environment(),
                               .log = directory.path() / "log"},
                              door, reaper);
  };
  EXPECT_THAT(faults::said_by<faults::CannotRun>(start),
              HasSubstr("reads the processor's own clock (X86 TSC @ 2000 ticks/us)"));
}

// As uuid1() does, so that no two are alike.
TEST_F(PythonTimeTest, GoesOnForOneThatAsksWithoutEnd) {
  auto program = python(
      "import time\n"
      "a = time.time_ns()\n"
      "while time.time_ns() == a: pass\n"
      "print('another'); time.sleep(1)");
  EXPECT_EQ(program.line(), "another");
}

TEST_F(PythonTimeTest, FiresATimerOfAThread) {
  auto program = python(
      "import threading, time\n"
      "threading.Timer(60, lambda: print('fired')).start()\n"
      "time.sleep(7200)");
  ASSERT_TRUE(program.rests());
  EXPECT_EQ(program.deadline(), seconds(60));
  go_on(program, seconds(60));
  EXPECT_EQ(program.line(), "fired");
  ASSERT_TRUE(program.rests());
  EXPECT_EQ(program.deadline(), seconds(7200));
}

TEST_F(PythonTimeTest, SelectsInputOrTime) {
  auto program = python(
      "import select, sys\n"
      "for _ in range(3):\n"
      "  ready = select.select([sys.stdin], [], [], 5)[0]\n"
      "  print(sys.stdin.readline().strip() if ready else 'nothing')");
  ASSERT_TRUE(program.rests());
  EXPECT_EQ(program.deadline(), seconds(5));
  program.write("hello");
  EXPECT_EQ(program.line(), "hello");
  ASSERT_TRUE(program.rests());
  go_on(program, seconds(5));
  EXPECT_EQ(program.line(), "nothing");
  ASSERT_TRUE(program.rests());
  EXPECT_EQ(program.deadline(), seconds(10));
}

TEST_F(PythonTimeTest, HandsALineFromThreadToThread) {
  auto program = python(
      "import queue, sys, threading\n"
      "lines = queue.Queue()\n"
      "def take():\n"
      "  while True: print('took', lines.get(timeout=30))\n"
      "threading.Thread(target=take, daemon=True).start()\n"
      "for line in sys.stdin: lines.put(line.strip())");
  for (int i = 0; i < 200; ++i) {
    ASSERT_TRUE(program.rests());
    program.write(std::to_string(i));
    EXPECT_EQ(program.line(), "took " + std::to_string(i));
  }
  ASSERT_TRUE(program.rests());
  EXPECT_EQ(program.deadline(), seconds(30));
}

// A lock does that if it shares its connection with the thread that renews.
TEST_F(PythonTimeTest, RestsWhileItHoldsAMutex) {
  auto program = python(
      "import ctypes, sys, threading\n"
      "libc = ctypes.CDLL(None); mutex = ctypes.create_string_buffer(64)\n"
      "def take(): libc.pthread_mutex_lock(mutex); print('took it')\n"
      "libc.pthread_mutex_lock(mutex)\n"
      "threading.Thread(target=take).start()\n"
      "sys.stdin.readline(); libc.pthread_mutex_unlock(mutex); sys.stdin.readline()");
  ASSERT_TRUE(program.rests());
  EXPECT_EQ(program.deadline(), std::nullopt);
  program.write("let it go");
  EXPECT_EQ(program.line(), "took it");
}

// A wait for a condition lets go of the mutex, which another thread wants.
TEST_F(PythonTimeTest, WakesAnotherByTheMutexOfItsCondition) {
  auto program = python(
      "import ctypes, sys, threading, time\n"
      "libc = ctypes.CDLL(None); mutex = ctypes.create_string_buffer(64)\n"
      "condition = ctypes.create_string_buffer(64)\n"
      "def wait():\n"
      "  libc.pthread_mutex_lock(mutex); print('waits')\n"
      "  libc.pthread_cond_wait(condition, mutex)\n"
      "def want(): libc.pthread_mutex_lock(mutex); print('took it')\n"
      "libc.pthread_mutex_lock(mutex)\n"
      "for one in (wait, want): threading.Thread(target=one, daemon=True).start()\n"
      "sys.stdin.readline(); libc.pthread_mutex_unlock(mutex); sys.stdin.readline()");
  ASSERT_TRUE(program.rests());
  program.write("let it go");
  EXPECT_EQ(program.line(), "waits");
  EXPECT_EQ(program.line(), "took it");
}

TEST_F(PythonTimeTest, WaitsForTheEndOfAThread) {
  auto program = python(
      "import threading, time\n"
      "for i in range(3):\n"
      "  thread = threading.Thread(target=time.sleep, args=[10])\n"
      "  thread.start(); thread.join(); print('joined', i)\n"
      "time.sleep(99)");
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(program.rests());
    EXPECT_EQ(program.deadline(), seconds(10 * (i + 1)));
    go_on(program, seconds(10));
    EXPECT_EQ(program.line(), "joined " + std::to_string(i));
  }
}

// As the runtime of a Rust client does, with a socket that it has connected.
TEST_F(PythonTimeTest, NoticesADescriptorAddedToAWait) {
  auto program = python(R"(
import os, select, threading, time
reader, writer = os.pipe()
os.write(writer, b'x')
waited = select.epoll()
threading.Thread(target=lambda: print(len(waited.poll()))).start()
time.sleep(1)
waited.register(reader)
)");
  ASSERT_TRUE(program.rests());
  go_on(program, seconds(1));
  EXPECT_EQ(program.line(), "1");
}

TEST_F(PythonTimeTest, RunsAnEventLoop) {
  auto program = python(
      "import asyncio\n"
      "async def main():\n"
      "  await asyncio.gather(asyncio.sleep(5), asyncio.sleep(9))\n"
      "  print('both')\n"
      "  await asyncio.to_thread(print, 'in a thread')\n"
      "  await asyncio.sleep(100)\n"
      "asyncio.run(main())");
  ASSERT_TRUE(program.rests());
  EXPECT_EQ(program.deadline(), seconds(5));
  go_on(program, seconds(5));
  ASSERT_TRUE(program.rests());
  go_on(program, seconds(4));
  EXPECT_EQ(program.line(), "both");
  EXPECT_EQ(program.line(), "in a thread");
  ASSERT_TRUE(program.rests());
}

// A library's pauses may be drawn, and so are the tokens of clients, which must differ.
TEST_F(PythonTimeTest, DrawsTheSameNumbersForAName) {
  const auto drawn_by = [&](const std::string& name) {
    const std::string text = "import os, random, sys\nprint(random.random(), os.urandom(20).hex())";
    Program program(time, reaper, directory.path() / "log",
                    {"/usr/bin/env", "LOCK_CLIENT=" + name, LAB_PYTHON, "-u", "-c", text});
    return program.line();
  };
  const auto of_a = drawn_by("A");
  EXPECT_EQ(drawn_by("A"), of_a);
  EXPECT_NE(drawn_by("B"), of_a);
}

TEST_F(PythonTimeTest, NoticesTheEndOfAProcess) {
  auto program = python("import sys; sys.stdin.readline()");
  ASSERT_TRUE(program.rests());
  program.write("go");
  EXPECT_FALSE(program.rests());
}

TEST_F(VirtualTimeTest, RefusesAStaticProgram) {
  Program program(time, reaper, directory.path() / "log", {LAB_STATIC_PROGRAM});
  EXPECT_THAT(
      faults::said_by<faults::CannotRun>([&] { program.inside().must_take_part("the client"); }),
      HasSubstr("the client keeps real time: it is linked statically"));
}

TEST_F(PythonTimeTest, RefusesATimerItDoesNotKnow) {
  auto program = python(
      "import signal, time; signal.setitimer(signal.ITIMER_REAL, 1)\n"
      "time.sleep(5)");
  ASSERT_TRUE(program.rests());
  EXPECT_THAT(
      faults::said_by<faults::CannotRun>([&] { program.inside().must_take_part("the client"); }),
      HasSubstr("the client waits in a way that virtual time does not know: setitimer"));
}

TEST_F(VirtualTimeTest, RefusesAProgramThatStartsAnother) {
  Program program(time, reaper, directory.path() / "log",
                  {"/bin/sh", "-c", "/bin/sleep 1; read line"});
  EXPECT_TRUE(faults::eventually([&] {
    return !faults::said_by<faults::CannotRun>([&] {
              program.inside().must_take_part("the client");
            }).empty();
  }));
}

TEST_F(VirtualTimeTest, LetsALeaseOfAServerEnd) {
  VirtualProcess inside(time, ProcessRole::server);
  core::Server server(faults::socket_in(directory.path()),
                      {.connect = faults::standstill, .command = faults::standstill});
  const auto process = faults::start_redis({.binary = faults::find_redis(),
                                            .arguments = {"--save", ""},
                                            .environment = inside.environment(),
                                            .log = directory.path() / "redis.log"},
                                           server, reaper);
  server.command({"SET", "lock", "A", "PX", "300"});
  EXPECT_EQ(server.command({"PTTL", "lock"}).integer(), 300);
  time.advance_to(time.now() + milliseconds(300));
  EXPECT_EQ(server.command({"EXISTS", "lock"}).integer(), 1);
  time.advance_to(time.now() + milliseconds(1));
  EXPECT_EQ(server.command({"EXISTS", "lock"}).integer(), 0);
}

// A server has timers of its own, which wake it immediately.
TEST_F(VirtualTimeTest, LetsAServerDoItsRounds) {
  VirtualProcess inside(time, ProcessRole::server);
  core::Server server(faults::socket_in(directory.path()),
                      {.connect = faults::standstill, .command = faults::standstill});
  const auto process = faults::start_redis({.binary = faults::find_redis(),
                                            .arguments = {"--save", ""},
                                            .environment = inside.environment(),
                                            .log = directory.path() / "redis.log"},
                                           server, reaper);
  server.command({"SET", "lock", "A", "PX", "300"});
  EXPECT_TRUE(faults::eventually([&] {
    time.advance_to(time.now() + seconds(1));
    inside.notice_time();
    return server.command({"DBSIZE"}).integer() == 0;
  }));
}

}  // namespace
