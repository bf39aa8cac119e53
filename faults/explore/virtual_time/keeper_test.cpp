// Whole programs in virtual time: what they wait for comes before time advances.
#include "faults/explore/virtual_time/keeper.h"

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

#include "faults/explore/testing/kept_python.h"
#include "faults/kit/errors.h"
#include "faults/kit/redis_binary.h"
#include "faults/testing/kit_test.h"

namespace {

using testing::HasSubstr;

class KeeperTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!explore::KeptPython::is_there()) GTEST_SKIP() << "there is no Python here";
  }

  [[nodiscard]] std::vector<std::string> program(const std::string& text) const {
    return python_.program(text);
  }
  std::string said_by(const std::string& text, int code = 0) { return python_.said_by(text, code); }
  [[nodiscard]] std::string said() const { return python_.said(); }

  // If it is not, it is ended here: nothing is left behind.
  [[nodiscard]] static bool is_ended(pid_t process) {
    if (faults::eventually([&] { return kill(process, 0) != 0; })) return true;
    kill(process, SIGKILL);
    return false;
  }

  // A program that is linked statically, and that the keeper does not know.
  [[nodiscard]] std::string static_program() const {
    const auto copy = python_.directory() / "static_program";
    std::filesystem::copy_file(LAB_STATIC_PROGRAM, copy);
    return copy;
  }

 private:
  faults::Reaper reaper_;
  explore::KeptPython python_{reaper_};
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
                    "say(since(start)); child.kill()"),
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

// It counts seconds; stopped for an hour, it continues where it was.
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

TEST_F(KeeperTest, RunsAHandlerWhenItsSignalIsSent) {
  EXPECT_EQ(said_by("hears = 'import signal, time\\n'\\\n"
                    "  'tell = lambda *_: print(time.monotonic())\\n'\\\n"
                    "  'signal.signal(signal.SIGTERM, tell); time.sleep(60)'\n"
                    "child = subprocess.Popen(python + [hears], stdout=subprocess.PIPE)\n"
                    "time.sleep(5); sent = time.monotonic(); child.terminate()\n"
                    "say(round(float(child.stdout.readline()) - sent, 6)); child.kill()"),
            "0.0");
}

// The sleep that it has interrupted ends when it has run.
TEST_F(KeeperTest, LetsAHandlerWait) {
  EXPECT_EQ(said_by("libc = ctypes.CDLL(None)\n"
                    "handler = ctypes.CFUNCTYPE(None, ctypes.c_int)(lambda _: libc.sleep(7))\n"
                    "libc.signal(signal.SIGUSR1, handler)\n"
                    "if os.fork() == 0:\n"
                    "  time.sleep(2); os.kill(os.getppid(), signal.SIGUSR1); os._exit(0)\n"
                    "start = time.monotonic(); left = libc.sleep(20)\n"
                    "say(since(start), left)"),
            "9.0 11");
}

TEST_F(KeeperTest, RingsAnAlarm) {
  EXPECT_EQ(said_by("signal.signal(signal.SIGALRM, lambda *_: None)\n"
                    "start = time.monotonic(); signal.alarm(9); left = signal.alarm(7)\n"
                    "signal.pause()\n"
                    "say(since(start), left, signal.alarm(0))"),
            "7.0 9 0");
}

TEST_F(KeeperTest, ClearsAnAlarmBySetitimer) {
  EXPECT_EQ(said_by("signal.alarm(9); time.sleep(2)\n"
                    "left = signal.setitimer(signal.ITIMER_REAL, 0); time.sleep(60)\n"
                    "say(left)"),
            "(7.0, 0.0)");
}

TEST_F(KeeperTest, RingsAnAlarmInTheNextProgram) {
  EXPECT_EQ(said_by("start = time.monotonic()\n"
                    "if os.fork() == 0:\n"
                    "  signal.alarm(7); time.sleep(2)\n"
                    "  os.execv(python[0], python + ['import time; time.sleep(99)'])\n"
                    "ending = os.wait()[1]; say(since(start), os.WTERMSIG(ending))"),
            "7.0 14");
}

// It waits for time, and does nothing that takes any.
TEST_F(KeeperTest, LetsTimeGoOnForOneThatAsksWithoutEnd) {
  EXPECT_EQ(said_by("a, b = socket.socketpair()\n"
                    "if os.fork() == 0:\n"
                    "  a.close()\n"
                    "  while b.recv(1): b.send(b'x')\n"
                    "  os._exit(0)\n"
                    "b.close(); start = time.monotonic(); slept = []\n"
                    "sleep = lambda: (time.sleep(0.0015), slept.append(since(start)))\n"
                    "threading.Thread(target=sleep).start()\n"
                    "while not slept: a.send(b'x'); a.recv(1)\n"
                    "say(slept[0])"),
            "0.0015");
}

