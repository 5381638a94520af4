#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Administrators, and the groups of users, are read again while the resource manager runs.
. "$(dirname "$0")/lib.sh"
mkdir "$T/conf"
site=$T/conf/yarn-site.xml
write_site() { # KEY VALUE...
    local text='<configuration>'
    while [ $# -gt 1 ]; do text+="<property><name>$1</name><value>$2</value></property>"; shift 2; done
    echo "$text</configuration>" >"$site"
}
groups=hadoop.user.group.static.mapping.overrides
write_site yarn.acl.enable true yarn.admin.acl root $groups "games=players;"
cluster_up -n 1 --conf "$T/conf"
cp "$site" "$T/before"

value_of() { creel conf show "$1" --rm --json | jq -r '.items[0].value'; }
is "the resource manager has one administrator" root "$(value_of yarn.admin.acl)"
like "and the groups of the files" "players" "$(creel queue access default --user games --json)"

sed -i 's|<name>yarn.admin.acl</name><value>root</value>|<name>yarn.admin.acl</name><value>root,games</value>|; s|games=players;|games=chess;|' "$site"
is "a changed file alone changes nothing" root "$(value_of yarn.admin.acl)"
exits "the access lists are read again" 0 creel admin refresh acls
like "and shown" 'yarn.admin.acl: "root,games" \(.*yarn-site.xml:' "$OUTPUT"
is "they are in force" root,games "$(value_of yarn.admin.acl)"
like "groups are not, yet" "players" "$(creel queue access default --user games --json)"
exits "the groups are read again" 0 creel admin refresh groups
like "and in force" "chess" "$(creel queue access default --user games --json)"
is "each is an audit line" 2 "$(grep -c 'audit USER=root.*OPERATION=refreshAccess.*RESULT=SUCCESS' "$T/dev/rm/log")"

sed -i 's|games=chess;|games=;=x|' "$site"
exits "a mistake is refused" 7 creel admin refresh groups
like "with its place" "yarn-site.xml:[0-9]+: $groups" "$OUTPUT"
like "and changes nothing" "chess" "$(creel queue access default --user games --json)"
exits "all parts are refused with it, one by one" 7 creel admin refresh all
cp "$T/before" "$site"
exits "all parts are read again" 0 creel admin refresh all
like "acls, too" "acls refreshed" "$OUTPUT"
is "and are in force" root "$(value_of yarn.admin.acl)"
like "with the groups" "players" "$(creel queue access default --user games --json)"
is "as JSON" "queues nodes acls groups" "$(creel admin refresh all --json | jq -r '[.items[].what] | join(" ")')"
exits "a part that does not exist is refused" 2 creel admin refresh people
like "with all parts" "queues\\|nodes\\|acls\\|groups\\|all" "$OUTPUT"
finish
