/* SPDX-License-Identifier: Apache-2.0 */
/* help_texts.c - longer help of the commands about what happened */
#include "client/cli/help_texts.h"

const char help_events[] =
    "Lists events in order of time: submission, start, end, hold and move of applications; registration,\n"
    "drain and loss of nodes; with --app or --node also events of containers. TIME is 2h (ago), 08:00,\n"
    "yesterday or 2026-11-20T08:00. With --follow, events are printed as they happen, until Ctrl-C or\n"
    "until the application of --app has ended. --follow without --app is for administrators.\n\n"
    "examples:\n"
    "  creel events --app 42\n"
    "  creel events --since 2h -q dev.ml\n"
    "  creel events -f -o jsonl | jq -r 'select(.event == \"FAILED\") | .id'\n";

const char help_history[] =
    "Lists ended applications of all users, the newest first, also those that the resource manager no\n"
    "longer has in memory. MAXMEM is the highest memory peak of a container, CPUTIME the sum over all\n"
    "containers. TIME is the time of the end: 2h (ago), 7d, 08:00, yesterday, 2026-11-20 or\n"
    "2026-11-20T08:00. The history is kept for creel.history.retention-ms.\n\n"
    "--fields takes names of sacct's fields, in any case, and prints times and durations as sacct does.\n"
    "Account is the queue, Partition the node label, State a state of creel, CPUTime the vcores times the\n"
    "time, TotalCPU the CPU time that was used, MaxRSS the peak of memory. JSON has all fields of creel.\n\n"
    "examples:\n"
    "  creel history apps -u ann --since 7d\n"
    "  creel history apps --state FAILED --since yesterday -o wide\n"
    "  creel history apps --since 7d --csv --fields JobID,JobName,State,ExitCode,Elapsed,MaxRSS,NodeList\n"
    "  creel history apps -n 'nightly*' --limit 0 --json | jq '.items[].used.memoryPeakBytes'\n";

const char help_history_usage[] =
    "Sums of applications that have ended, tasks of arrays among them: what was given to them in\n"
    "vcore-hours and GiB-hours, and the CPU time that they used, in hours. Without --since, of all that\n"
    "the history has. Hours and days are those of the end, in local time. AVGWAIT (-o wide) is the\n"
    "average time from the submission to the first container.\n\n"
    "examples:\n"
    "  creel history usage --since 30d\n"
    "  creel history usage --by day -q dev.ml --since 7d\n"
    "  creel history usage --by queue --csv\n";

const char help_history_efficiency[] =
    "How much of the CPU time and memory that was allocated to applications they used. CPUEFF is CPUTIME,\n"
    "which they used, of VCORETIME: their vcores times the time that they had them. MEMEFF is the peak of\n"
    "each container times the time that it ran, of the memory times the time that it was allocated. MAXMEM\n"
    "is the peak of the container that used most, REQMEM the memory of each. A column is empty for an\n"
    "application that had a vcore for less than a second. With IDs these applications, also running ones;\n"
    "else those that have ended, the last one first. With --by a sum for each user, queue, hour or day.\n\n"
    "examples:\n"
    "  creel history efficiency 42\n"
    "  creel history efficiency -u ann --since 7d --sort cpueff\n"
    "  creel history efficiency --by user --since 30d\n";
