# SPDX-License-Identifier: Apache-2.0
# nm-agent/web: creel-nm-web, the process that serves the agent's REST interface.
noinst_LIBRARIES += libcreelnmweb.a
libcreelnmweb_a_SOURCES = \
    nm-agent/web/apps.c \
    nm-agent/web/containers.c \
    nm-agent/web/feed.c nm-agent/web/feed.h \
    nm-agent/web/frame.h \
    nm-agent/web/handlers.h \
    nm-agent/web/info.c \
    nm-agent/web/jmx.c \
    nm-agent/web/log_client.c nm-agent/web/log_client.h \
    nm-agent/web/log_page.c \
    nm-agent/web/logs.c \
    nm-agent/web/metrics.c \
    nm-agent/web/moved_logs.c \
    nm-agent/web/node_page.c \
    nm-agent/web/page.c nm-agent/web/page.h \
    nm-agent/web/routes.c \
    nm-agent/web/state.c \
    nm-agent/web/sums.c nm-agent/web/sums.h \
    nm-agent/web/unsupported.c \
    nm-agent/web/view.h
libcreelnmweb_a_CFLAGS = $(AM_CFLAGS) $(PROTOBUF_C_CFLAGS)

NM_WEB_LIBS = libcreelnmweb.a libcreelrest.a libcreelwebtext.a libcreelyarnview.a $(HTTP_LIBS)

pkglibexec_PROGRAMS += creel-nm-web
creel_nm_web_SOURCES = nm-agent/web/main.c
creel_nm_web_CFLAGS = $(AM_CFLAGS) $(PROTOBUF_C_CFLAGS)
creel_nm_web_LDADD = $(NM_WEB_LIBS) libcreelsandbox.a $(IO_LIBS) $(SECCOMP_LIBS) $(JANSSON_LIBS) $(EXPAT_LIBS)

# Files that are compiled into the program.
node_assets = nm-agent/web/page.css nm-agent/web/follow.js
EXTRA_DIST += $(node_assets)
CLEANFILES += nm-agent/web/asset_bytes.h
nm-agent/web/asset_bytes.h: $(node_assets) web/page/make-assets
	$(AM_V_GEN)$(MKDIR_P) nm-agent/web && cd $(top_srcdir) && \
	web/page/make-assets $(node_assets) >$(abs_top_builddir)/$@.new && \
	mv $(abs_top_builddir)/$@.new $(abs_top_builddir)/$@
