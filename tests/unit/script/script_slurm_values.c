/* SPDX-License-Identifier: Apache-2.0 */
/* script_slurm_values.c - test: values of single options of #SBATCH and #PBS, as sbatch reads them */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/mem.h"
#include "tests/unit/slurm/slurm_translation.h"

/* Returns the words that the directive OPTIONS becomes, and its notices: "--a=1 --b=2 | notice". */
static char *short_form(const char *options, const char *const *variables)
{
    scoped_free char *text = mem_printf("#!/bin/sh\n#SBATCH%s%s\n", *options == '-' ? " " : "", options);
    struct arena *arena = arena_new();
    struct script translated;
    struct err err = { 0 };
    char *result = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&result, &size);
    const char *between = "";

    if (translate_in(text, variables, all_known, &translated, arena, &err) < 0)
        fail_msg("%s: %s", options, err.text);
    for (size_t i = 0; i < translated.directive_count; i++) {
        const char *word = translated.directives[i].words[0];

        if ((!strncmp(word, "--env=SLURM_", 12) && strcmp(word, "--env=SLURM_GET_USER_ENV=1") != 0) ||
            (variables == NULL && !strcmp(word, "--env=all")))
            continue;
        fprintf(stream, "%s%s", between, word);
        between = " ";
    }
    for (size_t i = 0; i < translated.notice_count; i++)
        fprintf(stream, " | %s", translated.notices[i].text);
    assert_int_equal(fclose(stream), 0);
    arena_free(arena);
    return result;
}

static void expect_forms(const char *const (*cases)[2], size_t count, const char *const *variables)
{
    for (size_t i = 0; i < count; i++) {
        scoped_free char *got = short_form(cases[i][0], variables);

        if (strcmp(got, cases[i][1]) != 0)
            fail_msg("%s: expected \"%s\", got \"%s\"", cases[i][0], cases[i][1], got);
    }
}
#define EXPECT_FORMS(cases, variables) expect_forms(cases, sizeof(cases) / sizeof((cases)[0]), variables)

/* What sbatch of Slurm 22.05.8 answers to each value. */
static void limits_are_those_of_sbatch(void **state)
{
    static const char *const cases[][2] = {
        { "-t 90", "--time=90m" },
        { "-t 99999999", "--time=52596000m" }, /* the largest that creel has */
        { "-t 00:90:00", "--time=90m" },
        { "-t 0-24:00:00", "--time=1440m" },
        { "-t 0-28:00", "--time=1680m" },
        { "-t 1-", "--time=1440m" },
        { "-t 1-2", "--time=1560m" },
        { "-t 1-2:3:4", "--time=1564m | -t 1-2:3:4: is rounded up to minutes, as sbatch does: 1564m" },
        { "-t 100:100", "--time=102m | -t 100:100: is rounded up to minutes, as sbatch does: 102m" },
        { "-t 0:12", "--time=1m | -t 0:12: is rounded up to minutes, as sbatch does: 1m" },
        { "-t 0:12 --signal=USR1@9", "--time=1m --signal=USR1@57s --signal-to=steps | -t 0:12: is rounded up "
                                     "to minutes, as sbatch does: 1m" },
        { "--signal=USR1@9 -t 0:12 -t 2", "--time=2m --signal=USR1@9s --signal-to=steps | -t 0:12: "
                                          "is rounded up to minutes, as sbatch does: 1m" },
        { "-t 0 --no-requeue --requeue", "" },
        { "-t UNLIMITED", "" },
        { "-t infinite", "" },
        { "-t -1", "" },
        { "-t 10 -t UNLIMITED", "" },
        { "-t 0 -t 10", "--time=10m" },
        { "--begin=now+1hour --begin=now", "" },
        { "-t5 --requeue --no-requeue", "--time=5m --no-requeue" },
        { "--time 5", "--time=5m" },
        { "--time=\"5\"", "--time=5m" },
        { "--time-min=5", " | --time-min: ignored" },
    };

    (void)state;
    EXPECT_FORMS(cases, NULL);
}

