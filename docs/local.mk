# SPDX-License-Identifier: Apache-2.0
scd_pages = docs/man/creel-rm.8.scd docs/man/creel-nm.8.scd docs/man/creel-shim.8.scd docs/man/creel-unpack.8.scd docs/man/creel-pam.8.scd docs/man/creel-pack.8.scd docs/man/creel-archive.8.scd docs/man/creel-aggregate.8.scd docs/man/creel-keeper.8.scd \
    docs/man/creel-gateway.8.scd docs/man/creel-nm-web.8.scd docs/man/creel-web.8.scd docs/man/creel-hadoop.8.scd \
    docs/man/creel-sim.1.scd docs/man/creel-slurm.1.scd docs/man/creel-yarn.1.scd
man_MANS += docs/man/creel-gateway.8 docs/man/creel-nm-web.8 docs/man/creel-web.8 docs/man/creel-hadoop.8 docs/man/creel-rm.8 docs/man/creel-nm.8 docs/man/creel-shim.8 docs/man/creel-unpack.8 docs/man/creel-pam.8 docs/man/creel-pack.8 docs/man/creel-archive.8 docs/man/creel-aggregate.8 docs/man/creel-keeper.8 docs/man/creel-sim.1 docs/man/creel-slurm.1 docs/man/creel-yarn.1
CLEANFILES += docs/man/creel-gateway.8 docs/man/creel-nm-web.8 docs/man/creel-web.8 docs/man/creel-hadoop.8 docs/man/creel-rm.8 docs/man/creel-nm.8 docs/man/creel-shim.8 docs/man/creel-unpack.8 docs/man/creel-pam.8 docs/man/creel-pack.8 docs/man/creel-archive.8 docs/man/creel-aggregate.8 docs/man/creel-keeper.8 docs/man/creel-sim.1 docs/man/creel-slurm.1 docs/man/creel-yarn.1
EXTRA_DIST += docs/pictures/overview.png docs/pictures/scheduler.png
EXTRA_DIST += mkdocs.yml docs/Doxyfile docs/site.css docs/index.md docs/adr/index.md docs/guide/administration.md docs/guide/hadoop.md \
    docs/guide/libcreel.md docs/guide/logs.md docs/guide/protocol.md docs/guide/quick-start.md docs/guide/rest.md docs/guide/slurm.md \
    docs/guide/troubleshooting.md docs/guide/users.md docs/guide/yarn.md
EXTRA_DIST += docs/adr/0001-gateway-process.md \
    docs/adr/0002-agent-unit.md \
    docs/adr/0003-pure-cores.md \
    docs/adr/0004-one-schema.md \
    docs/adr/0005-sqlite.md \
    docs/adr/0006-keeper-unit.md \
    docs/adr/0007-shim.md \
    docs/adr/0008-group-commit.md \
    docs/adr/0009-zeromq-curve.md \
    docs/adr/0010-one-index.md \
    docs/adr/0011-no-hadoop-rpc.md \
    docs/adr/0012-high-availability.md \
    docs/adr/0013-web-process.md \
    docs/adr/0014-join-tokens.md \
    docs/adr/0015-agent-rest-process.md \
    docs/adr/0016-munge.md \
    docs/adr/0017-node-keys.md docs/adr/0018-container-resize.md \
    docs/adr/0019-hadoop-rpc-process.md
EXTRA_DIST += $(scd_pages) docs/architecture.md docs/hacking.md docs/operations.md docs/performance.md docs/policy.md docs/agent.md docs/security.md docs/glossary.md \
    CONTRIBUTING.md SECURITY.md CODE_OF_CONDUCT.md CHANGELOG.md \
    docs/yarn-behaviour.md \
    bench/figures.sh bench/polling.sh bench/web.sh bench/web-load.py

SUFFIXES = .scd
.scd:
	$(AM_V_GEN)$(MKDIR_P) $(@D) && grep -v '^; SPDX' $< | $(SCDOC) >$@.new && \
	if grep -q '^\.TS' $@.new; then printf "'%s\n" '\" t' | cat - $@.new >$@ && rm $@.new; else mv $@.new $@; fi

# Only the manual pages; scripts/docs builds the site.
man: $(man_MANS)
.PHONY: man
