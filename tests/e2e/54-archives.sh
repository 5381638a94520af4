#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Directories of --file and archives of --archive: the agent unpacks them in the scratch directory of the job.
. "$(dirname "$0")/lib.sh"
mkdir "$T/nobody"
cat >"$T/nobody/creel-site.xml" <<'X'
<configuration>
  <property><name>creel.container.allowed-system-users</name><value>root,nobody</value></property>
</configuration>
X
cluster_up -n 2 --conf "$T/nobody"
creel keygen user nobody >/dev/null 2>&1
cd "$T" || exit 1
lines_of() { creel run "$@" 2>/dev/null | sed 's/.*] //' | sort | xargs; }

# --- a directory ---------------------------------------------------------------------
mkdir -p "data/a directory/empty"
echo word >"data/a directory/a file"
printf '#!/bin/sh\necho "tool $1 $(cat "a directory/a file")"\n' >data/tool
chmod 0755 data/tool
ln -s "a directory/a file" data/link
touch -d 2001-02-03T04:05:06Z data/tool
is "a directory of -f has its files in the job" word "$(creel run -f data -- cat "data/a directory/a file" 2>/dev/null)"
is "a directory of -f has its empty directories in the job" yes "$(creel run -f data -- sh -c '[ -d "data/a directory/empty" ] && echo yes' 2>/dev/null)"
is "a directory of -f has its symbolic links in the job" \
    "a directory/a file" "$(creel run -f data -- readlink data/link 2>/dev/null)"
is "a directory of -f has its file times in the job" \
    981173106 "$(creel run -f data -- stat -c %Y data/tool 2>/dev/null)"
is "a program in a directory of -f is executable in the job" "tool it word" "$(creel run -f data -- sh -c 'cd data && ./tool it' 2>/dev/null)"
is "the command may be a path into a directory of -f" 0 "$(creel run --quiet -f data -- data/tool >/dev/null 2>&1; echo $?)"
is "a directory of -f has the name after #" word "$(creel run -f data/#other -- cat "other/link" 2>/dev/null)"
is "the archive of a directory is removed when it is unpacked" \
    "data tmp" "$(creel run -f data -- ls 2>/dev/null | grep -v creel-token | xargs)"
is "each task has the directory of -f" "word word word" "$(lines_of -N 3 -m 16M -f data -- cat data/link)"
is "each step of a job has the directory of -f" "word word" "$(creel run -m 128M -f data -- creel run --quiet -N 2 -m 16M -- cat data/link 2>/dev/null | sed 's/.*] //' | xargs)"
exits "a step with -a is a usage error" 2 creel run -m 128M -f data -- creel run -a "$T/dev/rm/log#x" -- true
like "the error for a step with -a reports that no files can be sent inside a job" \
    'inside a job no more files can be sent' "$OUTPUT"
exits "a job with a directory of -f succeeds" 0 creel run -f data -- echo run
unlike "the directory of -f is not listed as left in the scratch directory" '[Ll]eft' "$OUTPUT"
is "the directory of -f belongs to the user of the job" "nobody 755" \
    "$(creel --as nobody run -f data -- stat -c '%U %a' data/tool 2>/dev/null)"
first=$(creel submit --dry-run -f data -- true | jq -c '.items[0].files[0]')
is "--dry-run shows the directory and that it is unpacked" '{"name":"data","source":"data","unpack":true}' "$(jq -c '{name, source, unpack}' <<<"$first")"
is "--dry-run shows the same hash for the same directory at another path" "$(jq -r .blake2b256 <<<"$first")" \
    "$(creel submit --dry-run -f "$T/data" -- true | jq -r '.items[0].files[0].blake2b256')"
is "--dry-run shows that a file is not unpacked" '{"name":"tool","unpack":false}' "$(creel submit --dry-run -f data/tool -- true | jq -c '.items[0].files[0] | {name, unpack}')"

# --- what is not packed --------------------------------------------------------------
mkdir odd
mkfifo odd/pipe
before=$(count app list)
exits "a directory with a FIFO is refused" 1 creel submit -f odd -- true
like "the error for a directory with a FIFO names the FIFO" \
    'directory odd: pipe is a FIFO; only files, directories and links' "$OUTPUT"
exits "a directory as an archive is a usage error" 2 creel submit -a data -- true
like "the error for a directory as an archive suggests --file" \
    'archive data: is a directory; send it with --file' "$OUTPUT"
