# SPDX-License-Identifier: Apache-2.0
# web/text: documents as JSON, XML and HTML. Pure.
noinst_LIBRARIES += libcreelwebtext.a
libcreelwebtext_a_SOURCES = \
    web/text/bean.c web/text/bean.h web/text/bean_process.c \
    web/text/csv.c web/text/csv.h \
    web/text/document.c web/text/document.h \
    web/text/exposition.c web/text/exposition.h \
    web/text/html.c web/text/html.h \
    web/text/log_text.c web/text/log_text.h \
    web/text/number.c web/text/number.h \
    web/text/pretty.c web/text/pretty.h \
    web/text/tree.c web/text/tree.h \
    web/text/xml.c web/text/xml.h
libcreelwebtext_a_CFLAGS = $(AM_CFLAGS) $(JANSSON_CFLAGS) $(EXPAT_CFLAGS)
