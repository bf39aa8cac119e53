// The help of `./lab` itself; each command's own stands beside it.
#pragma once

namespace app::help {

inline constexpr const char* description =
    "Watch a Redis distributed lock break, and get fixed, stage by stage.\n"
    "Real client processes, a real redis-server, real faults.";

inline constexpr const char* examples =
    "Examples:\n"
    "  ./lab                                      the guided tour\n"
    "  ./lab run stage3_set_nx_px frozen_mid_release\n"
    "  ./lab run 4                                one stage against every scenario\n"
    "  ./lab diff 3 4                             what a stage changes\n"
    "  ./lab table                                every stage against every scenario\n"
    "  ./lab explore 3                            looks by itself: every order of events\n"
    "  ./lab bench --quick                        what each stage costs, in less than a minute\n"
    "  ./lab report                               all of that as one HTML file\n"
    "  ./lab field                                locks that people use, and how to add yours\n"
    "  ./lab servers                              other versions of Redis and Valkey to run on\n"
    "  ./lab learn                                eight exercises: you write the locks\n"
    "  ./lab watch lock:order:4711                who holds that lock, on a live server\n"
    "\n"
    "More with each command's own --help, such as ./lab run --help.\n"
    "Exit codes: 0 holds, 1 violated, 2 could not run, 3 nothing was shown.\n"
    "REDIS_SERVER names any other redis-server or valkey-server; NO_COLOR turns colour off.\n"
    "A diff is shown by PAGER, or by less; PAGER= shows it straight.";

}  // namespace app::help
