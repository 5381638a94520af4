# SPDX-License-Identifier: Apache-2.0
# libcreelclient.a: for creel's own programs. libcreel.la: the same with all libraries of creel that it
# needs, position-independent; exports only the functions of creel.map.
noinst_LIBRARIES += libcreelclient.a
libcreelclient_a_SOURCES = \
    client/libcreel/changes.c \
    client/include/creel.h client/include/creel-app.h client/include/creel-job.h client/include/creel-container.h client/include/creel-queue.h \
    client/include/creel-rerun.h \
    client/include/creel-admin.h client/include/creel-changes.h client/include/creel-events.h \
    client/include/creel-history.h \
    client/libcreel/client.c client/libcreel/client.h \
    client/libcreel/client_error.c \
    client/libcreel/control_token.c client/libcreel/control_token.h \
    client/libcreel/early_answer.h \
    client/libcreel/events.c \
    client/libcreel/exec.c \
    client/libcreel/files.c client/libcreel/files.h \
    client/libcreel/history.c \
    client/libcreel/identity.c \
    client/libcreel/job_token.c client/libcreel/job_token.h \
    client/libcreel/job_values.c client/libcreel/job_values.h \
    client/libcreel/conf.c \
    client/libcreel/joins.c \
    client/libcreel/labels.c \
    client/libcreel/log_levels.c \
    client/libcreel/logs.c \
    client/libcreel/names.c \
    client/libcreel/nodes.c \
    client/libcreel/pages.c client/libcreel/pages.h \
    client/libcreel/query.c \
    client/libcreel/queues.c \
    client/libcreel/report_cluster.c \
    client/libcreel/reports.c client/libcreel/reports.h \
    client/libcreel/request.c client/libcreel/request.h \
    client/libcreel/result.c client/libcreel/result.h \
    client/libcreel/record.h \
    client/libcreel/sign_in.c \
    client/libcreel/rerun.c \
    client/libcreel/submit.c client/libcreel/submit.h \
    client/libcreel/field_words.c client/libcreel/field_words.h \
    client/libcreel/submit_texts.c client/libcreel/submit_texts.h \
    client/libcreel/texts.h \
    client/libcreel/tokens.c \
    client/libcreel/resize.c \
    client/libcreel/why.c
libcreelclient_a_CFLAGS = $(AM_CFLAGS) $(CZMQ_CFLAGS) $(SODIUM_CFLAGS) $(PROTOBUF_C_CFLAGS)

# What a program needs that links libcreelclient.a.
CREEL_CLIENT_LIBS = libcreelclient.a libcreelyarnview.a libcreelconf.a $(CREDENTIAL_LIBS) $(IO_ARCHIVES) \
    $(CZMQ_LIBS) $(ZMQ_LIBS) $(SODIUM_LIBS) $(PROTOBUF_C_LIBS) $(EXPAT_LIBS) $(SYSTEMD_LIBS) \
    $(BSD_LIBS) -lm

include_HEADERS += client/include/creel.h client/include/creel-app.h client/include/creel-job.h client/include/creel-container.h client/include/creel-queue.h client/include/creel-rerun.h client/include/creel-admin.h client/include/creel-changes.h client/include/creel-events.h client/include/creel-history.h
lib_LTLIBRARIES += libcreel.la
noinst_LTLIBRARIES = libcreelproto-pic.la
nodist_libcreelproto_pic_la_SOURCES = common/proto/creel.pb-c.c
libcreelproto_pic_la_CFLAGS = $(libcreelproto_a_CFLAGS) -fvisibility=hidden
libcreelproto_pic_la_LIBTOOLFLAGS = --tag=disable-static

libcreel_la_SOURCES = $(libcreelclient_a_SOURCES) $(libcreelyarnview_a_SOURCES) $(libcreelio_a_SOURCES) \
    $(libcreelcredential_a_SOURCES) $(libcreelconf_a_SOURCES) $(libcreelbase_a_SOURCES)
libcreel_la_CFLAGS = $(AM_CFLAGS) $(CZMQ_CFLAGS) $(SODIUM_CFLAGS) $(PROTOBUF_C_CFLAGS) \
    $(EXPAT_CFLAGS) $(SYSTEMD_CFLAGS) $(BSD_CFLAGS) $(MUNGE_CFLAGS) -fvisibility=hidden
libcreel_la_LIBTOOLFLAGS = --tag=disable-static
libcreel_la_LDFLAGS = $(AM_LDFLAGS) -version-info 1:0:0 \
    -Wl,--version-script=$(top_srcdir)/client/libcreel/creel.map
libcreel_la_LIBADD = libcreelproto-pic.la $(CZMQ_LIBS) $(ZMQ_LIBS) $(SODIUM_LIBS) \
    $(PROTOBUF_C_LIBS) $(EXPAT_LIBS) $(SYSTEMD_LIBS) $(BSD_LIBS) $(MUNGE_LIBS) -lm
EXTRA_libcreel_la_DEPENDENCIES = client/libcreel/creel.map

pkgconfigdir = $(libdir)/pkgconfig
nodist_pkgconfig_DATA = client/libcreel/creel.pc
CLEANFILES += client/libcreel/creel.pc
EXTRA_DIST += client/libcreel/creel.map client/libcreel/creel.pc.in

client/libcreel/creel.pc: client/libcreel/creel.pc.in Makefile
	$(AM_V_GEN)$(MKDIR_P) client/libcreel && \
	sed -e 's|@prefix[@]|$(prefix)|' -e 's|@exec_prefix[@]|$(exec_prefix)|' \
	    -e 's|@libdir[@]|$(libdir)|' -e 's|@includedir[@]|$(includedir)|' \
	    -e 's|@VERSION[@]|$(VERSION)|' $(top_srcdir)/client/libcreel/creel.pc.in > $@
