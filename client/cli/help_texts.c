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
    "examples:\n"
    "  creel history apps -u ann --since 7d\n"
    "  creel history apps --state FAILED --since yesterday -o wide\n"
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
