# SPDX-License-Identifier: Apache-2.0
# common/conf: the configuration. It depends only on common/base and expat.
noinst_LIBRARIES += libcreelconf.a

libcreelconf_a_SOURCES = \
    common/conf/access_text.c common/conf/access_text.h \
    common/conf/command_words.c common/conf/command_words.h \
    common/conf/conf.c common/conf/conf.h \
    common/conf/conf_doc.c common/conf/conf_doc.h \
    common/conf/conf_load.c \
    common/conf/conf_property.c common/conf/conf_resolve.c \
    common/conf/conf_struct.h \
    common/conf/file.c common/conf/file.h \
    common/conf/file_text.c common/conf/file_text.h \
    common/conf/hosts.c common/conf/hosts.h \
    common/conf/key_table.c common/conf/key_table.h \
    common/conf/log_storage.c common/conf/log_storage.h \
    common/conf/pem.c common/conf/pem.h \
    common/conf/identity.c common/conf/identity.h \
    common/conf/problems.c common/conf/problems.h \
    common/conf/resource_types.c common/conf/resource_types.h \
    common/conf/substitute.c common/conf/substitute.h \
    common/conf/value.c common/conf/value.h \
    common/conf/xml.c common/conf/xml.h \
    common/conf/xml_expat.c common/conf/xml_source.h \
    common/conf/xml_tree.c common/conf/xml_tree.h \
    common/conf/effect.h \
    common/conf/yarn_keys.c common/conf/yarn_keys.h
libcreelconf_a_CFLAGS = $(AM_CFLAGS) $(EXPAT_CFLAGS)

# The manual page is generated from the key table.
noinst_PROGRAMS += common/conf/conf-man
common_conf_conf_man_SOURCES = common/conf/conf_man.c
common_conf_conf_man_LDADD = libcreelconf.a libcreelbase.a $(EXPAT_LIBS)

man_MANS += docs/man/creel-site.xml.5
CLEANFILES += docs/man/creel-site.xml.5 docs/man/creel-site.xml.5.scd
docs/man/creel-site.xml.5: common/conf/conf-man$(EXEEXT)
	$(AM_V_GEN)$(MKDIR_P) docs/man && \
	common/conf/conf-man$(EXEEXT) > $@.scd && \
	$(SCDOC) < $@.scd > $@.tmp && mv $@.tmp $@
