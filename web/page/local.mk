# SPDX-License-Identifier: Apache-2.0
# web/page: the web page, as handlers of web/http. Reads web/model.
noinst_LIBRARIES += libcreelpage.a
libcreelpage_a_SOURCES = \
    web/page/about.c \
    web/page/actions.c web/page/actions.h \
    web/page/app.c \
    web/page/app_fields.c web/page/app_fields.h \
    web/page/apps.c \
    web/page/assets.c web/page/assets.h \
    web/page/bar.c web/page/bar.h \
    web/page/changes.c \
    web/page/chart.c web/page/chart.h \
    web/page/conf.c \
    web/page/container_rows.c web/page/container_rows.h \
    web/page/containers.c web/page/containers.h \
    web/page/events.c \
    web/page/frame.c web/page/frame.h \
    web/page/history.c web/page/history.h \
    web/page/list.c web/page/list.h \
    web/page/list_csv.c web/page/list_csv.h \
    web/page/record_csv.h \
    web/page/log.c \
    web/page/node.c \
    web/page/nodes.c \
    web/page/overview.c \
    web/page/pages.h \
    web/page/queue.c \
    web/page/queue_bar.c web/page/queue_bar.h \
    web/page/racks.c web/page/racks.h \
    web/page/routes.c \
    web/page/scheduler.c \
    web/page/sign_in.c \
    web/page/token.c web/page/token.h \
    web/page/trend.c web/page/trend.h \
    web/page/usage.c \
    web/page/page_text.c web/page/page_text.h
libcreelpage_a_CFLAGS = $(AM_CFLAGS) $(PROTOBUF_C_CFLAGS) $(SODIUM_CFLAGS)

# Files that are compiled into the program.
page_assets = web/page/style.css web/page/page.js web/page/icon.svg
EXTRA_DIST += $(page_assets) web/page/make-assets
CLEANFILES += web/page/asset_bytes.h
web/page/asset_bytes.h: $(page_assets) web/page/make-assets
	$(AM_V_GEN)$(MKDIR_P) web/page && cd $(top_srcdir) && \
	web/page/make-assets $(page_assets) >$(abs_top_builddir)/$@.new && \
	mv $(abs_top_builddir)/$@.new $(abs_top_builddir)/$@
