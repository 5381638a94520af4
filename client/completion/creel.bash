# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# creel.bash - completion of creel for bash; creel __complete returns the candidates (client/cli/help/cmd_complete.c)
_creel() {
    local cur words cword line directive=:done
    COMPREPLY=()
    _get_comp_words_by_ref -n := cur words cword
    while IFS= read -r line; do
        case $line in
            :*) directive=$line ;;
            *) COMPREPLY+=("${line%%$'\t'*}") ;;
        esac
    done < <("${words[0]}" __complete -- "${words[@]:1:cword}" 2>/dev/null)
    case $directive in
        :files) _filedir ;;
        :directories) _filedir -d ;;
        :programs) mapfile -t COMPREPLY < <(compgen -c -- "$cur"; compgen -f -- "$cur") ;;
    esac
    # bash replaces only the part of the word after the last = or :.
    __ltrim_colon_completions "$cur"
    case $cur in
        --*=*) COMPREPLY=("${COMPREPLY[@]#"${cur%%=*}="}") ;;
    esac
}
complete -F _creel creel
