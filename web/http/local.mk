# SPDX-License-Identifier: Apache-2.0
# web/http: HTTP/1.1 for creel-web. Links common/io.
noinst_LIBRARIES += libcreelhttp.a
libcreelhttp_a_SOURCES = \
    web/http/address.c web/http/address.h \
    web/http/address_queue.c web/http/address_queue.h \
    web/http/answer.c web/http/answer.h \
    web/http/basic.c web/http/basic.h \
    web/http/connections.c \
    web/http/certificate.c web/http/certificate.h \
    web/http/cross_origin.c web/http/cross_origin.h \
    web/http/exchange.c web/http/exchange.h \
    web/http/exchange_answer.c \
    web/http/exchange_origin.c web/http/exchange_origin.h \
    web/http/exchange_request.c web/http/exchange_state.h \
    web/http/forwarded.c web/http/forwarded.h \
    web/http/packer.c web/http/packer.h \
    web/http/refusal.c web/http/refusal.h \
    web/http/request.c web/http/request.h \
    web/http/route.c web/http/route.h \
    web/http/server.c web/http/server.h \
    web/http/server_run.c web/http/server_state.h \
    web/http/site.h \
    web/http/streams.c web/http/streams.h \
    web/http/traffic.c web/http/traffic.h \
    web/http/transfer.c \
    web/http/transfer_damaged.c \
    web/http/transfer_held.c \
    web/http/transfer_memory.c \
    web/http/transfer_parts.c \
    web/http/transfer_take.c \
    web/http/transfer_turns.c
libcreelhttp_a_CFLAGS = $(AM_CFLAGS) $(MICROHTTPD_CFLAGS) $(GNUTLS_CFLAGS) $(ZLIB_CFLAGS) $(SODIUM_CFLAGS) $(PROTOBUF_C_CFLAGS)

HTTP_LIBS = libcreelhttp.a libcreelupstream.a $(MICROHTTPD_LIBS) $(GNUTLS_LIBS) $(ZLIB_LIBS) $(SODIUM_LIBS)
