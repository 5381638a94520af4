# SPDX-License-Identifier: Apache-2.0
# web/model: copy of the cluster's state for creel-web, pure.
noinst_LIBRARIES += libcreelmodel.a
libcreelmodel_a_SOURCES = \
    web/model/apps.c \
    web/model/differ.c web/model/differ.h \
    web/model/feed.c web/model/feed.h \
    web/model/metrics_copy.c web/model/metrics_copy.h \
    web/model/model.c web/model/model.h \
    web/model/names.c web/model/names.h \
    web/model/nodes.c \
    web/model/pick.c web/model/pick.h \
    web/model/rows.h \
    web/model/trend.c web/model/trend.h \
    web/model/view.c web/model/view.h
libcreelmodel_a_CFLAGS = $(AM_CFLAGS) $(PROTOBUF_C_CFLAGS)

WEB_LIBS = libcreelrest.a libcreelpage.a libcreelwebtext.a libcreelmodel.a libcreelyarnview.a $(HTTP_LIBS) \
    $(JANSSON_LIBS) $(EXPAT_LIBS)
