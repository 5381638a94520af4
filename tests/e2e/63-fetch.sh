#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Results of jobs (--fetch): packed on the node, compared with their hash, written to the directory of the submitter.
. "$(dirname "$0")/lib.sh"
mkdir "$T/nobody"
cat >"$T/nobody/creel-site.xml" <<'X'
<configuration>
  <property><name>creel.container.allowed-system-users</name><value>root,nobody</value></property>
  <property><name>creel.nodemanager.fetch.max-mb</name><value>4</value></property>
</configuration>
X
cluster_up -n 2 --conf "$T/nobody"
mkdir "$T/here"
cd "$T/here" || exit 1
hidden() { find "$1" -name '.creel-fetch*'; }

# --- one command ---------------------------------------------------------------------
exits "creel run with --fetch exits with the exit status of the command" 0 \
    creel run --scratch --fetch out.csv --fetch 'plots/*.png' -- sh -c 'echo 1,2 >out.csv; mkdir plots; echo a >plots/a.png; echo b >plots/b.png; echo c >plots/c.txt'
is "creel run writes a fetched file to the current directory" 1,2 "$(cat out.csv)"
is "creel run fetches the files that match a pattern, and no others" "a.png b.png" "$(cd plots && echo *)"
like "creel run prints a summary of the fetched results" 'results: 3 files and directories, 0\.[0-9] MiB, in \.' "$OUTPUT"
is "creel run writes nothing but the results" "out.csv plots" "$(echo *)"
echo old >out.csv
exits "creel run fetches the results of a job that fails" 3 creel run --quiet --scratch --fetch out.csv -- sh -c 'echo new >out.csv; exit 3'
is "creel run replaces an existing file by a fetched one" new "$(cat out.csv)"
exits "creel submit --fetch-to accepts a directory" 0 creel submit --wait --scratch --fetch tree --fetch-to "$T/to" -- \
    sh -c 'mkdir -p tree/deep/empty; echo x >tree/deep/file; ln -s deep/file tree/link; chmod 755 tree/deep/file; touch -d 2001-02-03T04:05:06Z tree/deep/file'
is "a fetched directory has its files" x "$(cat "$T/to/tree/deep/file")"
is "a fetched directory has its links, and its files have their modes and times" "deep/file 755 981173106" "$(readlink "$T/to/tree/link") $(stat -c '%a %Y' "$T/to/tree/deep/file")"
check "a fetched directory has its empty directories" test -d "$T/to/tree/deep/empty"
is "--fetch . fetches the working directory without the files that creel wrote to it" "in made" \
    "$(mkdir in all; echo i >in/put; creel run --quiet -f in --fetch . --fetch-to all -- sh -c 'touch made' >/dev/null 2>&1; cd all && echo *)"
is "paths of --fetch start at the working directory of the command" shared \
    "$(mkdir -m 0777 "$T/shared" && creel run --quiet -C "$T/shared" --fetch s --fetch-to "$T/to" -- sh -c 'echo shared >s' >/dev/null 2>&1; cat "$T/to/s")"
is "a large file is fetched unchanged" "$(head -c 3000000 /dev/zero | sha256sum)" \
    "$(creel run --quiet --scratch --fetch big -- sh -c 'head -c 3000000 /dev/zero >big' 2>/dev/null; sha256sum <big)"
is "fetched files belong to the user of the client" "root" \
    "$(creel --as nobody keygen user nobody >/dev/null 2>&1; creel --as nobody run --quiet --scratch --fetch mine -- sh -c 'id -un >mine' 2>/dev/null; stat -c %U mine)"

# --- what is missing ------------------------------------------------------------------
exits "a missing result fails a job that succeeded" 125 \
    creel run --scratch --fetch there,gone --fetch 'no*.csv' -- sh -c 'echo t >there'