static void moments_are_those_of_sbatch(void **state)
{
#define AT(text) "--begin=" text "Z"
    static const char *const cases[][2] = {
        { "--begin=now+1hour", AT("2026-11-29T17:00:00") },
        { "--begin=now+60", AT("2026-11-29T16:01:00") },
        { "--begin='now + 2 hours'", AT("2026-11-29T18:00:00") },
        { "--begin=now+90minutes", AT("2026-11-29T17:30:00") },
        { "--begin=now+1week", AT("2026-12-06T16:00:00") },
        { "--begin=now", "" },
        { "--begin=now-1hour", "" },
        { "--begin=2020-01-01", "" },
        { "--begin=today", "" },
        { "--begin=17:00", AT("2026-11-29T17:00:00") },
        { "--begin=14:00", AT("2026-11-30T14:00:00") },
        { "--begin=5:00PM", AT("2026-11-29T17:00:00") },
        { "--begin='5:00 pm'", AT("2026-11-29T17:00:00") },
        { "--begin=12:00am", AT("2026-11-30T00:00:00") },
        { "--begin=tomorrow", AT("2026-11-30T00:00:00") },
        { "--begin='tomorrow 10:00'", AT("2026-11-30T10:00:00") },
        { "--begin='16:00 tomorrow'", AT("2026-11-30T16:00:00") },
        { "--begin=tomorrowT10:00", AT("2026-11-30T10:00:00") },
        { "--begin=midnight", AT("2026-11-30T00:00:00") },
        { "--begin=noon", AT("2026-11-30T12:00:00") },
        { "--begin=fika", AT("2026-11-30T15:00:00") },
        { "--begin=teatime", AT("2026-11-30T16:00:00") },
        { "--begin=1201", AT("2026-12-01T00:00:00") },
        { "--begin=120126", AT("2026-12-01T00:00:00") },
        { "--begin=12/01", AT("2026-12-01T00:00:00") },
        { "--begin=01/05", AT("2027-01-05T00:00:00") },
        { "--begin=12/01/26-10:30", AT("2026-12-01T10:30:00") },
        { "--begin=12/01-10:30", AT("2026-12-01T10:30:00") },
        { "--begin=01.12", AT("2027-01-12T00:00:00") },
        { "--begin=2026-12-01T10:30:15", AT("2026-12-01T10:30:15") },
        { "--begin=2026-12-1", AT("2026-12-01T00:00:00") },
        { "--begin=uts1798000000", AT("2026-12-23T04:26:40") },
        { "--deadline=11/01", "--deadline=2027-11-01T00:00:00Z" },
        { "--deadline=2020-01-01", "--deadline=2020-01-01T00:00:00Z" },
    };
#undef AT

    (void)state;
    EXPECT_FORMS(cases, NULL);
}

static void signals_are_those_of_sbatch(void **state)
{
    static const char *const cases[][2] = {
        { "--signal=USR1", "--signal=USR1@60s --signal-to=steps" },
        { "--signal=SIGUSR1@90", "--signal=USR1@90s --signal-to=steps" },
        { "--signal=usr1@9", "--signal=USR1@9s --signal-to=steps" },
        { "--signal=10@9", "--signal=USR1@9s --signal-to=steps" },
        { "--signal=B:12@9", "--signal=USR2@9s --signal-to=first" },
        { "--signal=b:TERM", "--signal=TERM@60s --signal-to=first" },
        { "--signal=USR1@", "--signal=USR1@60s --signal-to=steps" },
        { "--signal=USR1@0", "--signal=USR1@1s --signal-to=steps" },
        { "--signal=RB:USR1@5", "--signal=USR1@5s --signal-to=first | "
                                "--signal=RB:USR1@5: R: is ignored; creel has no reservations" },
        { "--signal=KILL@30",
          " | --signal=KILL@30: ignored; creel sends HUP, INT, QUIT, USR1, USR2, ALRM, TERM, "
          "CONT and URG" },
    };

    (void)state;
    EXPECT_FORMS(cases, NULL);
}