TEST_F(KeeperTest, LetsAScriptWait) {
  EXPECT_EQ(said_by("start = time.monotonic()\n"
                    "subprocess.run(['/bin/sh', '-c', 'sleep 60; sleep 30 & wait'])\n"
                    "say(since(start))"),
            "90.0");
}

// A call that the library does not replace.
TEST_F(KeeperTest, LetsAProcessWaitForAFileLock) {
  EXPECT_EQ(said_by("holds = 'import fcntl, time\\n'\\\n"
                    "  'fcntl.flock(0, fcntl.LOCK_EX); print(1); time.sleep(60)'\n"
                    "child = subprocess.Popen(python + [holds], stdin=open(sys.executable),\n"
                    "                         stdout=subprocess.PIPE)\n"
                    "start = time.monotonic(); child.stdout.readline()\n"
                    "fcntl.flock(open(sys.executable), fcntl.LOCK_EX)\n"
                    "say(since(start))"),
            "60.0");
}

TEST_F(KeeperTest, WakesAnotherProcessByASemaphore) {
  EXPECT_EQ(said_by("import multiprocessing\n"
                    "semaphore = multiprocessing.Semaphore(0)\n"
                    "if os.fork() == 0: time.sleep(5); semaphore.release(); os._exit(0)\n"
                    "start = time.monotonic(); semaphore.acquire()\n"
                    "first = since(start); semaphore.acquire(timeout=3)\n"
                    "say(first, round(since(start), 3))"),
            "5.0 8.0");
}

// The first thread holds the mutex for a minute. Then the second gets it. The third gives up after
// eight seconds.
TEST_F(KeeperTest, LetsThreadsWaitForAMutex) {
  EXPECT_EQ(said_by("libc = ctypes.CDLL(None); mutex = ctypes.create_string_buffer(64)\n"
                    "libc.pthread_mutex_lock(mutex)\n"
                    "start = time.monotonic(); got = []\n"
                    "def second():\n"
                    "  libc.pthread_mutex_lock(mutex); got.append(since(start))\n"
                    "def third():\n"
                    "  until = (ctypes.c_long * 2)(int(time.monotonic()) + 8, 0)\n"
                    "  answer = libc.pthread_mutex_clocklock(mutex, 1, until)\n"
                    "  got.append(os.strerror(answer))\n"
                    "threads = [threading.Thread(target=one) for one in (second, third)]\n"
                    "for thread in threads: thread.start()\n"
                    "time.sleep(60); libc.pthread_mutex_unlock(mutex)\n"
                    "for thread in threads: thread.join()\n"
                    "say(*got)"),
            "Connection timed out 60.0");
}

TEST_F(KeeperTest, CountsTheProgramThatTheShellStarts) {
  EXPECT_EQ(said_by("start = time.monotonic()\n"
                    "if os.fork() == 0: time.sleep(1); os._exit(0)\n"
                    "os.system('exec ' + sys.executable + ' -c \"import time\\n'\\\n"
                    "          'while time.process_time() < 0.3: pass\"')\n"
                    "say(since(start))"),
            "0.0");
}

TEST_F(KeeperTest, CountsHowOftenATimerRang) {
  EXPECT_EQ(said_by("libc = ctypes.CDLL(None); timer = libc.timerfd_create(1, 0)\n"
                    "libc.timerfd_settime(timer, 0, (ctypes.c_long * 4)(3, 0, 5, 0), None)\n"
                    "start = time.monotonic()\n"
                    "def read(): return int.from_bytes(os.read(timer, 8), sys.byteorder)\n"
                    "first = read(); at = since(start)\n"
                    "time.sleep(10); say(first, at, read())"),
            "1 5.0 3");
}

TEST_F(KeeperTest, RingsATimerForOneOfTwoThreads) {
  EXPECT_EQ(said_by("libc = ctypes.CDLL(None); timer = libc.timerfd_create(1, 0)\n"
                    "libc.timerfd_settime(timer, 0, (ctypes.c_long * 4)(3, 0, 5, 0), None)\n"
                    "rang = []\n"
                    "def wait():\n"
                    "  while True: rang.append(os.read(timer, 8)[0])\n"
                    "for i in range(2): threading.Thread(target=wait, daemon=True).start()\n"
                    "time.sleep(60); say(sum(rang))"),
            "19");
}

TEST_F(KeeperTest, EndsWhatTheProgramLeaves) {
  const auto child =
      std::stoi(said_by("child = subprocess.Popen(python + ['import time; time.sleep(9999)'])\n"
                        "time.sleep(1); say(child.pid)"));
  EXPECT_TRUE(is_ended(child));
}

TEST_F(KeeperTest, LeavesNothingIfItIsKilled) {
  const auto keeper = fork();
  if (keeper == 0) {
    (void)explore::run_in_virtual_time(
        program("child = subprocess.Popen(python + ['import signal; signal.pause()'])\n"
                "time.sleep(1); say(child.pid); os.read(os.pipe()[0], 1)"));
    _exit(1);
  }
  EXPECT_TRUE(faults::eventually([&] { return !said().empty(); }));
  kill(keeper, SIGKILL);
  waitpid(keeper, nullptr, 0);
  const auto child = std::stoi(said());
  EXPECT_TRUE(is_ended(child));
}

