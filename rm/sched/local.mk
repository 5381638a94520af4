# SPDX-License-Identifier: Apache-2.0
# The scheduler core: pure, uses common/base, and reads settings out of common/conf.
noinst_LIBRARIES += libcreelsched.a

libcreelsched_a_SOURCES = \
    rm/sched/app.c \
    rm/sched/books.c \
    rm/sched/calc.c rm/sched/calc.h \
    rm/sched/capacity/config.h \
    rm/sched/check.c \
    rm/sched/reserve.c \
    rm/sched/sched.c \
    rm/sched/demand.c \
    rm/sched/fifo.c \
    rm/sched/internal.h \
    rm/sched/node.c \
    rm/sched/place.c \
    rm/sched/sched.h \
    rm/sched/strategy.h \
    rm/sched/why.c