static void names_of_files_are_those_of_sbatch(void **state)
{
    static const char *const cases[][2] = {
        { "-o %x-%J.out", "--out=%x-%j.out" },
        { "-o none -e NONE -i none", "--out=/dev/null --err=/dev/null --in=/dev/null" },
        { "-o none.%j", "--out=none.%j" },
        { "-e %x.%s.%n.%b.err", "--err=%x.batch.0.%b.err" },
        { "-i in.%a", "--in=in.%a" },
        { "-o a.%5j", "--out=a.%5j" },
        { "-o b.%3s", "--out=b.batch" },
        { "-o c.%4n.%2t", "--out=c.0000.00" },
        { "-o e.%12j", "--out=e.%10j" },
        { "-o f.%5x.%5N.%5u", "--out=f.%x.%N.%u" },
        { "-o h.%q", "--out=h.%%q" },
        { "-o i.%%j", "--out=i.%%j" },
        { "-o j.%%%j", "--out=j.%%%j" },
        { "-o k.%", "--out=k.%%" },
        { "-o l.%5", "--out=l.5" },
        { "-o r.%5%", "--out=r.5%%" },
        { "-o x.%5q", "--out=x.5q" },
        { "-o v.%0j", "--out=v.%j" },
        { "-o y.%5J", "--out=y.%5j" },
        { "-o m.\\\\%j", "--out=m.%%j" },
        { "-o n.%j\\\\q", "--out=n.%%jq" },
    };

    (void)state;
    EXPECT_FORMS(cases, NULL);
}

static void arrays_are_those_of_sbatch(void **state)
{
    static const char *const cases[][2] = {
        { "-a 0-9", "--array=0-9" },
        { "-a 1-9:2%2", "--array=1-9:2%2" },
        { "-a 1,3,5-9:2%2", "--array=1,3,5,7,9%2" },
        { "-a 1-3,2-4", "--array=1-4" },
        { "-a 1,1,1", "--array=1" },
        { "-a 0-9%0", "--array=0-9" },
        { "-a 1-3%99999999", "--array=1-3%1000000" },
        { "-a 0-9%3,12", "--array=0-9,12%3" },
        { "-a 1,2,", "--array=1-2" },
        { "-a '1, 2'", "--array=1-2" },
        { "-a [1-3]", "--array=1-3" },
    };

    (void)state;
    EXPECT_FORMS(cases, NULL);
}

static void sizes_are_those_of_sbatch(void **state)
{
    static const char *const cases[][2] = {
        { "--gpus=2 --cpus-per-gpu=4 --mem-per-gpu=16G", "--vcores=8 --memory=32768M --gpus=2" },
        { "--gpus=1 --cpus-per-gpu=2 -n 6", "--vcores=6 --gpus=1" },
        { "--gres=gpu:2 --mem-per-gpu=1G", "--memory=2048M --gpus=2" },
        { "--mem-per-gpu=1G", " | --mem-per-gpu: ignored; no GPU is requested" },
        { "--ntasks-per-gpu=2 --gpus=2", "--vcores=4 --gpus=2" },
        { "-n 4 --ntasks-per-tres=2", "--vcores=4 --gpus=2" },
        { "--gpus=a100:2,v100:1",
          "--gpus=3 | --gpus=a100:2: the type of the GPU is ignored; --constraint chooses nodes by a label | "
          "--gpus=v100:1: the type of the GPU is ignored; --constraint chooses nodes by a label" },
        { "--gpus=0", "" },
        { "--gpus=2 --gpus-per-task=1", "--gpus=2" },
        { "--gpus=4 --gpus-per-task=2 -c 3", "--vcores=6 --gpus=4" },
        { "--cpus-per-gpu=2", " | --cpus-per-gpu: ignored; no GPU is requested" },
        { "--gres=none", "" },
        { "--gres=gpu:a100:2",
          "--gpus=2 | --gres=gpu:a100:2: the type of the GPU is ignored; --constraint chooses nodes by a "
          "label" },
        { "--gres=gres:gpu:1", "--gpus=1" },
        { "--tasks-per-node 4 --mem-per-cpu=100M", "--vcores=4 --memory=400M" },
        { "--mem=2GB", "--memory=2048M" },
        { "--mem=2g", "--memory=2048M" },
        { "--mem=2049k", "--memory=3M" },
        { "--mem=1T", "--memory=1048576M" },
        { "--mem=0", " | --mem=0: ignored; all memory of a node cannot be requested" },
        { "--exclusive=user",
          " | --exclusive: ignored; other jobs may run on the node; request its memory and "
          "vcores to have it alone" },
    };

    (void)state;
    EXPECT_FORMS(cases, NULL);
}

