# SPDX-License-Identifier: Apache-2.0
# yarn: creel's records as YARN shows them, pure. Uses common/base and the schema's structs.
noinst_LIBRARIES += libcreelyarnview.a
libcreelyarnview_a_SOURCES = \
    yarn/app.c yarn/app.h \
    yarn/container.c yarn/container.h \
    yarn/node.c yarn/node.h \
    yarn/queue.h \
    yarn/resource.c yarn/resource.h
libcreelyarnview_a_CFLAGS = $(AM_CFLAGS) $(PROTOBUF_C_CFLAGS)
