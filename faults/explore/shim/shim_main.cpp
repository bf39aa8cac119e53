// Starts a program in virtual time that makes its system calls without the C library, such as one
// of Go, or one that is linked statically:
//
//   lab_shim PROGRAM NAME ARGUMENT...      NAME is what the program is called by
//
// The program is loaded beside this one, in the same process, and finds the same stack as if it had
// been started by itself. Its place in the page is given as to the library that is preloaded.
#include <fcntl.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>

#include "faults/explore/preload/map_file.h"
#include "faults/explore/preload/participant_slots.h"
#include "faults/explore/preload/turns.h"
#include "faults/explore/shim/call_filter.h"
#include "faults/explore/shim/load_program.h"
#include "faults/explore/shim/shim_process.h"
#include "faults/explore/shim/trapped_calls.h"

namespace explore::shim {
namespace {

// The slot that is given by its number; a participant has one, or takes one.
ProcessEntry* find_slot(SharedPage& page) {
  const char* slot = std::getenv(slot_variable);
  if (slot == nullptr) return slot_of(page, getpid());
  const auto number = static_cast<std::size_t>(std::atoi(slot));
  return number < page.processes.size() ? &page.processes.at(number) : nullptr;
}

void enter_virtual_time() {
  const char* path = std::getenv(page_variable);
  if (path == nullptr) give_up("there is no virtual time");
  process.page = map_file<SharedPage>(path);
  if (process.page == nullptr) give_up(std::string("cannot map ") + path);
  process.sockets = std::getenv(sockets_variable);
  if (const char* clock = std::getenv("LAB_CLOCK")) {
    process.stepped_clock = map_file<faults::ClockFile>(clock);
  }
  process.entry = find_slot(*process.page);
  if (process.entry == nullptr) give_up("virtual time has no room for it");
  auto& mine = *process.entry;
  begin_program(mine);  // there may have been one before
  take_thread(mine)->id.store(static_cast<std::int32_t>(getpid()));
  turns.begin(mine);
  mine.id.store(static_cast<std::int32_t>(getpid()));
  mine.has_entered.store(1);
}

// Go waits for standard input with all other descriptors then, and not in a thread of its own.
void let_input_be_polled() {
  struct stat about {};
  const bool is_pipe = fstat(STDIN_FILENO, &about) == 0 && S_ISFIFO(about.st_mode);
  if (is_pipe) fcntl(STDIN_FILENO, F_SETFL, fcntl(STDIN_FILENO, F_GETFL) | O_NONBLOCK);
}

// The library that is preloaded into other programs is not for this one.
void hide_preload(char** environment) {
  constexpr const char* name = "LD_PRELOAD=";
  for (; *environment != nullptr; ++environment) {
    if (std::strncmp(*environment, name, std::strlen(name)) == 0) **environment = '_';
  }
}

// Go begins its random numbers with these 16 bytes: the same in each run, and others in each
// client, since some make the owner of a lock of them.
void fix_random_bytes(std::uint64_t address) {
  constexpr std::size_t size = 16;
  const char* client = std::getenv("LOCK_CLIENT");
  auto* bytes = reinterpret_cast<char*>(address);
  std::memset(bytes, 'r', size);
  if (client != nullptr) std::memcpy(bytes, client, std::min(std::strlen(client), size));
}

void describe(const LoadedProgram& program, Elf64_auxv_t* entry) {
  for (; entry->a_type != AT_NULL; ++entry) {
    switch (entry->a_type) {
      case AT_PHDR: entry->a_un.a_val = program.headers; break;
      case AT_PHNUM: entry->a_un.a_val = program.header_count; break;
      case AT_ENTRY: entry->a_un.a_val = program.entry; break;
      case AT_BASE: entry->a_un.a_val = program.interpreter_base; break;
      case AT_SYSINFO_EHDR: entry->a_type = AT_IGNORE; break;  // it tells the time without a call
      case AT_RANDOM: fix_random_bytes(entry->a_un.a_val); break;
      default: break;
    }
  }
}

[[noreturn]] void begin(std::uint64_t start, char** stack) {
  asm volatile(
      "mov %%rax, %%rsp\n"
      "xor %%edx, %%edx\n"
      "xor %%ebp, %%ebp\n"
      "jmp *%%rcx\n"
      :
      : "a"(stack), "c"(start)
      : "memory");
  __builtin_unreachable();
}

[[noreturn]] void run(int count, char** words, char** environment) {
  constexpr int own_words = 2;
  if (count <= own_words) give_up(std::string(words[0]) + " PROGRAM NAME ARGUMENT...");
  if (!lies_well()) execv("/proc/self/exe", words);  // next time it lies elsewhere
  const std::string path = words[1];
  enter_virtual_time();
  const auto program = load_program(path);
  process.is_go = read_program(path)->is_go;
  if (process.is_go) let_input_be_polled();
  hide_preload(environment);
  prctl(PR_SET_NAME, path.substr(path.rfind('/') + 1).c_str(), 0, 0, 0);
  char** end = environment;
  while (*end != nullptr) ++end;
  describe(program, reinterpret_cast<Elf64_auxv_t*>(end + 1));
  // Where our first word was, the number of its words is now: the stack stays aligned.
  char** stack = words + own_words - 1;
  *reinterpret_cast<long*>(stack) = count - own_words;
  install_handlers();
  trap_calls();
  begin(program.start, stack);
}

}  // namespace
}  // namespace explore::shim

int main(int count, char** words, char** environment) {
  explore::shim::run(count, words, environment);
}
