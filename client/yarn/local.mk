# SPDX-License-Identifier: Apache-2.0
# creel-yarn answers the command lines of Hadoop's yarn. libcreelyarn.a: its parts, which the unit test uses.
noinst_LIBRARIES += libcreelyarn.a
libcreelyarn_a_SOURCES = \
    client/yarn/app_select.c client/yarn/app_select.h \
    client/yarn/conf_arguments.c client/yarn/conf_arguments.h \
    client/yarn/format.c client/yarn/format.h \
    client/yarn/log_select.c client/yarn/log_select.h \
    client/yarn/node_arguments.c client/yarn/node_arguments.h \
    client/yarn/options.c client/yarn/options.h \
    client/yarn/print.h client/yarn/print_app.c client/yarn/print_cluster.c \
    client/yarn/print_properties.c
libcreelyarn_a_CFLAGS = $(AM_CFLAGS) $(PROTOBUF_C_CFLAGS)

bin_PROGRAMS += creel-yarn
creel_yarn_SOURCES = \
    client/yarn/cmd_application.c \
    client/yarn/cmd_cluster.c \
    client/yarn/cmd_container.c \
    client/yarn/cmd_logs.c \
    client/yarn/cmd_rmadmin.c \
    client/yarn/cmd_schedulerconf.c \
    client/yarn/cmd_top.c \
    client/yarn/main.c \
    client/yarn/yarn.c client/yarn/yarn.h
creel_yarn_CFLAGS = $(AM_CFLAGS) $(PROTOBUF_C_CFLAGS)
creel_yarn_LDADD = libcreelyarn.a libcreelcli.a $(CREEL_CLIENT_LIBS) $(SMARTCOLS_LIBS)

# On request: the name by which scripts call it.
install-yarn: install-binPROGRAMS install-man1
	cd $(DESTDIR)$(bindir) && $(LN_S) -f creel-yarn$(EXEEXT) yarn
	cd $(DESTDIR)$(mandir)/man1 && $(LN_S) -f creel-yarn.1 yarn.1
uninstall-local:
	for link in $(DESTDIR)$(bindir)/yarn:creel-yarn $(DESTDIR)$(mandir)/man1/yarn.1:creel-yarn.1; do \
	    if [ "$$(readlink "$${link%:*}")" = "$${link##*:}" ]; then rm -f "$${link%:*}"; fi; \
	done
	for link in $(slurm_links) $(slurm_client_links); do rm -f $(DESTDIR)$(pkglibexecdir)/$$link; done
	-rmdir $(DESTDIR)$(pkglibexecdir)/slurm
.PHONY: install-yarn