static void names_of_options_are_those_of_sbatch(void **state)
{
    static const char *const cases[][2] = {
        { "--job=short --out=short.txt --cpus-per-t=2", "--name=short --out=short.txt --vcores=2" },
        { "--cluster=east", " | --cluster: ignored; CREEL_RM chooses the cluster" },
        { "--tasks=2", "--vcores=2" },
        { "--mail-t=END", "--mail-type=END" },
        { "--mail-type=begin,,Fail,abort --mail-user=<ann@example.org>",
          "--mail-user=<ann@example.org> --mail-type=begin,Fail | --mail-type=begin,,Fail,abort: abort: "
          "ignored; it is none of sbatch's events" },
        { "--mail-type=ALL,TIME_LIMIT_90,ARRAY_TASKS",
          "--mail-type=ALL,TIME_LIMIT_90,ARRAY_TASKS | --mail-type=ALL,TIME_LIMIT_90,ARRAY_TASKS: there is "
          "no mail about TIME_LIMIT_90, ARRAY_TASKS: creel has BEGIN, END and FAIL of a whole job" },
        { "--mail-type=END,NONE,FAIL", "--mail-type=NONE" },
        { "--mail-type=END\n#SBATCH --mail-type=FAIL,end", "--mail-type=END,FAIL" },
        { "--mail-type=END\n#SBATCH --mail-type=NONE", "--mail-type=END" },
        { "--mail-type=NONE\n#SBATCH --mail-type=FAIL", "--mail-type=FAIL" },
        { "-d ''", "" },
        { "-d afterok:1 --dependency=", "" },
        { "-d 'afterok: 42: 43_7'", "--depends-on=afterok:42:43_7" },
        { "-d afterok:1 -d afterok:1_[0,2-3]:5,after:6_7", "--depends-on=afterok:1_0:1_2:1_3:5,after:6_7" },
        { "--mail-type= --mail-user=", " | --mail-type: ignored; it names no event" },
        { "--mail-type=DONE", " | --mail-type=DONE: DONE: ignored; it is none of sbatch's events" },
        { "--mail-user=ann,,-t,bob,",
          "--mail-user=ann,bob | --mail-user: -t: ignored; expected addresses or names of users" },
        { "-w n1 --exclude=n2",
          " | -w: ignored; the scheduler chooses the node; --constraint names a label of nodes | "
          "--exclude: ignored; the scheduler chooses the node; --constraint names a label of nodes" },
        { "--share", " | --share: ignored; it is none of sbatch's options" },
        { "--time=5 # and --time=6", "--time=5m" },
        { "--job-name=a#b", "--name=a" },
        { "--job-name='a#b'", "--name=a#b" },
        { "--job-name=a\\%b", "--name=a%b" },
        { "--time=5 \\",
          "--time=5m | a directive does not continue on the next line; the backslash is ignored" },
        { "-n4 -c2", "--vcores=8" },
        { "--open-mode=a", "--open-mode=append" },
        { "-k -t3", "--time=3m | -k: ignored" },
        { "--wrap=x", " | --wrap: ignored; the script is the command" },
        { "--propagate", "--propagate" },
        { "--propagate=STACK,CORE", "--propagate=STACK,CORE" },
        { "-p short,long", "--queue=long | -p short,long: the job is submitted to long alone, the first "
                           "that exists; the others are ignored" },
        { "-p a,b", "--queue=a | -p a,b: the job is submitted to a alone, the first of them; the others "
                    "are ignored" },
        { "-p short", "--queue=short" },
    };

    (void)state;
    EXPECT_FORMS(cases, NULL);
}

