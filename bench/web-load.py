#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Measure the web pages of a cluster: sizes, processor time of creel-web and creel-rm for each request. See web.sh.

usage: web-load.py PORT PID-OF-CREEL-WEB PID-OF-CREEL-RM pages|apps|master|overviews

The time of a request is the processor time that creel-web takes from before it until its answer is whole, since the time
on the clock depends on what else the machine does; that is printed, too.
"""
import gzip
import http.client
import os
import random
import re
import sys
import time

REQUESTS = int(os.environ.get('REQUESTS', '200'))
FOLLOWS_FOR_S = 12   # creel-web reads changes for some seconds after a request (web/net/feed.h)
ROUNDS = int(os.environ.get('ROUNDS', '20'))
VIEWERS, VIEWER_PERIOD_S, VIEWERS_FOR_S = 200, 5, int(os.environ.get('VIEWERS_FOR_S', '30'))   # the period is REFRESH_MS of page.js
port, web, rm, part = int(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4]


def cpu_s(pid, only_main=False):
    """Processor time of a process, or of its main thread, in nanoseconds that the scheduler counted."""
    threads = [pid] if only_main else os.listdir(f'/proc/{pid}/task')
    total = 0
    for thread in threads:
        with open(f'/proc/{pid}/task/{thread}/schedstat', encoding='ascii') as file:
            total += int(file.read().split()[0])
    return total / 1e9


class Client:
    def __init__(self):
        self.connection = http.client.HTTPConnection('127.0.0.1', port, timeout=30)

    def get(self, path, headers=None):
        self.connection.request('GET', path, headers=headers or {})
        answer = self.connection.getresponse()
        body = answer.read()
        if answer.status not in (200, 304):
            raise SystemExit(f'{path}: status {answer.status}')
        return answer, body


def quantile(values, of):
    return sorted(values)[min(len(values) - 1, int(len(values) * of))]


def measure(client, name, paths):
    took, clock, size, packed = [], [], 0, 0
    for path in paths:
        before, at = cpu_s(web), time.perf_counter()
        _, body = client.get(path)
        clock.append(time.perf_counter() - at)
        took.append(cpu_s(web) - before)
        size = max(size, len(body))
        packed = max(packed, len(gzip.compress(body)))
    ms = [1000 * quantile(values, of) for values in (took, clock) for of in (0.5, 0.99)]
    print(f'| {name} | {size / 1000:.1f} | {packed / 1000:.1f} | {ms[0]:.2f} | {ms[1]:.2f} | {ms[2]:.2f} | {ms[3]:.2f} |', flush=True)


def ids(client, path, pattern):
    return re.findall(pattern, client.get(path)[1].decode())


def pages():
    client = Client()
    apps = sorted(set(ids(client, '/cluster/apps?state=ALL&n=100', r'application_\d+_\d+')))
    nodes = sorted(set(ids(client, '/cluster/nodes', r'/cluster/node/([^"/?]+)"')))
    queues = sorted(set(ids(client, '/cluster/scheduler', r'/cluster/queue/(root\.q\d+)"')))
    print('| page | kB | kB, gzip | ms: median | 99 % | on the clock: median | 99 % |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: |')
    for name, paths in (
            ('overview', ['/cluster']), ('applications', ['/cluster/apps']), ('one application', [f'/cluster/app/{a}' for a in apps]),
            ('queues', ['/cluster/scheduler']), ('one queue', [f'/cluster/queue/{q}' for q in queues]), ('nodes', ['/cluster/nodes']),
            ('one node', [f'/cluster/node/{n}' for n in nodes]), ('history', ['/cluster/history']), ('configuration', ['/cluster/conf']),
            ('/metrics', ['/metrics'])):
        measure(client, name, [random.choice(paths) for _ in range(REQUESTS)])


def applications():
    client = Client()
    print('| 100 of all applications | kB | kB, gzip | ms: median | 99 % | on the clock: median | 99 % |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: |')
    for sort in ('age', 'name', 'user', 'queue', 'state', 'containers', 'memory', 'vcores', 'wait'):
        measure(client, f'by {sort}', [f'/cluster/apps?state=ALL&n=100&sort={sign}{sort}' for sign in ('', '-')] * (REQUESTS // 4))
    user = ids(client, '/cluster/apps?state=ALL&n=1', r'[?&;]user=([^"&]+)')
    for name, query in (('of a state', 'state=FINISHED'), ('of a queue', 'state=ALL&queue=root.q7'), ('of a user', f'state=ALL&user={user[0] if user else "root"}'),
                        ('of a user without any', 'state=ALL&user=nobody'), ('by a part of the name', 'state=ALL&name=benc'),
                        ('by a name that none has', 'state=ALL&name=none-has-it'), ('of a type', 'state=ALL&type=YARN'), ('of a reason', 'reason=NO_SPACE')):
        measure(client, name, [f'/cluster/apps?n=100&{query}'] * (REQUESTS // 2))
    for name, query in (('REST: limit=100', 'limit=100'), ('REST: of a state', 'limit=100&states=FINISHED'), ('REST: of a queue', 'limit=100&queue=q7')):
        measure(client, name, [f'/ws/v1/cluster/apps?{query}'] * (REQUESTS // 10))


def master():
    """What the resource manager spends while pages are read, beside as long a time without."""
    client, rounds, period_s = Client(), ROUNDS, 1
    spent = {True: 0, False: 0}
    for asked in (False, True):
        time.sleep(0 if asked else FOLLOWS_FOR_S)
        before = cpu_s(rm, True)
        for _ in range(rounds):
            if asked:
                client.get('/cluster')
            time.sleep(period_s)
        spent[asked] = (cpu_s(rm, True) - before) / (rounds * period_s)
    print(f'the loop of creel-rm takes {spent[True] * 1e3:.2f} ms a second while pages are read; without: {spent[False] * 1e3:.2f} ms')


def overviews():
    viewers = [[Client(), None] for _ in range(VIEWERS)]
    for client, _ in viewers:
        client.get('/cluster')
    before, master_before, start, answers, unchanged = cpu_s(web), cpu_s(rm, True), time.monotonic(), 0, 0
    while (now := time.monotonic() - start) < VIEWERS_FOR_S:
        viewer = viewers[answers % VIEWERS]
        answer, _ = viewer[0].get('/cluster', {'If-None-Match': viewer[1]} if viewer[1] else {})
        viewer[1] = answer.headers['ETag']
        unchanged += answer.status == 304
        answers += 1
        time.sleep(max(0, answers * VIEWER_PERIOD_S / VIEWERS - (time.monotonic() - start)))
    print(f'{VIEWERS} overviews, {answers / now:.0f} requests a second, {unchanged * 100 // answers} % unchanged: '
          f'creel-web {100 * (cpu_s(web) - before) / now:.1f} % of a core, creel-rm {100 * (cpu_s(rm, True) - master_before) / now:.1f} % (with its heartbeats)')


{'pages': pages, 'apps': applications, 'master': master, 'overviews': overviews}[part]()
