# SPDX-License-Identifier: Apache-2.0
# common/io: system calls, sockets and files. Links libcreelproto and libcreelbase.
noinst_LIBRARIES += libcreelio.a

libcreelio_a_SOURCES = \
    common/io/access_token.c common/io/access_token.h \
    common/io/attempt_key.c common/io/attempt_key.h \
    common/io/channel.h \
    common/io/channel_client.c \
    common/io/channel_probe.c common/io/channel_probe.h \
    common/io/channel_socket.c common/io/channel_socket.h \
    common/io/endpoint.c common/io/endpoint.h \
    common/io/gateway_frame.h \
    common/io/gateway_link.c common/io/gateway_link.h \
    common/io/join_token.c common/io/join_token.h \
    common/io/keys.c common/io/keys.h \
    common/io/key_file.c common/io/key_file.h \
    common/io/log.c common/io/log.h \
    common/io/loop.c common/io/loop.h \
    common/io/loop_process.c \
    common/io/loop_socket.c common/io/loop_socket.h \
    common/io/peer_address.c common/io/peer_address.h \
    common/io/port_owner.c common/io/port_owner.h \
    common/io/sign_in_text.c common/io/sign_in_text.h \
    common/io/token.c common/io/token.h \
    common/io/wire.c common/io/wire.h \
    common/io/wire_check.c common/io/wire_check.h common/io/wire_fit.c common/io/wire_fit.h \
    common/io/wire_memory.c common/io/wire_memory.h \
    common/io/wire_rules.c common/io/wire_rules.h \
    common/io/wire_shape.c common/io/wire_shape.h \
    common/io/wire_text.c common/io/wire_text.h \
    common/io/z85.c common/io/z85.h
libcreelio_a_CFLAGS = $(AM_CFLAGS) $(CZMQ_CFLAGS) $(ZMQ_CFLAGS) $(PROTOBUF_C_CFLAGS) \
    $(SODIUM_CFLAGS) $(SYSTEMD_CFLAGS)

# Servers. They do not link ZeroMQ, which only their gateways use.
noinst_LIBRARIES += libcreelserver.a
libcreelserver_a_SOURCES = \
    common/io/admission.c common/io/admission.h \
    common/io/channel_server.c \
    common/io/gateway_limits.h common/io/gateway_pool.c common/io/gateway_pool.h \
    common/io/gateway_process.c common/io/gateway_process.h \
    common/io/gateway_tally.c common/io/gateway_tally.h \
    common/io/helper_process.c common/io/helper_process.h \
    common/io/guests.c common/io/guests.h \
    common/io/handshakes.c common/io/handshakes.h \
    common/io/key_counts.c common/io/key_counts.h \
    common/io/listener.c common/io/listener.h \
    common/io/penalties.c common/io/penalties.h \
    common/io/refused_keys.c common/io/refused_keys.h
libcreelserver_a_CFLAGS = $(AM_CFLAGS) $(PROTOBUF_C_CFLAGS) -DPKGLIBEXECDIR=\"$(pkglibexecdir)\"

# MUNGE, for the resource manager and clients alone.
noinst_LIBRARIES += libcreelcredential.a
libcreelcredential_a_SOURCES = common/io/credential.c common/io/credential.h
libcreelcredential_a_CFLAGS = $(AM_CFLAGS) $(MUNGE_CFLAGS)
CREDENTIAL_LIBS = libcreelcredential.a $(MUNGE_LIBS)

# Libraries of a program that uses common/io, in link order, before its own libraries; and of one that only has servers.
IO_ARCHIVES = libcreelserver.a libcreelio.a libcreelproto.a libcreelbase.a
IO_SERVER_LIBS = $(IO_ARCHIVES) $(PROTOBUF_C_LIBS) $(SODIUM_LIBS) $(SYSTEMD_LIBS) -lpthread -lm
IO_LIBS = $(IO_ARCHIVES) $(CZMQ_LIBS) $(ZMQ_LIBS) $(PROTOBUF_C_LIBS) $(SODIUM_LIBS) $(SYSTEMD_LIBS) -lpthread -lm
