#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Validate JSON against the schemas: valid-json.py SCHEMAS DIRECTORY

SCHEMAS is a folder. Each DIRECTORY/*.json must be one object of a kind that has a schema, with at least one item. Each line of a
DIRECTORY/*.jsonl must be an item of the kind of the .json file with the same name. Prints one line for each error.
"""
import glob
import json
import os
import sys

import jsonschema


def schema_of(kind, schemas):
    with open(os.path.join(schemas, "%s.json" % kind)) as file:
        return json.load(file)


def validate(answer, schemas):
    schema = schema_of(answer.get("kind"), schemas)
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.Draft202012Validator(
        schema, format_checker=jsonschema.FormatChecker()).validate(answer)
    if not answer["items"]:
        raise ValueError("no items to judge by")


def judge(name, schemas):
    with open(name) as file:
        answer = json.load(file)
    validate(answer, schemas)
    with open(name + "l") as file:
        lines = [json.loads(line) for line in file]
    validate(dict(answer, items=lines), schemas)


def main():
    bad = 0
    for name in sorted(glob.glob(os.path.join(sys.argv[2], "*.json"))):
        try:
            judge(name, sys.argv[1])
        except (OSError, ValueError, jsonschema.ValidationError) as error:
            where = ".".join(str(part) for part in getattr(error, "absolute_path", ()))
            print("%s: %s %s" % (os.path.basename(name), where, getattr(error, "message", error)))
            bad += 1
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
