# SPDX-License-Identifier: Apache-2.0
# creel.fish - completion of creel for fish; creel __complete returns the candidates (client/cli/help/cmd_complete.c)
function __creel_complete
    set -l before (commandline -opc)
    set -l current (commandline -ct)
    for line in ($before[1] __complete -- $before[2..] "$current" 2>/dev/null)
        switch $line
            case ':files' ':programs'
                __fish_complete_path "$current"
            case ':directories'
                __fish_complete_directories "$current"
            case ':*'
            case '*'
                echo -- $line
        end
    end
end
complete -c creel -f -k -a '(__creel_complete)'
