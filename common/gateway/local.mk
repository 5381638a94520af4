# SPDX-License-Identifier: Apache-2.0
# common/gateway: the process that serves the ports of a daemon. Links libzmq, and nothing of the daemon.
pkglibexec_PROGRAMS += creel-gateway
noinst_LIBRARIES += libcreelsandbox.a
libcreelsandbox_a_SOURCES = common/gateway/sandbox.c common/gateway/sandbox.h
libcreelsandbox_a_CFLAGS = $(AM_CFLAGS) $(PROTOBUF_C_CFLAGS) $(SECCOMP_CFLAGS)

creel_gateway_SOURCES = \
    common/gateway/credit.c \
    common/gateway/gateway.h \
    common/gateway/hadoop_peers.c \
    common/gateway/limiter.c common/gateway/limiter.h \
    common/gateway/main.c \
    common/gateway/port.c \
    common/gateway/report.c \
    common/gateway/zap.c
creel_gateway_CFLAGS = $(AM_CFLAGS) $(ZMQ_CFLAGS) $(PROTOBUF_C_CFLAGS) $(SECCOMP_CFLAGS)
creel_gateway_LDADD = libcreelsandbox.a libcreelio.a libcreelbase.a $(ZMQ_LIBS) $(SECCOMP_LIBS) -lpthread
