#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# creel-web from its package checks passwords of accounts with PAM: of /etc/shadow with the drop-in of creel-web(8), and of
# SSSD without it.
. "$(dirname "$0")/lib.sh"
hosts_up 2
apt() { on 1 env DEBIAN_FRONTEND=noninteractive apt-get -qy -o Dpkg::Use-Pty=0 --no-install-recommends "$@"; }
exits "apt-get install creel-web" 0 apt install creel-web
is "creel-web runs, with the certificate of the cluster" active "$(on 1 systemctl is-active creel-web)"
on 1 tee /etc/creel/creel-site.xml >/dev/null <<'X'
<configuration>
  <property><name>yarn.resourcemanager.webapp.address</name><value>127.0.0.1:8088</value></property>
  <property><name>creel.http.auth</name><value>basic</value></property>
  <property><name>creel.security.proxy-users</name><value>root,creel-web</value></property>
</configuration>
X
on 1 useradd --create-home bob
new_password() { echo "$1" | on 1 chpasswd 2>/dev/null; } # (it complains of an easy one)
new_password ann:secret-ann
new_password bob:secret-bob
on 1 usermod --expiredate 1 bob
on 1 systemctl restart creel-rm
becomes "the agent registers" 30 nodes_running_is 1

# status USER PASSWORD [PATH]: prints the HTTP status.
status() {
    ip netns exec "$run-n1" curl -sS -m 30 -o "$T/body" -w '%{http_code}' -u "$1:$2" \
        "http://127.0.0.1:8088/${3:-ws/v1/cluster/userinfo}" 2>&1
}
status_is() { [ "$(status "$1" "$2")" = "$3" ]; }
web_log() { on 1 journalctl --no-pager -o cat -u creel-web; }

# --- passwords in /etc/shadow
exits "creel-web starts" 0 on 1 systemctl restart creel-web
is "without the drop-in no password is right" 401 "$(status ann secret-ann)"
drop_in 1 creel-web '[Service]\nSupplementaryGroups=shadow\nSystemCallFilter=@setuid\n'
exits "creel-web starts with the drop-in" 0 on 1 systemctl restart creel-web
becomes "the right password of /etc/shadow is accepted" 20 status_is ann secret-ann 200
is "the request is of this user" ann "$(jq -r .requestedUser "$T/body")"
is "a wrong one is refused" 401 "$(status ann secret-bob)"
is "so is an account that has expired" 401 "$(status bob secret-bob)"
like "the journal has the reason" 'USER=bob.*RESULT=FAILURE.*the account is locked or expired' "$(web_log)"
is "the pages are served, too" 200 "$(status ann secret-ann cluster)"
new_password ann:changed-ann
is "the new password of ann" 200 "$(status ann changed-ann)"

# --- SSSD: the accounts of a domain that are in no file of the host
drop_in 1 creel-web ""
on 1 sh -c 'mkdir -p /var/lib/extrausers && cd /var/lib/extrausers && : >shadow &&
    echo dora:x:7001:7001::/home/dora:/bin/sh >passwd && echo dora:x:7001: >group'
on 1 tee /root/check >/dev/null <<'X'
#!/bin/sh
password=$(tr -d '\000')
[ "$PAM_USER $password" = "dora secret-dora" ]
X
on 1 chmod 0755 /root /root/check
on 1 tee /etc/pam.d/domain >/dev/null <<'X'
auth     required pam_exec.so quiet expose_authtok /root/check
account  required pam_permit.so
password required pam_deny.so
session  required pam_permit.so
X
on 1 tee /etc/sssd/sssd.conf >/dev/null <<'X'
[sssd]
services = nss, pam
domains = test
[domain/test]
id_provider = proxy
proxy_lib_name = extrausers
auth_provider = proxy
proxy_pam_target = domain
X
on 1 chmod 0600 /etc/sssd/sssd.conf
on 1 sed -i 's/^passwd:.*/passwd: files sss/; s/^group:.*/group: files sss/' /etc/nsswitch.conf
exits "sssd starts" 0 on 1 systemctl start sssd
becomes "the host has the account of the domain" 30 on 1 id dora
exits "creel-web starts without the drop-in" 0 on 1 systemctl restart creel-web
becomes "the right password of the domain is accepted" 30 status_is dora secret-dora 200
is "the request is of this user" dora "$(jq -r .requestedUser "$T/body")"
is "a wrong one is refused" 401 "$(status dora secret-bob)"
is "and one of /etc/shadow" 401 "$(status ann changed-ann)"
[ "$failures" = 0 ] || on 1 journalctl --no-pager -o short -n 60 | sed 's/^/#   /'
finish
