# SPDX-License-Identifier: Apache-2.0
bin_PROGRAMS += creel-sim
creel_sim_SOURCES = \
    sim/actors.h \
    sim/bench.c sim/bench.h \
    sim/bench_common.c \
    sim/bench_config.c \
    sim/bench_fair.c \
    sim/bench_measure.c \
    sim/bench_print.c \
    sim/bench_world.c \
    sim/case.h \
    sim/case_expect.c \
    sim/case_json.c sim/case_json.h \
    sim/case_read.c \
    sim/case_steps.c \
    sim/attempts.c sim/attempts.h \
    sim/chaos.c \
    sim/check.c sim/check.h \
    sim/check_expect.c \
    sim/check_age.c \
    sim/check_load.c \
    sim/check_preempt.c \
    sim/check_report.c \
    sim/check_sched.c sim/check_sched.h \
    sim/check_shares.c \
    sim/check_stage.c \
    sim/commands.h \
    sim/describe.c sim/describe.h \
    sim/ledger.c sim/ledger.h \
    sim/main.c \
    sim/seeds.c sim/seeds.h \
    sim/sim_admin.c \
    sim/sim_am.c \
    sim/sim_client.c \
    sim/sim_machine.h \
    sim/sim_node.c \
    sim/sim_queues.c \
    sim/sim_resize.c sim/sim_resize.h \
    sim/sim_rm.c \
    sim/storm.c sim/storm.h \
    sim/storm_config.c \
    sim/storm_look.c \
    sim/storm_lull.c \
    sim/storm_queues.c \
    sim/storm_run.c sim/storm_world.c sim/storm_world.h \
    sim/world.c sim/world.h sim/world_run.c
creel_sim_CFLAGS = $(AM_CFLAGS) $(JANSSON_CFLAGS)
creel_sim_LDADD = libcreelmaster.a $(SCHED_LIBS) libnmcore.a libcreeltask.a libcreelio.a \
    libcreelproto.a libcreelbase.a \
    $(CZMQ_LIBS) $(ZMQ_LIBS) $(SODIUM_LIBS) $(SYSTEMD_LIBS) $(PROTOBUF_C_LIBS) -lm

EXTRA_DIST += bench/roofline.c bench/roofline-compare
