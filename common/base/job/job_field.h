/* SPDX-License-Identifier: Apache-2.0 */
/*
 * job_field.h - parses and checks values of job fields, as described by the rows of job_field_table.h
 *
 * The client, the resource manager and the agent check values by the same functions, since none of them
 * trusts the sender. Each program copies its own struct or message into a struct job_values, by the table:
 *
 *     #define VALUE(member, kind, ...) [JOB_FIELD_##member] = JOB_VALUE(kind, spec->member),
 *         return (struct job_values){ .of = { JOB_SPEC_FIELDS(VALUE) } };
 *
 * Pure functions: no state is kept between calls.
 */
#ifndef CREEL_JOB_FIELD_H
#define CREEL_JOB_FIELD_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/arena.h"
#include "common/base/err.h"
#include "common/base/job/job_field_table.h"

enum job_kind {
    JOB_TEXT,         /* one line of text */
    JOB_LIST,         /* items of one text, of any form: jobs, indexes */
    JOB_PATH,         /* a path, at most JOB_PATH_MAX bytes */
    JOB_SIGNAL,       /* name of a signal that may be sent as a message: "USR1", "TERM" */
    JOB_LIMIT_SIGNAL, /* a signal, and a time ahead of the time limit: "USR1@60", "@90" */
    JOB_SIGNAL_TO,    /* processes that get a signal: "all", "first", "others", "steps" */
    JOB_RETRY,        /* ends after which a job starts again: "node,preempt,oom,exit:75" */
    JOB_SYSTEM,       /* system of the script's directives and of the variables: "slurm", "creel" */
    JOB_PATTERN,      /* a path with %j, %A, %a, %b, %x, %u, %N, %t and %% */
    JOB_RESULTS,      /* paths of results: results_next_path */
    JOB_OPEN_MODE,    /* "append", "truncate" */
    JOB_LIMITS,       /* soft limits: soft_limits_read; option: soft_limits_choose */
    JOB_MAIL_TYPE,    /* events for mail: common/base/job/mail.h */
    JOB_MAIL_USER,    /* who gets mail: common/base/job/mail.h */
    JOB_NUMBER,
    JOB_ROOT_NEGATIVE, /* a number; only jobs of root may have one below 0 */
    JOB_OCTAL,         /* text of octal digits: "0027", so that 0 differs from "not given" */
    JOB_SECONDS,       /* a number of seconds; the option takes a time: 90, 5m, 2h */
    JOB_TIME,          /* a moment, as milliseconds since 1970; option: see client/cli/frame/moment.h */
    JOB_FLAG,          /* 1, or 0; an option without argument */
    JOB_DISCONNECT,    /* a number of milliseconds, or -1 to keep; option: keep, stop-after=TIME */
};

/* Member of struct job_value that stores a value of each kind. */
#define JOB_STORED_TEXT text
#define JOB_STORED_LIST text
#define JOB_STORED_PATH text
#define JOB_STORED_SIGNAL text
#define JOB_STORED_LIMIT_SIGNAL text
#define JOB_STORED_SIGNAL_TO text
#define JOB_STORED_RETRY text
#define JOB_STORED_SYSTEM text
#define JOB_STORED_PATTERN text
#define JOB_STORED_RESULTS text
#define JOB_STORED_OPEN_MODE text
#define JOB_STORED_LIMITS text
#define JOB_STORED_MAIL_TYPE text
#define JOB_STORED_MAIL_USER text
#define JOB_STORED_NUMBER number
#define JOB_STORED_ROOT_NEGATIVE number
#define JOB_STORED_OCTAL text
#define JOB_STORED_SECONDS number
#define JOB_STORED_TIME number
#define JOB_STORED_FLAG number
#define JOB_STORED_DISCONNECT number

struct job_value {
    const char *text; /* borrowed; NULL or "": not given */
    int64_t number;   /* 0: not given */
};
#define JOB_VALUE(kind, value) \
    { \
        .JOB_STORED_##kind = (value) \
    }

/* Pastes PREFIX and the name of the member that stores KIND: JOB_BY_STORAGE(SET_, SIGNAL) is SET_text. */
#define JOB_BY_STORAGE(prefix, kind) JOB_BY_STORAGE_PASTE(prefix, JOB_STORED_##kind)
#define JOB_BY_STORAGE_PASTE(prefix, storage) JOB_BY_STORAGE_NAME(prefix, storage)
#define JOB_BY_STORAGE_NAME(prefix, storage) prefix##storage

enum job_field_id {
#define JOB_FIELD_ID(member, ...) JOB_FIELD_##member,
    JOB_FIELDS(JOB_FIELD_ID)
#undef JOB_FIELD_ID
        JOB_FIELD_COUNT
};

struct job_values { /* indexed by enum job_field_id */
    struct job_value of[JOB_FIELD_COUNT];
};

struct job_field { /* one row of job_field_table.h, which explains the members */
    enum job_kind kind;
    char letter;
    const char *option, *argument, *json;
    int64_t low, high;
    const char *help;
};
extern const struct job_field job_fields[JOB_FIELD_COUNT];

