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
write_site yarn.acl.enable true yarn.admin.acl root $groups "games=players;" creel.http.auth token
cluster_up -n 1 --conf "$T/conf"
cp "$site" "$T/before"

like "the log names the administrators" 'info  access: users change their own applications; administrators: root ' "$(cat "$T/dev/rm/log")"
like "so does creel conf check" '^access: users change their own applications; administrators: root ' "$(creel conf check "$T/conf" 2>&1)"
value_of() { creel conf show "$1" --rm --json | jq -r '.items[0].value'; }
is "creel conf show --rm prints the one administrator" root "$(value_of yarn.admin.acl)"
like "creel queue access shows that a user without a right may not administer the queue" 'Administer: *no: ' "$(creel queue access default --user games)"
like "creel queue access has the group of the configuration" "players" "$(creel queue access default --user games --json)"

sed -i 's|<name>yarn.admin.acl</name><value>root</value>|<name>yarn.admin.acl</name><value>root,games</value>|; s|games=players;|games=chess;|' "$site"
is "the administrators stay the same when only the file changes" root "$(value_of yarn.admin.acl)"
exits "creel admin refresh acls exits with 0" 0 creel admin refresh acls
like "creel admin refresh acls prints the old and the new value and its file" \
    'yarn.admin.acl: "root" -> "root,games" \(.*yarn-site.xml:' "$OUTPUT"
unlike "it does not print keys that have not changed" 'yarn.acl.enable' "$OUTPUT"
exits "a second creel admin refresh acls exits with 0" 0 creel admin refresh acls
like "it prints that nothing changed" 'acls refreshed; nothing changed' "$OUTPUT"
is "creel conf show --rm prints both administrators" root,games "$(value_of yarn.admin.acl)"
like "creel admin refresh acls does not change the groups" "players" "$(creel queue access default --user games --json)"
exits "creel admin refresh groups exits with 0" 0 creel admin refresh groups
like "creel queue access has the new group" "chess" "$(creel queue access default --user games --json)"
is "each refresh is an audit line with the words of YARN" 3 \
    "$(grep -cE 'audit USER=root.*OPERATION=refresh(AdminAcls|UserToGroupsMappings).*RESULT=SUCCESS' "$T/dev/rm/log")"

# --- creel-web has the access lists in force
url=http://127.0.0.1:$(creel dev status --dir "$T/dev" --json | jq '.items[] | select(.role == "web").ports.web')
token=$(creel token create --as games --scope admin)
ask() { curl -sS -m 20 -o "$T/body" -w '%{http_code}' "$@"; }
as_games() { ask -H "Authorization: Bearer $token" -H 'Content-Type: application/json' "$@"; }
set_site() { sed -i "$1" "$site" && creel admin refresh acls >/dev/null; }
id=$(creel submit --id -- sleep "$(unlike_others)")
becomes "a job of root runs" 30 running_is "$id" 1
page_has() { as_games "$url/cluster/app/$id" >/dev/null && grep -q "sleep [0-9]" "$T/body"; }
page_lacks() { ! page_has; }
has_form() { as_games "$url/cluster/$1" >/dev/null && grep -qF "$2" "$T/body"; } # PAGE WORD
lacks_form() { as_games "$url/cluster/$1" >/dev/null && grep -q 'id="containers"' "$T/body" && ! grep -qF 'id="actions"' "$T/body"; } # PAGE
node=$(value .nodeId node list)
kill_as_games() { as_games -X PUT -d '{"state":"KILLED"}' "$url/ws/v1/cluster/apps/$id/state"; }
check "the page of a job shows its command to an administrator" page_has
check "and the form to kill it" has_form "app/$id" "/cluster/app/$id/kill"
check "the page of a node has the form to drain it for an administrator" has_form "node/$node" /drain
exits "the user is no administrator any more" 0 set_site 's|root,games|root|'
becomes "the page does not show the command then" 10 page_lacks
check "the page of another user's job has no form then" lacks_form "app/$id"
check "nor has the page of a node" lacks_form "node/$node"
own=$(creel --as games submit --id --hold -- true)
becomes "the page of the user's own job has the form to kill it" 10 has_form "app/$own" "/cluster/app/$own/kill"
is "a request to kill the job is refused" 403 "$(kill_as_games)"
others() { ask "$url/ws/v1/cluster/queues/default/access?user=games&queue-acl-type=ADMINISTER_QUEUE"; }
is "a user who is not known cannot ask for the rights of others" 403 "$(others)"
exits "the access lists are switched off" 0 set_site 's|enable</name><value>true|enable</name><value>false|'
becomes "the page shows the command to everybody" 10 page_has
becomes "and the form to kill the job" 10 has_form "app/$id" "/cluster/app/$id/kill"
check "the page of a node has no form for a user who is no administrator" lacks_form "node/$node"
like "the log warns of what every user may do" 'warn  access: every user may change all applications and queues: yarn.acl.enable is false; nodes: root ' "$(cat "$T/dev/rm/log")"
like "creel conf check names it" '^access: every user may change all applications and queues' "$(creel conf check "$T/conf" 2>&1)"
others_allowed() { [ "$(others)" = 200 ]; }
becomes "and rights of others" 10 others_allowed
like "a request to kill the job is accepted" '^20[02]$' "$(kill_as_games)"
exits "the access lists are switched on again" 0 set_site 's|enable</name><value>false|enable</name><value>true|'