exits "an archive that does not exist is refused" 1 creel submit -a gone.tar -- true
is "the error for a missing archive names the archive" \
    "creel: archive gone.tar: No such file or directory" "$OUTPUT"
exits "-a 1-10, an array of Slurm, is refused" 1 creel submit -a 1-10 -- true
like "the error for -a 1-10 suggests --array" "Slurm's -a, --array is --array here" "$OUTPUT"
exits "-f . without a name is a usage error" 2 creel submit -f . -- true
like "the error for -f . suggests SRC#NAME" 'expected SRC or SRC#NAME' "$OUTPUT"
is "no job was submitted for the refused files" "$before" "$(count app list)"

# --- archives ------------------------------------------------------------------------
tar -czf packed.tar.gz -C data .
tar -cf packed.tar -C data .
is "a compressed archive is unpacked to a directory named without the suffix" word "$(creel run -a packed.tar.gz -- cat packed/link 2>/dev/null)"
is "an archive is unpacked to the name after #" \
    word "$(creel run -a packed.tar#here -- cat here/link 2>/dev/null)"
python3 -c 'import sys, zipfile; zipfile.ZipFile(sys.argv[1], "w").writestr("x/y", "zipped\n")' files.zip
is "a zip archive is unpacked" zipped "$(creel run -a files.zip -- cat files/x/y 2>/dev/null)"
is "an archive with blanks in its names is unpacked" word "$(creel run -a packed.tar -- sh -c 'cd "packed/a directory" && cat "a file"' 2>/dev/null)"
is "two archives are unpacked" "word zipped" "$(creel run -a packed.tar -a files.zip -- sh -c 'cat packed/link files/x/y' 2>/dev/null | xargs)"
exits "two archives of the same name are a usage error" 2 creel submit -a packed.tar -a packed.tar.gz -- true
like "the error for two archives of one name suggests another name" \
    'both would be named packed; give one another name' "$OUTPUT"

# --- hostile archives: nothing is written outside, the command does not run ----------------------
hostile() {
    python3 - "$1" "$T" <<'P'
import io, sys, tarfile
kind, T = sys.argv[1:]
tar = tarfile.open("hostile.tar", "w")
def add(name, data=b"bad\n", **fields):
    info = tarfile.TarInfo(name)
    info.size = len(data)
    for field, value in fields.items():
        setattr(info, field, value)
    tar.addfile(info, io.BytesIO(data))
add("good", b"good\n")
if kind == "up":
    add("../escaped")
elif kind == "absolute":
    add(T + "/out/escaped")
elif kind == "link":
    add("to", b"", type=tarfile.SYMTYPE, linkname=T + "/out")
    add("to/escaped")
elif kind == "hard":
    add("to", b"", type=tarfile.LNKTYPE, linkname=T + "/data/tool")
elif kind == "device":
    add("null", b"", type=tarfile.CHRTYPE, devmajor=1, devminor=3)
elif kind == "many":
    for i in range(100001):
        add("a", b"")
tar.close()
if kind == "cut":
    data = open("packed.tar", "rb").read()
    open("hostile.tar", "wb").write(data[:len(data) // 3 // 512 * 512 + 100])
elif kind == "none":
    open("hostile.tar", "wb").write(b"this is no archive\n" * 40)
P
}
refused() { # KIND REGEX
    hostile "$1"
    exits "a job with a hostile archive ($1) ends with 126" 126 creel run -m 1G -a hostile.tar#bad -- touch "$T/out/ran"
    like "the error reports what is wrong with the archive ($1)" \
        "could not be started: archive bad: $2" "$OUTPUT"
}
refused up 'entry "\.\./escaped" has "\.\." in its path'
refused absolute "entry \"$T/out/escaped\" has an absolute path"
refused link 'entry "to/escaped" cannot be written: .*symlink'
refused hard 'entry "to" is a hard link to a file outside of the archive'
refused device 'entry "null" is a device'
refused many 'has more than 100000 entries, the limit'
refused cut 'cannot be read after [0-9]+ entries'
refused none 'cannot be read after 0 entries: Unrecognized archive format'
is "no hostile archive wrote outside of its directory, and no command ran" "" "$(ls "$T/out")"
id=$(creel submit --id -a hostile.tar#bad -- true)
creel wait "$id" --timeout 60 >/dev/null 2>&1
like "creel status reports what is wrong with the archive" \
    'archive bad: cannot be read' "$(creel status "$id")"
is "no node is avoided because of the archive" 2 "$(creel node list --json | jq '[.items[] | select(.state == "RUNNING")] | length')"
finish
