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

exits "the files are what the resource manager has" 0 creel conf diff
is "there is no difference in JSON" '[]' "$(creel conf diff --json | jq -c .items)"
is "a value of the resource manager" 7 "$(held yarn.cluster.max-application-priority)"
is "its file and line" "$T/conf/creel-site.xml:2" "$(value .origin conf show --rm yarn.cluster.max-application-priority)"
is "a default" default "$(value .origin conf show --rm yarn.acl.enable)"
is "a password is not sent" "(hidden)" "$(held site.store.password)"
exits "a key that the resource manager does not have" 3 creel conf show --rm no.such.key
exits "an address behind --rm is an error" 2 creel conf show --rm 127.0.0.1:8032

site 9 5
is "the files are read by conf show" 9 "$(creel conf show yarn.cluster.max-application-priority)"
is "the resource manager has the former value" 7 "$(held yarn.cluster.max-application-priority)"
exits "conf diff exits with 1 when values differ" 1 creel conf diff
is "it lists both values, and what applies the new one" "yarn.resourcemanager.am.max-attempts 5 3 start
yarn.cluster.max-application-priority 9 7 refresh" "$(differences)"

site nine 5
exits "conf apply refuses a mistake" 7 creel conf apply
is "with --json the mistake has file and line" "$T/conf/creel-site.xml 2" \
    "$(creel conf apply --json 2>/dev/null | jq -r '.items[0] | "\(.file) \(.line)"')"

site 9 5
is "which changes nothing" 7 "$(held yarn.cluster.max-application-priority)"
like "conf apply refreshes, and reports what counts from the next start" '1 key has other values' "$(creel conf apply 2>&1)"
is "the new value is in force" 9 "$(held yarn.cluster.max-application-priority)"
is "the other one is not" "yarn.resourcemanager.am.max-attempts 5 3 start" "$(differences)"

# The client uses four keys. Mistakes in others, and in the files of schedulers, do not stop it.
id=$(creel submit --id -m 32M -- sleep 1000)
printf '<configuration><property>' >"$T/dev/conf/capacity-scheduler.xml"
sed -i 's|<configuration>|&<property><name>creel.no.such.key</name><value>1</value></property>|' "$T/dev/conf/yarn-site.xml"
exits "the files have mistakes" 7 creel conf check "$T/dev/conf"
exits "creel ps works with them" 0 creel ps
exits "so does creel conf show --rm" 0 creel conf show --rm yarn.acl.enable
exits "and creel kill" 0 creel kill "$id"
finish
