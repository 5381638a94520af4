#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# client_manual.sh - the manual pages of the commands are made, complete, and named by the help: TAP
set -u
build=${BUILD:-.}
creel=$build/creel
source=$(cd "$(dirname "$0")/../../.." && pwd)
n=0 failed=0

report() {      # NAME PROBLEMS
    n=$((n + 1))
    if [ -z "$2" ]; then
        echo "ok $n - $1"
    else
        echo "not ok $n - $1"
        printf '%s\n' "$2" | sed 's/^/# /'
        failed=1
    fi
}

# The page of WORD, without the marks of fonts.
page() { sed 's/\\f[BIR]//g; s/\\&//g; s/^\.S[HS] //' "$build/docs/man/creel-$1.1"; }

mapfile -t words < <("$creel" __man)
report "there are commands" "$([ ${#words[@]} -gt 20 ] || echo "only ${#words[@]} words")"
report "each first word of a command has a manual page, and no other word has" \
    "$(diff <(printf 'creel-%s.1\n' "${words[@]}" | sort) \
        <(cd "$build/docs/man" && printf '%s\n' creel-*.1 | grep -v -E '^creel-(sim|slurm|yarn)\.1$' | sort))"
report "the site has all of them" \
    "$(for word in "${words[@]}"; do grep -q "man/creel-$word\.1\.md" "$source/mkdocs.yml" || echo "mkdocs.yml: no creel-$word"; done)"
report "each page has its commands, options and exit statuses" \
    "$(for word in "${words[@]}"; do
        text=$(page "$word")
        grep -q '^EXIT STATUS' <<<"$text" || echo "creel-$word: no exit statuses"
        "$creel" help "$word" | grep -oE "^  $word [a-z-]+" | while read -r path; do
            grep -qx "creel $path" <<<"$text" || echo "creel-$word: no $path"
        done
        "$creel" help "$word" | sed -n '/^options:/,/^$/p' | grep -oE '(^|, | )--[a-z][a-z-]+' | grep -oE -- '--.*' |
            while read -r option; do
                grep -qF -- "$option" <<<"$text" || echo "creel-$word: no $option"
            done
    done)"
report "creel help names the page" \
    "$(for word in "${words[@]}"; do
        [ "$("$creel" help "$word" | tail -1)" = "manual: man creel-$word" ] ||
            [ "$("$creel" __man "$word" | grep -c 'It is the same as')" = 1 ] || echo "creel help $word: $("$creel" help "$word" | tail -1)"
    done)"
report "--help of a command of two words names the page" \
    "$("$creel" node drain --help | grep -qx 'manual: man creel-node' || "$creel" node drain --help | tail -2)"
# The first line of the description of a command.
description() { "$creel" help "$@" | sed -n '/^usage:/,$p' | sed -n 3p; }
report "the help of each of two opposite commands describes that command" \
    "$(while read -r one other; do
        [ "$(description ${one//-of-/ })" != "$(description ${other//-of-/ })" ] || echo "$one, $other: the same text"
    done <<X
hold release
admin-of-drain-all admin-of-undrain-all
node-of-drain node-of-undrain
node-of-decommission node-of-recommission
queue-of-stop queue-of-start
label-of-add label-of-remove
token-of-list token-of-revoke
dev-of-up dev-of-down
X
    )"
report "pages name each other" \
    "$(page node | sed -n '/^SEE ALSO/,$p' | grep -q 'creel-submit(1)\|creel-label(1)' || page node | sed -n '/^SEE ALSO/,$p')"
report "a word that no command has is an error" \
    "$("$creel" __man nosuch >/dev/null 2>&1; [ $? = 2 ] || echo "creel __man nosuch: no exit status 2")"
echo "1..$n"
exit $failed
