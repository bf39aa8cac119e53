#include "faults/explore/shim/call_filter.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "faults/explore/preload/raw_syscall.h"
#include "faults/explore/shim/load_program.h"

// Of this program, by its linker.
extern "C" {
extern const char __executable_start;  // NOLINT(bugprone-reserved-identifier)
extern const char etext;
}

namespace explore::shim {
namespace {

// They neither wait for another thread or process nor tell the time.
constexpr std::array harmless{SYS_access,
                              SYS_arch_prctl,
                              SYS_bind,
                              SYS_brk,
                              SYS_capget,
                              SYS_chdir,
                              SYS_chmod,
                              SYS_clock_getres,
                              SYS_copy_file_range,
                              SYS_creat,
                              SYS_dup,
                              SYS_dup2,
                              SYS_dup3,
                              SYS_epoll_create,
                              SYS_epoll_create1,
                              SYS_eventfd,
                              SYS_eventfd2,
                              SYS_exit_group,
                              SYS_faccessat,
                              SYS_faccessat2,
                              SYS_fadvise64,
                              SYS_fallocate,
                              SYS_fchdir,
                              SYS_fchmod,
                              SYS_fchmodat,
                              SYS_fchown,
                              SYS_fcntl,
                              SYS_fdatasync,
                              SYS_fstat,
                              SYS_fstatfs,
                              SYS_fsync,
                              SYS_ftruncate,
                              SYS_get_mempolicy,
                              SYS_get_robust_list,
                              SYS_getcpu,
                              SYS_getcwd,
                              SYS_getdents,
                              SYS_getdents64,
                              SYS_getegid,
                              SYS_geteuid,
                              SYS_getgid,
                              SYS_getgroups,
                              SYS_getitimer,
                              SYS_getpgid,
                              SYS_getpgrp,
                              SYS_getpid,
                              SYS_getppid,
                              SYS_getpriority,
                              SYS_getrandom,
                              SYS_getresgid,
                              SYS_getresuid,
                              SYS_getrlimit,
                              SYS_getrusage,
                              SYS_getsid,
                              SYS_getsockopt,
                              SYS_gettid,
                              SYS_getuid,
                              SYS_getxattr,
                              SYS_ioctl,
                              SYS_kill,
                              SYS_lgetxattr,
                              SYS_link,
                              SYS_listen,
                              SYS_lseek,
                              SYS_lstat,
                              SYS_madvise,
                              SYS_mbind,
                              SYS_membarrier,
                              SYS_memfd_create,
                              SYS_mincore,
                              SYS_mkdir,
                              SYS_mkdirat,
                              SYS_mlock,
                              SYS_mlock2,
                              SYS_mmap,
                              SYS_mprotect,
                              SYS_mremap,
                              SYS_msync,
                              SYS_munlock,
                              SYS_munmap,
                              SYS_newfstatat,
                              SYS_open,
                              SYS_openat,
                              SYS_pipe,
                              SYS_pipe2,
                              SYS_pkey_alloc,
                              SYS_pkey_free,
                              SYS_pkey_mprotect,
                              SYS_prctl,
                              SYS_pread64,
                              SYS_preadv,
                              SYS_prlimit64,
                              SYS_pwrite64,
                              SYS_pwritev,
                              SYS_readahead,
                              SYS_readlink,
                              SYS_readlinkat,
                              SYS_rename,
                              SYS_renameat,
                              SYS_renameat2,
                              SYS_rmdir,
                              SYS_rseq,
                              SYS_rt_sigpending,
                              SYS_rt_sigreturn,
                              SYS_sched_get_priority_max,
                              SYS_sched_get_priority_min,
                              SYS_sched_getaffinity,
                              SYS_sched_getparam,
                              SYS_sched_getscheduler,
                              SYS_sched_setaffinity,

                              SYS_seccomp,
                              SYS_set_robust_list,
                              SYS_set_tid_address,
                              SYS_setpgid,
                              SYS_setpriority,
                              SYS_setrlimit,
                              SYS_sigaltstack,
                              SYS_socket,
                              SYS_socketpair,
                              SYS_stat,
                              SYS_statfs,
                              SYS_statx,
                              SYS_symlink,
                              SYS_sysinfo,
                              SYS_tgkill,
                              SYS_times,
                              SYS_tkill,
                              SYS_truncate,
                              SYS_umask,
                              SYS_uname,
                              SYS_unlink,
                              SYS_unlinkat,
                              SYS_utimensat};

constexpr std::uint32_t at_number = offsetof(seccomp_data, nr);
constexpr std::uint32_t at_address = offsetof(seccomp_data, instruction_pointer);

sock_filter load(std::uint32_t from) {
  return BPF_STMT(BPF_LD | BPF_W | BPF_ABS, from);
}

sock_filter jump_if(int how, std::uint64_t value, int then, int otherwise) {
  return BPF_JUMP(static_cast<std::uint16_t>(BPF_JMP | BPF_K | how),
                  static_cast<std::uint32_t>(value), static_cast<std::uint8_t>(then),
                  static_cast<std::uint8_t>(otherwise));
}

sock_filter end_with(std::uint32_t verdict) {
  return BPF_STMT(BPF_RET | BPF_K, verdict);
}

// The numbers come first: the kernel remembers such a verdict as long as nothing else is read.
std::vector<sock_filter> instructions() {
  const auto begin = reinterpret_cast<std::uint64_t>(&__executable_start);
  const auto end = reinterpret_cast<std::uint64_t>(&etext);
  std::vector<sock_filter> all{load(at_number)};
  for (const auto number : harmless) {
    all.push_back(jump_if(BPF_JEQ, static_cast<std::uint64_t>(number), 0, 1));
    all.push_back(end_with(SECCOMP_RET_ALLOW));
  }
  all.insert(all.end(),
             {load(at_address + 4), jump_if(BPF_JEQ, begin >> 32U, 0, 4), load(at_address),
              jump_if(BPF_JGE, begin & ~0U, 0, 2), jump_if(BPF_JGE, end & ~0U, 1, 0),
              end_with(SECCOMP_RET_ALLOW), end_with(SECCOMP_RET_TRAP)});
  return all;
}

}  // namespace

bool lies_well() {
  return reinterpret_cast<std::uint64_t>(&__executable_start) >> 32U ==
         reinterpret_cast<std::uint64_t>(&etext) >> 32U;
}

void trap_calls() {
  auto filter = instructions();
  const sock_fprog program{.len = static_cast<unsigned short>(filter.size()),
                           .filter = filter.data()};
  const bool works =
      prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
      raw_syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, address_of(&program)) == 0;
  if (!works) give_up("this machine does not let a program trap system calls (seccomp)");
}

}  // namespace explore::shim