#define LEFT ": ignored; write it as a line of #SBATCH"
/* Options of qsub with the meaning that they have for sbatch. They replace directives, in any order. */
static void lines_of_pbs_are_options(void **state)
{
    static const char *const variables[] = { "SBATCH_IGNORE_PBS=1", NULL };
    static const char *const cases[][2] = {
        { "\n#PBS -N night -q short", "--name=night --queue=short" },
        { "\n#PBS -l nodes=1:ppn=4,walltime=1:30:00,mem=4gb", "--time=90m --vcores=4 --memory=4096M" },
        { "\n#PBS -l walltime=3600", " | #PBS -l walltime=3600" LEFT },
        { "\n#PBS -l walltime=0:10:00,feature=x -l select=1",
          "--time=10m | #PBS -l feature=x -l select=1" LEFT },
        { "\n#PBS -l mem=4096 -l nodes=n1:ppn=2", " | #PBS -l mem=4096 -l nodes=n1:ppn=2" LEFT },
        { "\n#PBS -o out.txt -e err.txt -j oe", "--out=out.txt --err=err.txt" },
        { "\n#PBS -o host:out.txt -j n", " | #PBS -o host:out.txt -j n" LEFT },
        { "\n#PBS -A physics -t 1-4 -m abe -M ann",
          "--array=1-4 --mail-user=ann --mail-type=FAIL,BEGIN,END --tag=account:physics" },
        { "\n#PBS -J 0-8:2 -r n -h", "--array=0-8:2 --hold --no-requeue" },
        { "\n#PBS -V -m", " | #PBS -m" LEFT },
        { "\n#PBS -N night\n#SBATCH -J day --mem=1G", "--name=day --name=night --memory=1024M" },
        { "-J day\n#PBS -N night", "--name=day --name=night" },
        { "\n#PBS -l mem=2gb,walltime=1:00:00\n#SBATCH --mem-per-cpu=1G -t 5", "--time=60m --memory=2048M" },
        { "\n#PBS stray -", " | #PBS stray -" LEFT },
    };
    static const char *const ignored[][2] = { { "-J day\n#PBS -N night", "--name=day --env=all" } };

    (void)state;
    EXPECT_FORMS(cases, NULL);
    EXPECT_FORMS(ignored, variables);
}

/* A variable of an option without argument gives it by an empty value, "yes" or a number other than 0. */
static void variables_of_flags_have_the_values_of_sbatch(void **state)
{
    static const char *const on[] = { "", "yes", "YES", "1", "-3" };
    static const char *const off[] = { "0", "no", "false", "true", "1x", " " };
    static const char *const given[][2] = { { "-J day\n#PBS -N night",
                                              "--name=day --no-requeue --env=all" } };
    static const char *const missing[][2] = { { "-J day\n#PBS -N night",
                                                "--name=day --name=night --env=all" } };

    (void)state;
    for (size_t i = 0; i < sizeof(on) / sizeof(on[0]); i++) {
        scoped_free char *requeue = mem_printf("SBATCH_NO_REQUEUE=%s", on[i]);
        scoped_free char *ignore = mem_printf("SBATCH_IGNORE_PBS=%s", on[i]);

        EXPECT_FORMS(given, ((const char *const[]){ requeue, ignore, NULL }));
    }
    for (size_t i = 0; i < sizeof(off) / sizeof(off[0]); i++) {
        scoped_free char *requeue = mem_printf("SBATCH_NO_REQUEUE=%s", off[i]);
        scoped_free char *ignore = mem_printf("SBATCH_IGNORE_PBS=%s", off[i]);

        EXPECT_FORMS(missing, ((const char *const[]){ requeue, ignore, NULL }));
    }
}

/* An empty value is a name that is not given, but no size, time, mode or partition. */
static void empty_variables_are_judged_as_by_sbatch(void **state)
{
    static const char *const refused[] = { "SBATCH_OPEN_MODE=", "SBATCH_MEM_PER_NODE=", "SBATCH_TIMELIMIT=",
                                           "SBATCH_ARRAY_INX=", "SBATCH_SIGNAL=",       "SBATCH_PARTITION=" };
    static const char *const names[] = { "SBATCH_JOB_NAME=", "SBATCH_GRES=", NULL };
    static const char *const cases[][2] = { { "-J day", "--name=day --env=all" } };

    (void)state;
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
        const char *const variables[] = { refused[i], NULL };
        struct arena *arena = arena_new();
        struct script translated;
        struct err err = { 0 };

        assert_int_equal(translate_in("#!/bin/sh\n", variables, all_known, &translated, arena, &err),
                         -EINVAL);
        assert_memory_equal(err.text, refused[i], strlen(refused[i]) - 1);
        arena_free(arena);
    }
    EXPECT_FORMS(cases, names);
}

/* A job that is no array waits for all of the other job. */
static void aftercorr_of_a_single_job_is_afterok(void **state)
{
    static const char *const cases[][2] = {
        { "-d aftercorr:1,afterok:2,aftercorr:3:4",
          "--depends-on=afterok:1,afterok:2,afterok:3:4 --env=all" },
        { "-d aftercorr:1 -a 0-3", "--array=0-3 --depends-on=aftercorr:1 --env=all" },
    };

    (void)state;
    EXPECT_FORMS(cases, ((const char *const[]){ "X=1", NULL }));
}

