#include "faults/explore/shim/trapped_calls.h"

#include <sched.h>
#include <sys/prctl.h>
#include <ucontext.h>

#include <csignal>
#include <cstring>

#include "faults/explore/shim/call_families.h"
#include "faults/explore/shim/load_program.h"
#include "faults/explore/shim/shim_process.h"

// Where a thread is made. On the new thread's stack, which the kernel takes from the second
// argument, lies its entry, and on both stacks the address to return to.
extern "C" void make_thread();
extern "C" void begin_made_thread(explore::ThreadEntry* mine) {
  explore::shim::begin_thread(mine);
}
asm(R"(
.text
make_thread:
  syscall
  lea 16(%rsi), %rsi
  test %rax, %rax
  jnz 1f
  push %rax
  push %rdi
  push %rsi
  push %rdx
  push %r8
  push %r9
  push %r10
  push %rbp
  mov 64(%rsp), %rdi
  mov %rsp, %rbp
  and $-16, %rsp
  call begin_made_thread
  mov %rbp, %rsp
  pop %rbp
  pop %r10
  pop %r9
  pop %r8
  pop %rdx
  pop %rsi
  pop %rdi
  pop %rax
  lea 8(%rsp), %rsp
1:
  ret
)");

extern "C" void return_from_signal();
asm(R"(
.text
return_from_signal:
  mov $15, %eax
  syscall
)");

