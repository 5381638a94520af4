# SPDX-License-Identifier: Apache-2.0
bin_PROGRAMS += creel-sim
creel_sim_SOURCES = \
    sim/actors.h \
    sim/case.h \
    sim/case_json.c sim/case_json.h \
    sim/case_read.c \
    sim/case_steps.c \
    sim/chaos.c \
    sim/check.c sim/check.h \
    sim/check_preempt.c \
    sim/check_sched.c \
    sim/check_shares.c \
    sim/commands.h \
    sim/describe.c sim/describe.h \
    sim/ledger.c sim/ledger.h \
    sim/main.c \
    sim/sim_am.c \
    sim/sim_client.c \
    sim/sim_node.c \
    sim/sim_rm.c \
    sim/world.c sim/world.h
creel_sim_CFLAGS = $(AM_CFLAGS) $(JANSSON_CFLAGS)
creel_sim_LDADD = libcreelmaster.a libcreelsched.a libcreelconf.a libnmcore.a libcreeltask.a \
    libcreelio.a libcreelproto.a libcreelbase.a $(JANSSON_LIBS) $(EXPAT_LIBS) \
    $(CZMQ_LIBS) $(ZMQ_LIBS) $(SODIUM_LIBS) $(SYSTEMD_LIBS) $(PROTOBUF_C_LIBS) -lm
