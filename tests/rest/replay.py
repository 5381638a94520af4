#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Send recorded requests to YARN to creel's REST interface, and compare the structure of the replies.

replay.py CLUSTER    CLUSTER is the program tests/rest/cluster. Prints TAP.

shapes.json has a list of situations. Each has a scheduler, commands that prepare the cluster, and questions: method,
path, Accept, body, and the status, content type and shape of the reply of YARN 3.4.1. A shape is a list of names and
types in their order: {"name": SHAPE}, [SHAPE of all elements], "int", "real", "text", "bool". A name that ends in "?"
is missing in some elements of a list. APP1 in a path or body is the first application that was submitted, or whose id
was assigned.
DIFFERENCES and STATUSES below, and the member "differs" of a question, list the intended differences of creel's
replies and their reasons.
"""
import json
import os
import re
import subprocess
import sys
import urllib.error
import urllib.request
import xml.etree.ElementTree

# (path as regular expression, place in the shape as regular expression, reason)
DIFFERENCES = [
    (r'.*', r'.*\.creelVersion$', 'creel shows its own version, too'),
    (r'.*/nodes.*', r'.*\.creel(Silent|LostAtMs)$', 'creel marks nodes whose agents are silent'),
    (r'.*/apps(\?.*)?$', r'.*\.resourceRequests.*', 'is in the document of one application, and not in lists'),
    (r'.*/apps.*', r'.*\.(logAggregationStatus|nodesBlacklistedBySystem)$',
     'is also in the answer to a user who may not see the application; it has no information for that user'),
    (r'.*/scheduler/activities.*', r'.*', 'why applications wait is known at once, not after the next heartbeat'),
    (r'.*/scheduler/app-activities.*', r'.*', 'the same'),
    (r'.*/apps.*', r'.*\.(appNodeLabelExpression|amNodeLabelExpression|trackingUrl)$',
     'is there in all states'),
]
# (method and path, YARN's status, creel's, reason)
STATUSES = [
    (r'GET /ws/v1/cluster/info', 500, 406, 'the type is not acceptable'),
    (r'GET /ws/v1/cluster/info', 503, 406, 'the type is not acceptable'),
    (r'GET .*/apps/application_1_0001', 500, 404, 'no such application, in XML, too'),
    (r'(PUT|POST|DELETE) .*', 503, 405, 'the method is not allowed'),
    (r'PUT .*/state.*', 503, 415, 'the type of the body is not known'),
    (r'PUT .*/state.*', 503, 200, 'the root name around a body is understood everywhere'),
    (r'PUT .*/priority.*', 503, 200, 'the fair scheduler has priorities of applications, too'),
    (r'PUT .*', 503, 400, 'the request is wrong, not the server'),
    (r'POST .*/reservation/.*', 503, 501, 'there are no reservations'),
    (r'POST .*/reservation/.*', 400, 501, 'there are no reservations'),
]


def resource(number, nothing):
    return {'memory': number, 'vCores': number, 'resourceInformations': {'resourceInformation': [
        {'attributes': nothing, 'maximumAllocation': number, 'minimumAllocation': number, 'name': 'text',
         'resourceType': 'text', 'units': 'text', 'value': number}]}}


# Abbreviations in shapes.json.
NAMED = {'RES': resource('int', {}), 'MAPPED-RES': resource('text', 'null')}


def shape_of_json(value):
    if isinstance(value, dict):
        return {k: shape_of_json(v) for k, v in value.items()}
    if isinstance(value, list):
        return [merged([shape_of_json(v) for v in value])] if value else []
    if isinstance(value, bool):
        return 'bool'
    if value is None:
        return 'null'
    return {int: 'int', float: 'real', str: 'text'}[type(value)]


def pairs(items):
    """YARN repeats the key "entry" in maps: a list, as creel writes it."""
    result = {}
    for key, value in items:
        if key in result:
            result[key] = (result[key] if isinstance(result[key], list) else [result[key]]) + [value]
        else:
            result[key] = value
    return result


def shape_of_xml(element):
    if len(element) == 0:
        return 'text'
    grouped = {}
    for child in element:
        grouped.setdefault(re.sub(r'\{.*\}', '', child.tag), []).append(shape_of_xml(child))
    return {tag: merged(shapes) for tag, shapes in grouped.items()}


def merged(shapes):
    """One shape for all: keys that some lack end in "?"."""
    if all(isinstance(s, list) for s in shapes):
        elements = [e for s in shapes for e in s]
        return [merged(elements)] if elements else []
    objects = [s for s in shapes if isinstance(s, dict)]
    if len(objects) < len(shapes):
        return objects[0] if objects else next((s for s in shapes if s), shapes[0])
    keys = []
    for shape in objects:
        at = 0
        for key in shape:
            name = key.rstrip('?')
            if name in keys:
                at = keys.index(name) + 1
            else:
                keys.insert(at, name)
                at += 1
    result = {}
    for key in keys:
        have = [s[k] for s in objects for k in (key, key + '?') if k in s]
        everywhere = len(have) == len(objects) and not any(key + '?' in s for s in objects)
        result[key if everywhere else key + '?'] = merged(have)
    return result


def shape_of(body, content_type):
    if 'xml' in content_type:
        try:
            root = xml.etree.ElementTree.fromstring(body)
        except xml.etree.ElementTree.ParseError:
            return 'bare text'
        return {root.tag: shape_of_xml(root)}
    try:
        return shape_of_json(json.loads(body, object_pairs_hook=pairs))
    except ValueError:
        return 'bare text'


def compare(expected, actual, place, problems):
    if isinstance(expected, str):
        expected = NAMED.get(expected, expected)
    if isinstance(expected, dict) and isinstance(actual, dict):
        compare_objects(expected, actual, place, problems)
    elif isinstance(expected, list) and isinstance(actual, list):
        if expected and actual:
            compare(expected[0], actual[0], place + '[]', problems)
    elif expected != actual and 'any' not in (expected, actual):
        # An object without members has the shape {}; one element or many of a mapped list differ in form.
        if isinstance(expected, list) and expected and isinstance(actual, dict):
            compare(expected[0], actual, place, problems)
        elif isinstance(actual, list) and actual and isinstance(expected, dict):
            compare(expected, actual[0], place, problems)
        elif {} not in (expected, actual) and [] not in (expected, actual):
            problems.append((place, f'is {kind(actual)}, in YARN {kind(expected)}'))


def kind(shape):
    return shape if isinstance(shape, str) else 'an object' if isinstance(shape, dict) else 'a list'


def compare_objects(expected, actual, place, problems):
    if not expected or not actual:
        return                          # nothing is there now
    names = {k.rstrip('?'): k for k in actual}
    order = [k.rstrip('?') for k in expected if k.rstrip('?') in names]
    if order != [k for k in names if k in order]:
        problems.append((place, 'the members are in another order'))
    for key, shape in expected.items():
        name = key.rstrip('?')
        if name in names:
            compare(shape, actual[names[name]], f'{place}.{name}', problems)
        elif not key.endswith('?'):
            problems.append((f'{place}.{name}', 'is missing'))
    known = {k.rstrip('?') for k in expected}
    for name in names:
        if name not in known:
            problems.append((f'{place}.{name}', 'is not in YARN'))


class Cluster:
    def __init__(self, program, scheduler):
        self.process = subprocess.Popen([program, scheduler], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True)
        self.url = self.process.stdout.readline().strip()
        self.apps = []

    def command(self, line):
        self.process.stdin.write(line + '\n')
        self.process.stdin.flush()
        answer = self.process.stdout.readline().strip()
        if line.startswith('submit'):
            self.apps.append(answer)

    def named(self, text):
        for i, app in enumerate(self.apps):
            text = text.replace(f'APP{i + 1}', app)
            text = text.replace(f'ATTEMPT{i + 1}', app.replace('application', 'appattempt') + '_000001')
            text = text.replace(f'CONTAINER{i + 1}', app.replace('application', 'container') + '_01_000001')
        return text

    def ask(self, question):
        status, content_type, body = self.send(question, self.named(question['path']))
        if question['path'].split('?')[0].endswith('/new-application') and status == 200:
            self.apps.append(json.loads(body)['application-id'])
        return status, content_type, body

    def send(self, question, path):
        body = self.named(question['body']) if 'body' in question else None
        request = urllib.request.Request(self.url + path, method=question['method'],
                                         data=body.encode() if body is not None else None)
        # The library invents headers where there are none.
        request.add_header('Accept', question.get('accept') or '*/*')
        request.add_header('Content-Type', question.get('content') or '')
        try:
            with urllib.request.urlopen(request, timeout=10) as answer:
                return answer.status, answer.headers.get('Content-Type') or '', answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.headers.get('Content-Type') or '', error.read().decode()

    def end(self):
        self.process.stdin.close()
        return self.process.wait(timeout=20)


def expected_status(question):
    line = f"{question['method']} {question['path']}"
    if 'differs' in question:           # creel's status, and the reason
        return question['differs'][:1]
    return [ours for pattern, yarns, ours, _ in STATUSES
            if yarns == question['status'] and re.fullmatch(pattern, line)] or [question['status']]


def judge(question, status, content_type, body):
    problems = []
    allowed = expected_status(question)
    if status not in allowed:
        problems.append(('status', f'{status}, in YARN {question["status"]}: {body[:200]}'))
    if status != question['status']:
        return problems                 # an error of creel's own
    if content_type.replace(' ', '') != question['type'].replace(' ', ''):
        problems.append(('Content-Type', f'{content_type}, in YARN {question["type"]}'))
    if question['shape'] is not None:
        compare(question['shape'], shape_of(body, content_type), '', problems)
    return [(place, text) for place, text in problems
            if not any(re.fullmatch(p, question['path']) and re.fullmatch(q, place) for p, q, _ in DIFFERENCES)]


def main():
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), 'shapes.json'), encoding='utf-8') as file:
        situations = json.load(file)
    number = failed = 0
    for situation in situations:
        cluster = Cluster(sys.argv[1], situation['scheduler'])
        for command in situation['commands']:
            cluster.command(command)
        for question in situation['questions']:
            number += 1
            problems = judge(question, *cluster.ask(question))
            failed += bool(problems)
            accept = f" as {question['accept']}" if question.get('accept') else ''
            print(f"{'not ok' if problems else 'ok'} {number} - {situation['name']}: "
                  f"{question['method']} {question['path']}{accept}")
            for place, text in problems:
                print(f'# {place}: {text}')
        if cluster.end() != 0:
            failed += 1
            print('# the cluster failed')
    print(f'1..{number}')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
