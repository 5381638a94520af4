# SPDX-License-Identifier: Apache-2.0
# The units contain the installed paths of the programs.
units = systemd/creel-rm.service systemd/creel-keeper.service systemd/creel-nm.service \
    systemd/creel-web.service systemd/creel-hadoop.service
nodist_systemdsystemunit_DATA = $(units)
CLEANFILES += $(units)
sysusersdir = $(prefix)/lib/sysusers.d
tmpfilesdir = $(prefix)/lib/tmpfiles.d
EXTRA_DIST += systemd/creel-rm.service.in systemd/creel-keeper.service.in systemd/creel-nm.service.in \
    systemd/creel-web.service.in systemd/creel-hadoop.service.in systemd/creel.sysusers systemd/creel.tmpfiles examples/creel-nm-strict.conf

systemd/creel-rm.service: systemd/creel-rm.service.in Makefile
systemd/creel-keeper.service: systemd/creel-keeper.service.in Makefile
systemd/creel-nm.service: systemd/creel-nm.service.in Makefile
systemd/creel-web.service: systemd/creel-web.service.in Makefile
systemd/creel-hadoop.service: systemd/creel-hadoop.service.in Makefile
$(units):
	$(AM_V_GEN)$(MKDIR_P) $(@D) && sed -e 's|@sbindir[@]|$(sbindir)|' -e 's|@bindir[@]|$(bindir)|' \
	    -e 's|@pkglibexecdir[@]|$(pkglibexecdir)|' $(top_srcdir)/$@.in >$@

install-data-hook:
	$(MKDIR_P) $(DESTDIR)$(sysusersdir) $(DESTDIR)$(tmpfilesdir)
	$(INSTALL_DATA) $(top_srcdir)/systemd/creel.sysusers $(DESTDIR)$(sysusersdir)/creel.conf
	$(INSTALL_DATA) $(top_srcdir)/systemd/creel.tmpfiles $(DESTDIR)$(tmpfilesdir)/creel.conf

uninstall-hook:
	rm -f $(DESTDIR)$(sysusersdir)/creel.conf $(DESTDIR)$(tmpfilesdir)/creel.conf
