# SPDX-License-Identifier: Apache-2.0
bin_PROGRAMS += creel-sim
creel_sim_SOURCES = \
    sim/actors.h \
    sim/bench.c sim/bench.h \
    sim/bench_config.c \
    sim/bench_measure.c \
    sim/bench_print.c \
    sim/bench_world.c \
    sim/chaos.c \
    sim/commands.h \
    sim/describe.c sim/describe.h \
    sim/ledger.c sim/ledger.h \
    sim/main.c \
    sim/sim_am.c \
    sim/sim_client.c \
    sim/sim_node.c \
    sim/sim_rm.c \
    sim/world.c sim/world.h
creel_sim_LDADD = libcreelmaster.a $(SCHED_LIBS) libnmcore.a libcreeltask.a libcreelio.a \
    libcreelproto.a libcreelbase.a \
    $(CZMQ_LIBS) $(ZMQ_LIBS) $(SODIUM_LIBS) $(SYSTEMD_LIBS) $(PROTOBUF_C_LIBS) -lm

EXTRA_DIST += bench/roofline.c bench/roofline-compare
