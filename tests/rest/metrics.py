#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Check /metrics: both formats are well formed, and each metric that contrib/ uses exists.

metrics.py CLUSTER    CLUSTER is the program tests/rest/cluster. Prints TAP.
"""
import glob
import os
import re
import subprocess
import sys
import urllib.request

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..')
# Metrics of clusters whose users sign in by MUNGE: tests/e2e/66-munge.sh has one.
WITH_MUNGE = {'creel_munge_up'}
SAMPLE = re.compile(r'([a-z_]+)(\{([a-z_]+="(\\.|[^"\\])*",?)*\})? [-+0-9.eInfNa]+$')


class Cluster:
    def __init__(self, program, scheduler):
        self.process = subprocess.Popen([program, scheduler], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.url = self.process.stdout.readline().strip()
        for line in ('submit ann default 512', 'submit bob default 4096', 'beat'):
            self.process.stdin.write(line + '\n')
            self.process.stdin.flush()
            self.process.stdout.readline()

    def metrics(self, accept):
        request = urllib.request.Request(self.url + '/metrics', headers={'Accept': accept})
        with urllib.request.urlopen(request, timeout=10) as answer:
            return answer.headers['Content-Type'], answer.read().decode()

    def end(self):
        self.process.stdin.close()
        return self.process.wait(timeout=20)


def problems_of(text, is_open):
    """Every sample has a family with a help text and a type before it, and no family comes twice."""
    problems, families, present = [], set(), None
    lines = text.split('\n')
    if is_open and lines[-2:] != ['# EOF', '']:
        problems.append('does not end in # EOF')
    for line in lines[:-2] if is_open else lines[:-1]:
        if line.startswith('# HELP '):
            present = line.split()[2]
            if present in families:
                problems.append(f'{present}: comes twice')
            families.add(present)
        elif line.startswith('# TYPE '):
            if line.split()[2] != present:
                problems.append(f'{line}: without help')
        elif not SAMPLE.match(line) or not line.startswith(present):
            problems.append(f'{line}: is no sample of {present}')
    return problems


def names_in_contrib():
    """Metrics of agents are not among them: tests/outside/02-prometheus.sh has agents."""
    names = {}
    for path in glob.glob(os.path.join(TOP, 'contrib', '*', '*.yml')) + glob.glob(os.path.join(TOP, 'contrib', '*', '*.json')):
        with open(path, encoding='utf-8') as file:
            for line in file:
                if re.match(r'\s*"?(expr|query)"?:', line):
                    for name in re.findall(r'\bcreel_(?!agent_)[a-z_]+', line):
                        names.setdefault(name, os.path.basename(path))
    return names


def main():
    results, known = [], set()
    for scheduler in ('capacity', 'fair', 'fifo'):
        cluster = Cluster(sys.argv[1], scheduler)
        for accept, expected in (('text/plain', 'text/plain; version=0.0.4; charset=utf-8'),
                                 ('application/openmetrics-text', 'application/openmetrics-text; version=1.0.0; charset=utf-8')):
            content_type, text = cluster.metrics(accept)
            problems = problems_of(text, 'openmetrics' in accept)
            if content_type != expected:
                problems.append(f'Content-Type is {content_type}')
            results.append((f'{scheduler}: metrics as {accept} are well formed', problems))
            known |= {re.split(r'[ {]', line)[0] for line in text.split('\n') if line and not line.startswith('#')}
        results.append((f'{scheduler}: the cluster ends', ['failed'] if cluster.end() else []))
    names = names_in_contrib()
    results.append(('there are rules and dashboards', [] if len(names) > 10 else [f'{len(names)} names in contrib/']))
    results.append(('each metric that contrib/ names is there',
                    [f'{path}: {name}' for name, path in sorted(names.items()) if name not in known | WITH_MUNGE]))
    for number, (name, problems) in enumerate(results, 1):
        print(f"{'not ok' if problems else 'ok'} {number} - {name}")
        for problem in problems:
            print(f'# {problem}')
    print(f'1..{len(results)}')
    return 1 if any(problems for _, problems in results) else 0


if __name__ == '__main__':
    sys.exit(main())
