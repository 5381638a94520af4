#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# creel conf show --rm prints the configuration in effect at the resource manager, conf diff compares the files with it,
# and conf apply refreshes it.
. "$(dirname "$0")/lib.sh"
mkdir "$T/conf"
site() {        # PRIORITY ATTEMPTS
    cat >"$T/conf/creel-site.xml" <<X
<configuration>
  <property><name>yarn.cluster.max-application-priority</name><value>$1</value></property>
  <property><name>yarn.resourcemanager.am.max-attempts</name><value>$2</value></property>
  <property><name>site.store.password</name><value>sesame</value></property>
</configuration>
X
}
site 7 3
cluster_up -n 1 --conf "$T/conf"
held() { creel conf show --rm "$1"; }           # in effect at the resource manager
differences() { creel conf diff --json | jq -r '.items[] | "\(.key) \(.files) \(.rm) \(.applied)"'; }

exits "creel conf diff exits with 0 without differences" 0 creel conf diff
is "creel conf diff --json has no item without differences" '[]' "$(creel conf diff --json | jq -c .items)"
is "creel conf show --rm prints the value of the resource manager" \
    7 "$(held yarn.cluster.max-application-priority)"
is "creel conf show --rm has the file and line of a value" "$T/conf/creel-site.xml:2" "$(value .origin conf show --rm yarn.cluster.max-application-priority)"
is "creel conf show --rm has the origin default" default "$(value .origin conf show --rm yarn.acl.enable)"
is "creel conf show --rm hides a password" "(hidden)" "$(held site.store.password)"
exits "creel conf show --rm of an unknown key exits with 3" 3 creel conf show --rm no.such.key
exits "creel conf show --rm with an address is a usage error" 2 creel conf show --rm 127.0.0.1:8032

site 9 5
is "creel conf show reads the changed files" 9 "$(creel conf show yarn.cluster.max-application-priority)"
is "creel conf show --rm prints the former value" 7 "$(held yarn.cluster.max-application-priority)"
exits "creel conf diff exits with 1 when values differ" 1 creel conf diff
is "creel conf diff lists both values, and what applies the new one" \
    "yarn.resourcemanager.am.max-attempts 5 3 start
yarn.cluster.max-application-priority 9 7 refresh" "$(differences)"

site nine 5
exits "creel conf apply refuses an invalid value" 7 creel conf apply
is "creel conf apply --json has file and line of the invalid value" "$T/conf/creel-site.xml 2" \
    "$(creel conf apply --json 2>/dev/null | jq -r '.items[0] | "\(.file) \(.line)"')"

site 9 5
is "the refused creel conf apply changes nothing" 7 "$(held yarn.cluster.max-application-priority)"
like "creel conf apply counts the keys that need a restart" '1 key has other values' "$(creel conf apply 2>&1)"
is "the new value of the refreshed key is in effect" 9 "$(held yarn.cluster.max-application-priority)"
is "the new value of the key that needs a restart is not in effect" \
    "yarn.resourcemanager.am.max-attempts 5 3 start" "$(differences)"

# A key of YARN that creel does not act on.
sed -i 's|</configuration>|<property><name>yarn.federation.enabled</name><value>true</value></property>&|' "$T/conf/creel-site.xml"
changes() { grep -A1 '^Changes what your cluster does:$' <<<"$1"; }
checked=$(changes "$(creel conf check 2>&1)")
like "creel conf check has the key among what changes the cluster" 'yarn.federation.enabled.*no federation' "$checked"
is "creel conf apply prints that group, too" "$checked" "$(changes "$(creel conf apply 2>&1)")"
unlike "creel conf apply --quiet does not" 'Changes what' "-$(creel --quiet conf apply 2>&1)"

# The client uses four keys. Mistakes in others, and in the files of schedulers, do not stop it.
id=$(creel submit --id -m 32M -- sleep 1000)
printf '<configuration><property>' >"$T/dev/conf/capacity-scheduler.xml"
sed -i 's|<configuration>|&<property><name>creel.no.such.key</name><value>1</value></property>|' "$T/dev/conf/yarn-site.xml"
exits "creel conf check finds errors in the files" 7 creel conf check "$T/dev/conf"
exits "creel ps works with these errors" 0 creel ps
exits "creel conf show --rm works with these errors" 0 creel conf show --rm yarn.acl.enable
exits "creel kill works with these errors" 0 creel kill "$id"
mkdir "$T/several"
cat >"$T/several/yarn-site.xml" <<'X'
<configuration>
  <property><name>yarn.resourcemanager.ha.enabled</name><value>true</value></property>
  <property><name>yarn.resourcemanager.ha.rm-ids</name><value>rm1,rm2</value></property>
  <property><name>yarn.resourcemanager.hostname.rm1</name><value>h1</value></property>
</configuration>
X
exits "creel conf check accepts a configuration with several resource managers" 0 creel conf check "$T/several"
like "with a warning that names the key to set" 'ha.enabled is true, and creel has one resource manager: set yarn.resourcemanager.hostname' "$OUTPUT"
finish
