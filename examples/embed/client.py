#!/usr/bin/env python3
"""Cursor's hooks for an agent in Python: one `tenter serve` as a subprocess. Python 3.9 or newer."""

import itertools
import json
import os
import subprocess
import sys
import threading
from concurrent.futures import Future, ThreadPoolExecutor

TENTER = os.environ.get("TENTER", "tenter")


class Hooks:
    """The hooks of a project. `fire` may be called from many threads at a time."""

    def __init__(self, project, *options):
        command = [TENTER, "serve", "--stdio", "--project", project, *options]
        pipe = subprocess.PIPE
        self._server = subprocess.Popen(command, stdin=pipe, stdout=pipe, encoding="utf-8")
        self._lock, self._ids, self._waiting = threading.Lock(), itertools.count(), {}
        self._ready = Future()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self._ready.result()

    def fire(self, event, payload):
        """The outcome of an event. Raises if there is none: then the action must not happen."""
        number = next(self._ids)
        answer = self._waiting[number] = Future()
        self._send({"id": number, "event": event, "payload": payload})
        return answer.result()

    def close(self):
        """Lets the hooks that are running finish."""
        self._send({"shutdown": True})
        self._reader.join()
        self._server.wait()

    def _send(self, request):
        with self._lock:
            self._server.stdin.write(json.dumps(request) + "\n")
            self._server.stdin.flush()

    def _read(self):
        for message in map(json.loads, self._server.stdout):
            answer = self._waiting.pop(message.get("id"), None)
            if "notice" in message:
                print("notice:", message["notice"], file=sys.stderr)
                if message["notice"] == "ready":
                    self._ready.set_result(message)
            elif answer and "error" in message:
                answer.set_exception(RuntimeError(message["error"]["message"]))
            elif answer:
                answer.set_result(message["outcome"])
        for answer in [self._ready, *self._waiting.values()]:
            if not answer.done():
                answer.set_exception(RuntimeError("the hooks have ended"))


def main(project, *commands):
    hooks = Hooks(project, "--trust")  # Ask your user first: the hooks are the project's.

    def decide(command):
        outcome = hooks.fire("beforeShellExecution", {"command": command, "cwd": project})
        verdict = "refuse" if outcome["blocked"] else "ask" if outcome["asks"] else "run"
        why = outcome["answer"].get("agent_message")
        return f"{verdict}: {command}" + (f" ({why})" if why else "")

    with ThreadPoolExecutor() as pool:
        for line in pool.map(decide, commands):
            print(line)
    hooks.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
