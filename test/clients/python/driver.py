"""Runs the scenarios of one module, as it is told line by line: {"scenario", "base", "key", "args"} in, one JSON value out.

What a scenario raises is an answer too: {"raised": …}, because most tests of errors are about what a client raises.
"""

import importlib
import json
import sys
import time

slept = []
real_sleep = time.sleep


def sleep(seconds):
    """A retry's wait is noted instead of waited for: how long it is, is what the tests are about."""
    slept.append(seconds)


def describe(error):
    """An exception of either client, by what a caller can read of it."""
    fields = {"class": type(error).__name__, "bases": [base.__name__ for base in type(error).__mro__[1:-2]], "text": str(error)}
    for name in ("status_code", "code", "param", "type", "request_id", "body", "message"):
        fields[name] = getattr(error, name, None)
    return fields


def main():
    scenarios = importlib.import_module(sys.argv[1])
    time.sleep = sleep
    for line in sys.stdin:
        asked = json.loads(line)
        slept.clear()
        replies = []
        client = scenarios.client(asked["base"], asked["key"], replies.append)
        try:
            answer = {"value": getattr(scenarios, asked["scenario"])(client, **asked["args"])}
        except Exception as error:
            answer = {"raised": describe(error)}
        told = [response.headers.get("retry-after-ms") for response in replies]
        answer.update(statuses=[response.status_code for response in replies], told=told, slept=list(slept))
        print(json.dumps(answer, default=str), flush=True)


main()