like "the error for a missing result names its path" 'results of application_[0-9]*_[0-9]*: gone: no such file in the working directory' "$OUTPUT"
like "the error for a missing result names a pattern without matches" 'no\*\.csv: no such file' "$OUTPUT"
is "creel run fetches the results that exist although others are missing" t "$(cat there)"
id=$(creel submit --id --scratch --fetch gone -- true)
creel wait "$id" >/dev/null
like "creel status prints which result is missing" 'Results not fetched: gone: no such file' "$(creel status "$id")"
exits "a job that failed keeps its exit status when a result is missing" 7 creel run --scratch --fetch gone -- sh -c 'exit 7'
exits "results beyond the limit of the node are not packed" 125 \
    creel run --scratch --fetch huge -- sh -c 'head -c 6000000 /dev/zero >huge'
like "the error for too large results names the limit and its key" 'larger than 4 MiB, the limit of this node \(creel\.nodemanager\.fetch\.max-mb\)' "$OUTPUT"
check "creel run writes no file of results that are too large" test ! -e huge
echo secret >"$T/secret"
exits "a link out of the working directory is not followed" 125 \
    creel run --scratch --fetch leak,way/secret -- sh -c "ln -s $T/secret leak; ln -s $T way"
like "the error for a link out of the working directory names the link" 'leak is a link that leads outside of the working directory' "$OUTPUT"
like "the error for a path below a link names the path" 'way/secret is a link that leads outside' "$OUTPUT"
exits "creel run leaves out links of a directory that lead outside" 0 creel run --scratch --fetch d -- sh -c "mkdir d; ln -s $T/secret d/leak; mkfifo d/pipe; echo f >d/file"
like "creel run prints how many files of a directory it left out" 'left out 2 special files and links that lead outside: d/' "$OUTPUT"
is "creel run fetches the other files of that directory" file "$(ls d)"

# --- tasks, arrays, later -------------------------------------------------------------
exits "creel run with --fetch and three tasks succeeds" 0 creel run --quiet -N 3 -m 16M --scratch --fetch out --fetch-to tasks -- sh -c 'echo $CREEL_TASK_INDEX >out'
is "the results of each task are in a directory of their own" "0 1 2" "$(cat tasks/0/out tasks/1/out tasks/2/out | xargs)"
exits "creel submit with --fetch and an array succeeds" 0 creel submit --wait --array 3-4 -m 16M --scratch --fetch out --fetch-to array -- sh -c 'echo $CREEL_ARRAY_TASK_ID >out'
is "the results of each task of an array are in a directory with its index" "3 4" "$(cat array/3/out array/4/out | xargs)"
exits "creel run exits with 125 when one task lacks its result" 125 creel run -N 2 -m 16M --scratch --fetch out --fetch-to some -- sh -c '[ $CREEL_TASK_INDEX = 1 ] || echo >out'
like "the error for a missing result of a task names the number of the task" 'results of application_[0-9_]*, task 1: out: no such file' "$OUTPUT"
id=$(creel submit --id --scratch --fetch out -- sh -c 'echo later >out; exit 5')
creel wait "$id" >/dev/null
exits "creel fetch accepts an ended job" 0 creel fetch "$id" --out later
is "creel fetch writes the results to a directory" later "$(cat later/out)"
like "creel fetch lists the fetched results" '^ *1 *$' "$(creel fetch "$id" --out later --columns files --no-header)"
sum=$(value .sha256 fetch "$id" --out later)
container=$(value .id container list --app "$id")
file=$(find "$T/dev" -path "*$container/results.tar")
is "the hash that creel fetch prints is that of the archive on the node" "$sum" "$(sha256sum <"$file" | cut -d' ' -f1)"
id=$(creel submit --id -- true)
creel wait "$id" >/dev/null
exits "creel fetch of a job without --fetch exits with 3" 3 creel fetch "$id"
like "the error for a job without --fetch names --fetch" 'has written no results.txt|was it submitted with --fetch' "$OUTPUT"
id=$(creel submit --id -- sleep "$(unlike_others)")
exits "creel fetch of a job that runs is refused" 6 creel fetch "$id"
creel kill "$id" >/dev/null
id=$(creel submit --id --scratch --fetch part -- sh -c 'echo begun >part; exec sleep 1000')
creel wait --for running "$id" >/dev/null
becomes "a job writes its result before it is killed" 20 sh -c "find $T/dev -name part | grep -q ."
creel kill "$id" >/dev/null
exits "creel fetch accepts a job that was killed" 0 creel fetch "$id" --out killed
is "the result of a killed job has what the job had written" begun "$(cat killed/part)"

