# SPDX-License-Identifier: Apache-2.0
# common/io: system calls, sockets and files. Links libcreelproto and libcreelbase.
noinst_LIBRARIES += libcreelio.a

libcreelio_a_SOURCES = \
    common/io/keys/access_token.c common/io/keys/access_token.h \
    common/io/keys/derived_key.c common/io/keys/derived_key.h \
    common/io/channel/channel.h \
    common/io/channel/channel_client.c \
    common/io/channel/channel_probe.c common/io/channel/channel_probe.h \
    common/io/channel/channel_socket.c common/io/channel/channel_socket.h \
    common/io/wire/endpoint.c common/io/wire/endpoint.h \
    common/io/server/gateway_frame.h \
    common/io/server/gateway_link.c common/io/server/gateway_link.h \
    common/io/keys/join_token.c common/io/keys/join_token.h \
    common/io/keys/keys.c common/io/keys/keys.h \
    common/io/keys/own_key.c common/io/keys/own_key.h \
    common/io/keys/key_file.c common/io/keys/key_file.h \
    common/io/loop/heap_trim.c common/io/loop/heap_trim.h \
    common/io/loop/log.c common/io/loop/log.h \
    common/io/loop/loop.c common/io/loop/loop.h \
    common/io/loop/loop_process.c \
    common/io/loop/loop_socket.c common/io/loop/loop_socket.h \
    common/io/loop/run_record.c common/io/loop/run_record.h \
    common/io/server/peer_address.c common/io/server/peer_address.h \
    common/io/server/port_owner.c common/io/server/port_owner.h \
    common/io/keys/sign_in_text.c common/io/keys/sign_in_text.h \
    common/io/wire/token.c common/io/wire/token.h \
    common/io/wire/wire.c common/io/wire/wire.h \
    common/io/wire/wire_check.c common/io/wire/wire_check.h common/io/wire/wire_fit.c common/io/wire/wire_fit.h \
    common/io/wire/wire_memory.c common/io/wire/wire_memory.h \
    common/io/wire/wire_rules.c common/io/wire/wire_rules.h \
    common/io/wire/wire_shape.c common/io/wire/wire_shape.h \
    common/io/wire/wire_text.c common/io/wire/wire_text.h \
    common/io/keys/z85.c common/io/keys/z85.h
libcreelio_a_CFLAGS = $(AM_CFLAGS) $(CZMQ_CFLAGS) $(ZMQ_CFLAGS) $(PROTOBUF_C_CFLAGS) \
    $(SODIUM_CFLAGS) $(SYSTEMD_CFLAGS)

# Servers. They do not link ZeroMQ, which only their gateways use.
noinst_LIBRARIES += libcreelserver.a
libcreelserver_a_SOURCES = \
    common/io/server/admission.c common/io/server/admission.h \
    common/io/server/channel_server.c \
    common/io/channel/gateway_limits.h common/io/server/gateway_pool.c common/io/server/gateway_pool.h \
    common/io/server/gateway_pool_facts.c common/io/server/gateway_pool_private.h \
    common/io/server/gateway_process.c common/io/server/gateway_process.h \
    common/io/server/gateway_tally.c common/io/server/gateway_tally.h \
    common/io/server/helper_process.c common/io/server/helper_process.h \
    common/io/server/guests.c common/io/server/guests.h \
    common/io/server/handshakes.c common/io/server/handshakes.h \
    common/io/server/key_counts.c common/io/server/key_counts.h \
    common/io/server/owners.c common/io/server/owners.h \
    common/io/server/listener.c common/io/server/listener.h \
    common/io/server/penalties.c common/io/server/penalties.h \
    common/io/server/refused_keys.c common/io/server/refused_keys.h
libcreelserver_a_CFLAGS = $(AM_CFLAGS) $(PROTOBUF_C_CFLAGS) -DPKGLIBEXECDIR=\"$(pkglibexecdir)\"

# MUNGE, for the resource manager and clients alone.
noinst_LIBRARIES += libcreelcredential.a
libcreelcredential_a_SOURCES = common/io/keys/credential.c common/io/keys/credential.h
libcreelcredential_a_CFLAGS = $(AM_CFLAGS) $(MUNGE_CFLAGS)
CREDENTIAL_LIBS = libcreelcredential.a $(MUNGE_LIBS)

# Libraries of a program that uses common/io, in link order, before its own libraries; and of one that only has servers.
IO_ARCHIVES = libcreelserver.a libcreelio.a libcreelproto.a libcreelbase.a
IO_SERVER_LIBS = $(IO_ARCHIVES) $(PROTOBUF_C_LIBS) $(SODIUM_LIBS) $(SYSTEMD_LIBS) -lpthread -lm
IO_LIBS = $(IO_ARCHIVES) $(CZMQ_LIBS) $(ZMQ_LIBS) $(PROTOBUF_C_LIBS) $(SODIUM_LIBS) $(SYSTEMD_LIBS) -lpthread -lm
