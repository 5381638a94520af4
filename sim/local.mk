# SPDX-License-Identifier: Apache-2.0
bin_PROGRAMS += creel-sim
creel_sim_SOURCES = \
    sim/world/actors.h \
    sim/bench/bench.c sim/bench/bench.h \
    sim/bench/bench_common.c \
    sim/bench/bench_config.c \
    sim/bench/bench_fair.c \
    sim/bench/bench_measure.c \
    sim/bench/bench_print.c \
    sim/bench/bench_world.c \
    sim/cases/case.h \
    sim/cases/case_expect.c \
    sim/cases/case_json.c sim/cases/case_json.h \
    sim/cases/case_names.c \
    sim/cases/case_read.c \
    sim/cases/case_steps.c \
    sim/world/attempts.c sim/world/attempts.h \
    sim/world/chaos.c \
    sim/cases/check.c sim/cases/check.h \
    sim/cases/check_expect.c \
    sim/cases/check_age.c \
    sim/cases/check_load.c \
    sim/cases/check_preempt.c \
    sim/cases/check_report.c \
    sim/cases/check_sched.c sim/cases/check_sched.h \
    sim/cases/check_shares.c \
    sim/cases/check_stage.c \
    sim/commands.h \
    sim/world/describe.c sim/world/describe.h \
    sim/world/ledger.c sim/world/ledger.h \
    sim/main.c \
    sim/world/seeds.c sim/world/seeds.h \
    sim/world/sim_admin.c \
    sim/world/sim_am.c \
    sim/world/sim_client.c \
    sim/world/sim_machine.h \
    sim/world/sim_node.c \
    sim/world/sim_node_rest.c \
    sim/world/sim_queues.c \
    sim/world/sim_resize.c sim/world/sim_resize.h \
    sim/world/sim_rm.c \
    sim/storm/storm.c sim/storm/storm.h \
    sim/storm/storm_config.c \
    sim/storm/storm_look.c \
    sim/storm/storm_lull.c \
    sim/storm/storm_queues.c \
    sim/storm/storm_run.c sim/storm/storm_silence.c sim/storm/storm_world.c sim/storm/storm_world.h \
    sim/world/world.c sim/world/world.h sim/world/world_run.c
creel_sim_CFLAGS = $(AM_CFLAGS) $(JANSSON_CFLAGS)
creel_sim_LDADD = libcreelmaster.a $(SCHED_LIBS) libnmcore.a libcreeltask.a libcreelio.a \
    libcreelproto.a libcreelbase.a \
    $(CZMQ_LIBS) $(ZMQ_LIBS) $(SODIUM_LIBS) $(SYSTEMD_LIBS) $(PROTOBUF_C_LIBS) -lm

EXTRA_DIST += bench/roofline.c bench/roofline-compare
