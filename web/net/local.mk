# SPDX-License-Identifier: Apache-2.0
# web/net: the daemon creel-web.
noinst_LIBRARIES += libcreelweb.a
libcreelweb_a_SOURCES = \
    web/net/agents.c web/net/agents.h \
    web/net/certificates.c web/net/certificates.h \
    web/net/daemon.c web/net/daemon.h \
    web/net/failures.c web/net/failures.h \
    web/net/feed.c web/net/feed.h \
    web/net/identity.c web/net/identity.h \
    web/net/metrics_feed.c web/net/metrics_feed.h \
    web/net/pam_process.c web/net/pam_process.h \
    web/net/passwords.c web/net/passwords.h \
    web/net/properties.c web/net/properties.h \
    web/net/settings.c web/net/settings.h \
    web/net/tokens.c web/net/tokens.h
libcreelweb_a_CFLAGS = $(AM_CFLAGS) $(PROTOBUF_C_CFLAGS) $(SODIUM_CFLAGS)

sbin_PROGRAMS += creel-web
creel_web_SOURCES = web/net/main.c
creel_web_LDADD = libcreelprogram.a libcreelweb.a $(WEB_LIBS) libcreelconf.a $(IO_LIBS) $(EXPAT_LIBS)