# --- bad input ------------------------------------------------------------------------
for path in /etc/passwd ../x a/../../b '' a,,b 'a,'; do
    exits "--fetch '$path' is refused" 2 creel submit --fetch "$path" -- true
done
like "the error for a refused path names what is expected" 'paths or patterns below the working directory' "$OUTPUT"
exits "--fetch-to without --fetch is a usage error" 2 creel run --fetch-to x -- true
exits "--fetch-to without --wait is a usage error of creel submit" 2 creel submit --fetch x --fetch-to x -- true
exits "--fetch with -it is a usage error" 2 creel run -it --fetch x -- true
is "a file with a comma in its name is fetched when the comma is escaped" comma "$(creel run --quiet --scratch --fetch 'a\,b' -- sh -c 'echo comma >"a,b"' 2>/dev/null; cat 'a,b')"

# --- a node that lies -----------------------------------------------------------------
id=$(creel submit --id --scratch --fetch out -- sh -c 'echo right >out')
creel wait "$id" >/dev/null
container=$(value .id container list --app "$id")
logs=$(dirname "$(find "$T/dev" -path "*$container/results.tar")")
cp "$logs/results.txt" "$T/right.txt"
# list_of FILE: writes the list of results that belongs to the archive FILE.
list_of() {
    printf 'creel-results 1\nbytes %s\nentries 1\nsha256 %s\nend\n' "$(stat -c %s "$1")" "$(sha256sum <"$1" | cut -d' ' -f1)" >"$logs/results.txt"
}
mkdir bad
sed -i 's/^sha256 ..../sha256 0000/' "$logs/results.txt"
exits "an archive with another hash is refused" 1 creel fetch "$id" --out bad
like "the error for an archive with another hash names the node" 'results of application_[0-9_]*: the data from node .* differs in SHA-256 from the list of results; nothing was written' "$OUTPUT"
echo nonsense >"$logs/results.txt"
exits "a damaged list of results is refused" 1 creel fetch "$id" --out bad
echo victim >"$T/victim"
mkdir "$T/evil"
(cd "$T/evil" && mkdir -p in && echo evil >in/file && tar -cPf "$logs/results.tar" --transform "s|in/file|../../victim|" in/file)
list_of "$logs/results.tar"
exits "an archive with a path that leads upwards is refused" 1 creel fetch "$id" --out bad
(cd "$T/evil" && ln -s "$T" out && tar -cf "$logs/results.tar" out)
list_of "$logs/results.tar"
exits "an archive with a link that leads outside is refused" 1 creel fetch "$id" --out bad
like "the error for an archive with such a link names the link" 'out is a link that leads outside' "$OUTPUT"
(cd "$T/evil" && rm out && mkdir out && echo evil >out/victim && tar -cf "$logs/results.tar" out)
list_of "$logs/results.tar"
ln -s "$T" bad/out
exits "a link in the target is not followed" 1 creel fetch "$id" --out bad
like "the error for a link in the target directory names the link" 'out is a directory among the results, but not here' "$OUTPUT"
is "no file outside of the target directory was changed" victim "$(cat "$T/victim")"
is "no temporary file is left in the target directories" "" "$(hidden "$T/here"; hidden "$T/to")"
finish