namespace explore::shim {
namespace {

// As the kernel has it (rt_sigaction(2)).
struct SignalAction {
  std::uint64_t handler;
  std::uint64_t flags;
  std::uint64_t restorer;
  std::uint64_t mask;
};

constexpr std::uint64_t restorer_is_given = 0x04000000;
constexpr std::uint64_t own_signal = 1ULL << (SIGSYS - 1U);

// What the program wants to happen at SIGSEGV, unless it is ours.
constinit SignalAction segmentation_fault{};

std::uint64_t* word_at(long address) {
  return reinterpret_cast<std::uint64_t*>(address);
}

// The call is made where the handler returns to, on the caller's own stack.
void make_thread_on_return(greg_t* registers, ThreadEntry* entry) {
  const auto back = static_cast<std::uint64_t>(registers[REG_RIP]);
  registers[REG_RSP] -= 8;
  *word_at(registers[REG_RSP]) = back;
  registers[REG_RSI] -= 16;
  *word_at(registers[REG_RSI]) = static_cast<std::uint64_t>(address_of(entry));
  *word_at(registers[REG_RSI] + 8) = back;
  registers[REG_RIP] = address_of(&make_thread);
}

// The new thread's entry; null: it is not made, and a process never is.
ThreadEntry* entry_for_new_thread(const Call& call) {
  const bool makes_thread =
      call.number == SYS_clone && (call.arguments[0] & CLONE_THREAD) != 0 && call.arguments[1] != 0;
  if (makes_thread) return count_thread();
  process.entry->other_processes.fetch_add(1);
  return nullptr;
}

long block_signals(const Call& call, ucontext_t& context) {
  const auto& [how, given, before, size, e, f] = call.arguments;
  auto& mask = *word_at(address_of(&context.uc_sigmask));
  const auto old = mask;
  if (given != 0) {
    const auto set = *word_at(given);
    if (how == SIG_BLOCK) mask |= set;
    if (how == SIG_UNBLOCK) mask &= ~set;
    if (how == SIG_SETMASK) mask = set;
    mask &= ~own_signal;
  }
  if (before != 0) *word_at(before) = old;
  return 0;
}

// SIGSYS is ours, and no handler may block it; what SIGSEGV does for the program is kept here.
long set_action(const Call& call) {
  const auto& [signal, given, before, size, e, f] = call.arguments;
  SignalAction action{};
  if (given != 0) std::memcpy(&action, word_at(given), sizeof action);
  action.mask &= ~own_signal;
  if (signal != SIGSYS && signal != SIGSEGV) {
    return raw_syscall(SYS_rt_sigaction, signal, given == 0 ? 0 : address_of(&action), before,
                       size);
  }
  const auto old = signal == SIGSEGV ? segmentation_fault : SignalAction{};
  if (before != 0) std::memcpy(word_at(before), &old, sizeof old);
  if (given != 0 && signal == SIGSEGV) segmentation_fault = action;
  return 0;
}

long end_thread(const Call& call) {
  notify_of_end();
  leave(this_thread());
  return raw_syscall(SYS_exit, call.arguments[0]);
}

long answer(const Call& call) {
  for (const auto family : {tell_time, sleep_or_wait, poll_descriptors, use_stream}) {
    if (const auto result = family(call)) return *result;
  }
  refuse_call(call.number);
  const auto& [a, b, c, d, e, f] = call.arguments;
  return raw_syscall(call.number, a, b, c, d, e, f);
}

void handle_call(int /*signal*/, siginfo_t* /*about*/, void* where) {
  auto& context = *static_cast<ucontext_t*>(where);
  auto* registers = context.uc_mcontext.gregs;
  const Call call{.number = registers[REG_RAX],
                  .arguments = {registers[REG_RDI], registers[REG_RSI], registers[REG_RDX],
                                registers[REG_R10], registers[REG_R8], registers[REG_R9]}};
  auto& result = registers[REG_RAX];
  switch (call.number) {
    case SYS_clone:
      if (auto* entry = entry_for_new_thread(call)) return make_thread_on_return(registers, entry);
      result = -EAGAIN;
      return;
    case SYS_fork:
    case SYS_vfork:
    case SYS_execve:
    case SYS_execveat:
      process.entry->other_processes.fetch_add(1);
      result = -EAGAIN;
      return;
    case SYS_clone3: result = -ENOSYS; return;  // the C library asks by clone(2) then
    case SYS_rt_sigprocmask: result = block_signals(call, context); return;
    case SYS_rt_sigaction: result = set_action(call); return;
    case SYS_exit: result = end_thread(call); return;
    default: result = answer(call); return;
  }
}

// `rdtsc` and `rdtscp`: their lengths; 0: it is something else.
int reads_clock(const unsigned char* code) {
  if (code[0] != 0x0f) return 0;
  if (code[1] == 0x31) return 2;
  return code[1] == 0x01 && code[2] == 0xf9 ? 3 : 0;
}

void handle_fault(int signal, siginfo_t* about, void* where) {
  static constinit std::atomic<std::uint64_t> ticks{0};
  auto* registers = static_cast<ucontext_t*>(where)->uc_mcontext.gregs;
  const auto* code = reinterpret_cast<const unsigned char*>(registers[REG_RIP]);
  const int length = about->si_code == SI_KERNEL ? reads_clock(code) : 0;
  if (length > 0) {
    const auto told = ticks.fetch_add(1'000);
    registers[REG_RAX] = static_cast<greg_t>(told & ~0U);
    registers[REG_RDX] = static_cast<greg_t>(told >> 32U);
    registers[REG_RIP] += length;
    return;
  }
  constexpr std::uint64_t ignored = 1;
  using Handler = void (*)(int, siginfo_t*, void*);
  if (segmentation_fault.handler > ignored) {
    return reinterpret_cast<Handler>(segmentation_fault.handler)(signal, about, where);
  }
  const SignalAction usual{};
  (void)raw_syscall(SYS_rt_sigaction, signal, address_of(&usual), 0, sizeof usual.mask);
}

void install(int signal, void (*handler)(int, siginfo_t*, void*)) {
  const SignalAction action{
      .handler = static_cast<std::uint64_t>(reinterpret_cast<long>(handler)),
      .flags = restorer_is_given | SA_SIGINFO | SA_ONSTACK | SA_NODEFER,
      .restorer = static_cast<std::uint64_t>(address_of(&return_from_signal)),
      // All but those that a mistake raises: blocked, they would end the process.
      .mask = ~(own_signal | 1ULL << (SIGSEGV - 1U))};
  const auto failed =
      raw_syscall(SYS_rt_sigaction, signal, address_of(&action), 0, sizeof action.mask);
  if (failed != 0) give_up("cannot handle a signal");
}

}  // namespace

void install_handlers() {
  install(SIGSYS, handle_call);
  install(SIGSEGV, handle_fault);
  (void)prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0);
}

}  // namespace explore::shim