TEST_F(KeeperTest, EndsWhatTheProgramHasJustBegun) {
  const auto child = std::stoi(
      said_by("say(os.posix_spawn('/bin/sleep', ['sleep', '9999'], os.environ)); os._exit(0)"));
  EXPECT_TRUE(is_ended(child));
}

// Its parent learns its number when it has been dead for a second.
TEST_F(KeeperTest, BuriesAChildThatEndsAtOnce) {
  EXPECT_EQ(said_by("libc = ctypes.CDLL(None)\n"
                    "def wait(): libc.wait(None); time.sleep(1)\n"
                    "behind_fork = ctypes.CFUNCTYPE(None)(wait)\n"
                    "getattr(libc, '__register_atfork')(None, behind_fork, None, None)\n"
                    "if libc.fork() == 0: libc._exit(0)\n"
                    "time.sleep(1); say('buried')"),
            "buried");
}

TEST_F(KeeperTest, CountsWhatBeginsByAPipe) {
  EXPECT_EQ(said_by("libc = ctypes.CDLL(None); libc.popen.restype = ctypes.c_void_p\n"
                    "def is_late():\n"
                    "  command = (sys.executable + ' -S -c \"print(1)\"').encode()\n"
                    "  pipe = ctypes.c_void_p(libc.popen(command, b'r'))\n"
                    "  late = not select.select([libc.fileno(pipe)], [], [], 0.001)[0]\n"
                    "  libc.pclose(pipe); return late\n"
                    "say(sum(is_late() for i in range(10)))"),
            "0");
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
  const auto begins_it = "ends = os.pipe(); program = '" + static_program() +
                         "'\n"
                         "if os.fork() == 0: os.dup2(ends[0], 0); os.execv(program, [program])\n"
                         "os.wait()";
  EXPECT_THAT(faults::said_by<faults::CannotRun>([&] { said_by(begins_it); }),
              HasSubstr("static_program keeps real time: it is linked statically"));
}

// As Python 3.13 begins a program. The C library's child has no `execve` of ours.
TEST_F(KeeperTest, RefusesAStaticProgramThatIsSpawned) {
  const auto begins_it = "ends = os.pipe(); program = '" + static_program() +
                         "'\n"
                         "say(os.posix_spawn(program, [program], os.environ,\n"
                         "    file_actions=[(os.POSIX_SPAWN_DUP2, ends[0], 0)])); os.wait()";
  EXPECT_THAT(faults::said_by<faults::CannotRun>([&] { said_by(begins_it); }),
              HasSubstr("static_program keeps real time: it is linked statically"));
  const auto child = std::stoi(said());
  EXPECT_TRUE(is_ended(child));
}

TEST_F(KeeperTest, RefusesAProgramWithoutTheLibrary) {
  EXPECT_THAT(faults::said_by<faults::CannotRun>(
                  [&] { said_by("subprocess.run(['sleep', '9999'], env={})"); }),
              HasSubstr("sleep keeps real time: it was begun without LD_PRELOAD"));
}

TEST_F(KeeperTest, RefusesAWaitUntilATimeOfTheKernels) {
  EXPECT_THAT(faults::said_by<faults::CannotRun>([&] {
                said_by(
                    "libc = ctypes.CDLL(None); lock = ctypes.create_string_buffer(64)\n"
                    "libc.pthread_rwlock_rdlock(lock)\n"
                    "libc.pthread_rwlock_timedwrlock(lock, (ctypes.c_long * 2)(1 << 40, 0))");
              }),
              HasSubstr(" waits in a way that virtual time does not know: futex"));
}

TEST_F(KeeperTest, RefusesMoreProcessesThanThereIsRoomFor) {
  EXPECT_THAT(faults::said_by<faults::CannotRun>([&] {
                said_by(
                    "children = [subprocess.Popen(['sleep', '9999']) for i in range(200)]\n"
                    "time.sleep(1)");
              }),
              HasSubstr("virtual time has room for 128 processes at a time"));
}

TEST_F(KeeperTest, RefusesMoreThreadsThanThereIsRoomFor) {
  EXPECT_THAT(faults::said_by<faults::CannotRun>([&] {
                said_by(
                    "for i in range(600):\n"
                    "  threading.Thread(target=time.sleep, args=[9999], daemon=True).start()");
              }),
              HasSubstr("more than 512 threads"));
}

TEST_F(KeeperTest, RefusesAnUnknownTimer) {
  EXPECT_THAT(faults::said_by<faults::CannotRun>(
                  [&] { said_by("signal.setitimer(signal.ITIMER_REAL, 1); time.sleep(5)"); }),
              HasSubstr("waits in a way that virtual time does not know: setitimer"));
}

}  // namespace