#define LOGIN " --env=SLURM_GET_USER_ENV=1"
static void the_environment_is_that_of_sbatch(void **state)
{
    static const char *const variables[] = { "MY=1", "OMP=4", "SLURM_ARRAY_TASK_ID=7", NULL };
    static const char *const cases[][2] = {
        { "-J x", "--name=x --env=all" },
        { "--export=All", "--env=all" },
        { "--export=NONE", "--env=none" LOGIN },
        { "--export=NIL", "--env=none" },
        { "--export=ALL,A=1", "--env=all --env=A=1" },
        { "--export=A=1,ALL", "--env=all --env=A=1" },
        { "--export=MY,NEVER,SLURM_ARRAY_TASK_ID", "--env=MY=1" LOGIN },
        { "--export=NEVER", "--env=SLURM_GET_USER_ENV=1" },
        { "--export=\"MY,A=x y\"", "--env=MY=1 --env=A=x y" LOGIN },
        /* Quotes around a word are none of it; others are those of the value. */
        { "--export=\"'A=1',MY\"", "--env=A=1 --env=MY=1" LOGIN },
        { "--export='\"MY\"'", "--env=MY=1" LOGIN },
        { "--export='\"ALL\",\"A=x,y\"'", "--env=all --env=A=x,y" },
        { "--export='A=\"x,y\",B=\"'", "--env=A=\"x,y\" --env=B=\"" LOGIN },
        { "--get-user-env", "--env=all" LOGIN },
        { "--export=NIL --get-user-env=10L",
          "--env=none" LOGIN " | --get-user-env: ignored; the time for the files of the shell is 30 s" },
    };

    (void)state;
    EXPECT_FORMS(cases, variables);
}

static void variables_come_after_the_directives(void **state)
{
    static const char *const variables[] = {
        "SBATCH_TIMELIMIT=0-28:00", "SBATCH_PARTITION=short,long",
        "SBATCH_JOB_NAME=",         "SBATCH_QOS=high",
        "SBATCH_MEM_PER_CPU=1G",    "SBATCH_ACCOUNT=physics",
        "SBATCH_EXPORT=MY",         "MY=1",
        "SBATCH_REQUEUE=1",         NULL,
    };
    static const char *const cases[][2] = {
        { "-t 5 -n 2 --mem=3G --export=NONE",
          "--queue=long --time=1680m --env=MY=1" LOGIN " --tag=account:physics --vcores=2 --memory=2048M | "
          "--partition=short,long: the job is submitted to long alone, the first that exists; the others are "
          "ignored | --qos: ignored" },
    };
    static const char *const wrong[] = { "SBATCH_TIMELIMIT=1.5", NULL };
    struct arena *arena = arena_new();
    struct script translated;
    struct err err = { 0 };

    (void)state;
    EXPECT_FORMS(cases, variables);
    assert_int_equal(translate_in("#!/bin/sh\n", wrong, all_known, &translated, arena, &err), -EINVAL);
    assert_non_null(strstr(err.text, "SBATCH_TIMELIMIT: --time=1.5: expected a time"));
    arena_free(arena);
}

int main(void)
{
    setenv("TZ", "UTC", 1);

    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limits_are_those_of_sbatch),
        cmocka_unit_test(moments_are_those_of_sbatch),
        cmocka_unit_test(signals_are_those_of_sbatch),
        cmocka_unit_test(names_of_files_are_those_of_sbatch),
        cmocka_unit_test(arrays_are_those_of_sbatch),
        cmocka_unit_test(sizes_are_those_of_sbatch),
        cmocka_unit_test(names_of_options_are_those_of_sbatch),
        cmocka_unit_test(lines_of_pbs_are_options),
        cmocka_unit_test(variables_of_flags_have_the_values_of_sbatch),
        cmocka_unit_test(empty_variables_are_judged_as_by_sbatch),
        cmocka_unit_test(aftercorr_of_a_single_job_is_afterok),
        cmocka_unit_test(the_environment_is_that_of_sbatch),
        cmocka_unit_test(variables_come_after_the_directives),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
