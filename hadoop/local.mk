# SPDX-License-Identifier: Apache-2.0
# hadoop: creel-hadoop, which speaks Hadoop's RPC. wire: frames; map: messages; both pure. net: the process.
noinst_LIBRARIES += libcreelhadoopproto.a libcreelhadoop.a

nodist_libcreelhadoopproto_a_SOURCES = hadoop/proto/hadoop.pb-c.c
libcreelhadoopproto_a_CFLAGS = $(CREEL_CFLAGS) $(SANITIZER_CFLAGS) $(FUZZER_CFLAGS) $(PROTOBUF_C_CFLAGS) -w
CLEANFILES += hadoop/proto/hadoop.pb-c.c hadoop/proto/hadoop.pb-c.h
EXTRA_DIST += hadoop/proto/hadoop.proto

hadoop/proto/hadoop.pb-c.h: hadoop/proto/hadoop.proto
	$(AM_V_GEN)$(MKDIR_P) hadoop/proto && \
	$(PROTOC_C) --proto_path=$(top_srcdir)/hadoop/proto --c_out=hadoop/proto \
	    $(top_srcdir)/hadoop/proto/hadoop.proto
hadoop/proto/hadoop.pb-c.c: hadoop/proto/hadoop.pb-c.h
	@test -f $@ || { rm -f hadoop/proto/hadoop.pb-c.h; $(MAKE) hadoop/proto/hadoop.pb-c.h; }

libcreelhadoop_a_SOURCES = \
    hadoop/map/app_report.c \
    hadoop/map/cluster_report.c \
    hadoop/map/parts.c hadoop/map/parts.h \
    hadoop/map/reports.h \
    hadoop/wire/answer.c hadoop/wire/answer.h \
    hadoop/wire/bytes.c hadoop/wire/bytes.h \
    hadoop/wire/frame.c hadoop/wire/frame.h \
    hadoop/wire/session.c hadoop/wire/session.h
libcreelhadoop_a_CFLAGS = $(AM_CFLAGS) $(PROTOBUF_C_CFLAGS)

HADOOP_LIBS = libcreelhadoop.a libcreelhadoopproto.a libcreelyarnview.a

noinst_LIBRARIES += libcreelhadoopnet.a
libcreelhadoopnet_a_SOURCES = \
    hadoop/net/daemon.c hadoop/net/daemon.h \
    hadoop/net/exchange.c \
    hadoop/net/identity.c hadoop/net/identity.h \
    hadoop/net/memory.c \
    hadoop/net/method_parts.c \
    hadoop/net/methods.c hadoop/net/methods.h \
    hadoop/net/methods_app.c \
    hadoop/net/methods_attempt.c \
    hadoop/net/methods_cluster.c \
    hadoop/net/methods_container.c \
    hadoop/net/methods_queue.c \
    hadoop/net/owner.c hadoop/net/owner.h \
    hadoop/net/pages.c hadoop/net/pages.h \
    hadoop/net/server.c hadoop/net/server.h hadoop/net/server_state.h \
    hadoop/net/settings.c hadoop/net/settings.h
libcreelhadoopnet_a_CFLAGS = $(AM_CFLAGS) $(PROTOBUF_C_CFLAGS) $(SODIUM_CFLAGS)

sbin_PROGRAMS += creel-hadoop
creel_hadoop_SOURCES = hadoop/net/main.c
creel_hadoop_LDADD = libcreelprogram.a libcreelhadoopnet.a libcreelupstream.a $(HADOOP_LIBS) libcreelconf.a \
    $(IO_LIBS) $(EXPAT_LIBS)
