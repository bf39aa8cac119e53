// What `./lab --help`, and each command's own --help, say beside what the options say for
// themselves.
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
    "  ./lab bench --quick                        what each stage costs, in less than a minute\n"
    "  ./lab report                               all of that as one HTML file\n"
    "  ./lab learn                                eight exercises: you write the locks\n"
    "\n"
    "More with each command's own --help, such as ./lab run --help.\n"
    "Exit codes: 0 holds, 1 violated, 2 could not run, 3 nothing was shown.\n"
    "REDIS_SERVER names another redis-server or valkey-server; NO_COLOR turns colour off.\n"
    "A diff is shown by PAGER, or by less; PAGER= shows it straight.";

inline constexpr const char* tour_examples =
    "Examples:\n"
    "  ./lab tour                                 waits for Enter between the steps\n"
    "  ./lab tour --no-predict                    and does not ask what will happen\n"
    "  ./lab tour > tour.txt                      not on a terminal: straight through\n"
    "\n"
    "Ctrl-C ends it at any moment.";

inline constexpr const char* run_examples =
    "Examples:\n"
    "  ./lab run 3 frozen_mid_release             one story, with its timeline\n"
    "  ./lab run 5 late_renewal hung_holder       two of them\n"
    "  ./lab run 5 reply_lost                     all whose names begin so\n"
    "  ./lab run 4                                every scenario\n"
    "  ./lab run counts_up                        a wrong turn: what shows what is wrong with it\n"
    "\n"
    "Exit codes: 0 holds, 1 violated, 2 could not run, 3 nothing was shown.\n"
    "./lab list names the stages, the wrong turns and the scenarios.";

inline constexpr const char* table_examples =
    "Examples:\n"
    "  ./lab table                                takes about a minute\n"
    "  ./lab table --jobs 2                       with less going on at once\n"
    "  ./lab table --json > table.json\n"
    "\n"
    "Exit codes: 0 all is as declared, 1 a cell is not, 2 could not run.";

inline constexpr const char* diff_examples =
    "Examples:\n"
    "  ./lab diff 3 4                             what stage 4 changes\n"
    "  PAGER= ./lab diff 3 4                      straight to the terminal, without a pager";

inline constexpr const char* list_examples =
    "Examples:\n"
    "  ./lab list\n"
    "  ./lab list --json                          for a machine to read";

inline constexpr const char* judge_examples =
    "Examples:\n"
    "  ./lab judge runs/20260102-030405-stage3_set_nx_px-frozen_mid_release\n"
    "\n"
    "Exit codes: 0 holds, 1 violated, 2 could not judge, 3 nothing was shown.";

inline constexpr const char* report_examples =
    "Examples:\n"
    "  ./lab report                               runs the table, writes report.html\n"
    "  ./lab report --out lesson.html --jobs 2    with less going on at once\n"
    "  ./lab report --from runs/OLD-table         of an earlier table; runs nothing";

}  // namespace app::help
