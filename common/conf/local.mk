# SPDX-License-Identifier: Apache-2.0
# common/conf: the configuration. It stands on common/base and expat alone.
noinst_LIBRARIES += libcreelconf.a

libcreelconf_a_SOURCES = \
    common/conf/conf.c common/conf/conf.h \
    common/conf/conf_load.c \
    common/conf/conf_resolve.c \
    common/conf/conf_struct.h \
    common/conf/file.c common/conf/file.h \
    common/conf/key_table.c common/conf/key_table.h \
    common/conf/problems.c common/conf/problems.h \
    common/conf/substitute.c common/conf/substitute.h \
    common/conf/value.c common/conf/value.h \
    common/conf/xml.c common/conf/xml.h \
    common/conf/yarn_keys.c common/conf/yarn_keys.h
libcreelconf_a_CFLAGS = $(AM_CFLAGS) $(EXPAT_CFLAGS)