/* The letters behind % in a pattern. */
#define JOB_PATTERN_LETTERS "jAabxuNt%"
#define JOB_PATTERN_NUMBERS "jAabt" /* those that a number may precede: %4a has leading zeros, as 0007 */
#define JOB_PATTERN_WIDTH_MAX 10

#define JOB_SLURM_NO_VAL "4294967294" /* NO_VAL of Slurm: the index, user or group that there is not */

#define JOB_PATTERN_NAME_LONGEST 255  /* bytes of a user, a host or the name of a job */
#define JOB_PATTERN_NUMBER_LONGEST 20 /* digits of a number */

/* Longest path that Linux can open, without the '\0' at its end. */
#define JOB_PATH_MAX 4095

/* Names in the working directory of a container that the agent makes itself. */
#define JOB_INPUT_FIFO ".creel-input" /* from which a command with input reads standard input */
#define JOB_TMP_DIRECTORY "tmp"
/* Bytes of a job as a message, without its files: it must fit into a message to an agent, with the rest of
 * that message (WIRE_FRAME_MAX, 1 MiB and 64 KiB). Linux takes 2 MiB of arguments and variables, and 128
 * KiB in one. The resource manager has each job in memory and in its state while it remembers it: 10,000
 * jobs of 2 MiB would be 20 GiB; creel.submit.user-jobs-size-max bounds those of one user. Larger values
 * belong into files (--file), which are stored once. */
#define JOB_BYTES_MAX ((size_t)768 << 10)
#define JOB_STEPS_DIR "tmp/.creel-steps" /* below the container's own directory, from the first step on */
#define JOB_NOTICE_FILE "preempt.json"
#define JOB_NOTICE_FILE_NEW "." JOB_NOTICE_FILE ".new" /* before it replaces JOB_NOTICE_FILE */
#define JOB_TOKEN_FILE "creel-token"                   /* only of the first container, as JOB_SPEC_FILE */
#define JOB_SPEC_FILE "creel-job"

bool job_field_is_text(const struct job_field *field);
bool job_field_is_given(const struct job_field *field, const struct job_value *value);

/* Parses WORD, the argument of FIELD's option. VALUE borrows WORD. For JOB_TIME, WORD must be a number of
 * milliseconds, since a time of day needs a clock. -EINVAL: "--label x: expected ...". */
int job_field_parse(const struct job_field *field, const char *word, struct job_value *value,
                    struct err *err);

/* Checks all values of a job of USER (NULL: user unknown). Returns -EINVAL, or -EPERM for a value that only
 * root may use. ERR describes the first wrong value: "lifetime -5: expected ...". */
int job_values_check(const struct job_values *values, const char *user, struct err *err);

/* Checks the sizes of paths and of the names of output files in the values of a new job. Values of a job
 * that an earlier version accepted may be larger. -EINVAL: "out: may become 8000 bytes, ...". */
int job_values_check_sizes(const struct job_values *values, struct err *err);

/* Returns the bytes that the name of an output file may have at most: its pattern with the longest values.
 * Declared for tests. */
size_t job_field_pattern_longest(const char *pattern);
/* Replaces the items of PATTERN by VALUES; those without a value stay. The name is in ARENA. NULL: it is
 * empty, or would have more than JOB_PATH_MAX bytes. Work and memory are bounded by the lengths of PATTERN
 * and of a path. */
struct job_pattern_values {
    const char *of[UCHAR_MAX + 1]; /* by the letters of the items; NULL: the letter is unknown */
};
char *job_field_pattern_expand(const char *pattern, const struct job_pattern_values *values,
                               struct arena *arena);

/* Parses a value of JOB_LIMIT_SIGNAL: "USR1@60", where the time is in seconds or as "5m". The default
 * signal is TERM, the default time one minute. Returns false if TEXT is malformed, or the time is not
 * within 1 s to 30 days; the outputs are unchanged then. */
bool job_field_parse_limit_signal(const char *text, int *signal_number, int64_t *ahead_ms);

/* The processes of a container that get a signal. */
enum job_signal_to {
    JOB_SIGNAL_TO_ALL,
    JOB_SIGNAL_TO_FIRST,  /* the first process alone: the shell of a script */
    JOB_SIGNAL_TO_OTHERS, /* all but the first process */
    JOB_SIGNAL_TO_STEPS   /* those of the steps of srun; as OTHERS if the container never had a step */
};

/* Parses a value of JOB_SIGNAL_TO; "" and NULL are JOB_SIGNAL_TO_ALL. Returns false if TEXT is none. */
bool job_field_parse_signal_to(const char *text, enum job_signal_to *to);

/* The ends of an attempt after which its job starts again. */
struct retry_rule {
    bool node, preempt, oom;
    uint8_t exits[256 / 8]; /* bit of each exit status */
};

/* Parses a value of JOB_RETRY. Returns false if TEXT is malformed; RULE is undefined then. */
bool job_field_parse_retry(const char *text, struct retry_rule *rule);
/* Returns true if an end with STATUS (exit_status.h) is one of RULE. */
bool job_field_retry_has(const struct retry_rule *rule, int32_t status);

#endif