sed -i 's|games=chess;|games=;=x|' "$site"
exits "creel admin refresh groups refuses a malformed value" 7 creel admin refresh groups
like "the error for a malformed value has the file, the line and the key" "yarn-site.xml:[0-9]+: $groups" "$OUTPUT"
like "the groups stay the same when a refresh is refused" "chess" "$(creel queue access default --user games --json)"
exits "creel admin refresh all refuses a malformed value" 7 creel admin refresh all
cp "$T/before" "$site"
exits "creel admin refresh all exits with 0" 0 creel admin refresh all
like "creel admin refresh all prints that the access lists were refreshed" "acls refreshed" "$OUTPUT"
is "creel conf show --rm prints the administrator of the refreshed file" root "$(value_of yarn.admin.acl)"
like "creel queue access has the group of the refreshed file" "players" "$(creel queue access default --user games --json)"
is "the JSON output of creel admin refresh all has all parts" "queues nodes acls groups" "$(creel admin refresh all --json | jq -r '[.items[].what] | join(" ")')"
sed -i 's|<name>yarn.admin.acl</name><value>root</value>|<name>yarn.admin.acl</name><value>root,games</value>|' "$site"
exits "creel admin refresh queues after a change of the administrators exits with 0" 0 creel admin refresh queues
like "it names the command that applies the change" 'yarn.admin.acl: "root" -> "root,games" .creel admin refresh acls' "$OUTPUT"
exits "creel admin refresh all with that change exits with 0" 0 creel admin refresh all
is "it prints the change once, without the next start" 'yarn.admin.acl: "root" -> "root,games"' \
    "$(grep -o 'yarn.admin.acl: [^(]*[^( ]' <<<"$OUTPUT")"
unlike "no change takes effect only at the next start" 'next start' "$OUTPUT"
exits "creel admin refresh queues after it exits with 0" 0 creel admin refresh queues
unlike "it does not report the change that is in force" 'yarn.admin.acl' "$OUTPUT"
sed -i 's|<value>root,games</value>|<value>root</value>|' "$site"
id=$(creel submit --id --hold -- true)
known_to_web() { [ "$(ask "$url/ws/v1/cluster/apps/$id")" = 200 ]; }
becomes "creel-web knows a new job" 10 known_to_web
exits "creel admin refresh acls takes the right from an administrator" 0 creel admin refresh acls
is "a user who was an administrator may kill no job of others" 403 "$(kill_as_games)"
exits "an unknown part is a usage error" 2 creel admin refresh people
like "the error for an unknown part names all parts" "queues\\|nodes\\|acls\\|groups\\|all" "$OUTPUT"

sed 's|<name>yarn.admin.acl</name><value>root</value>|<name>yarn.admin.acl</name><value>*</value>|' "$T/before" >"$site"
exits "every user becomes an administrator" 0 creel admin refresh acls
like "creel queue access shows that a user whom no list of the queue names may administer it" \
    'Administer: *yes: yarn.admin.acl permits it in all queues; named by no list of the queue' "$(creel queue access default --user daemon)"
is "JSON has both" "false true" "$(creel queue access default --user daemon --json | jq -r '.items[0] | "\(.mayAdminister) \(.administersCluster)"')"
finish
