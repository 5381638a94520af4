# SPDX-License-Identifier: Apache-2.0
# common/upstream: the connection to the resource manager of processes that ask it for others (creel-web, creel-hadoop).
noinst_LIBRARIES += libcreelupstream.a
libcreelupstream_a_SOURCES = \
    common/upstream/link.c common/upstream/link.h \
    common/upstream/reply.c common/upstream/reply.h \
    common/upstream/upstream.c common/upstream/upstream.h \
    common/upstream/upstream_settings.c common/upstream/upstream_settings.h
libcreelupstream_a_CFLAGS = $(AM_CFLAGS) $(PROTOBUF_C_CFLAGS) $(SODIUM_CFLAGS)
