#!/usr/bin/env python3
"""House rules: one hook for Cursor, Claude Code and Codex, in Python.

`tenter run` turns the host's payload into the unified event on stdin and the response printed
here into what the host obeys. Give this line to the host as the command of a hook:

    Cursor       tenter run --host cursor -- python3 /path/to/house-rules.py
    Claude Code  tenter run --host claude -- python3 /path/to/house-rules.py
    Codex        tenter run --host codex -- python3 /path/to/house-rules.py

The configuration files are in README.md beside this file. Standard library only.
"""

import json
import re
import sys


def respond(event):
    """The response to a unified event, or None for no opinion."""
    kind = event.get("event")
    if kind == "SessionStart":
        return {
            "additional_context": "House rules: no rm -rf, no secrets, "
            "ask before you write files from the shell."
        }
    if kind == "PreToolUse":
        return before_tool(event)
    if kind == "PostToolUseFailure":
        return {"additional_context": "That failed; read the error before you try again."}
    if kind == "Stop" and not event.get("stop_hook_active"):
        if "TODO" in event.get("last_assistant_message", ""):
            # A deny at Stop means: go on, and do what the reason says.
            return {"decision": "deny", "reason": "You left a TODO; finish it."}
    return None


def before_tool(event):
    if any(base_name(file["path"]) == ".env" for file in event.get("files", [])):
        return {
            "decision": "deny",
            "reason": "secrets stay out of the conversation",
            "user_message": "Kept the agent away from a secrets file.",
        }
    command = event.get("tool_input", {}).get("command")
    if event.get("tool") != "Bash" or not isinstance(command, str):
        return None
    if "rm -rf" in command:
        return {"decision": "deny", "reason": "rm -rf is blocked"}
    if " > " in command:
        return {"decision": "ask", "reason": "this writes a file from the shell"}
    if command.startswith("npm install"):
        return {"modified_input": {"command": "p" + command}}
    return None


def base_name(path):
    return re.split(r"[/\\]", path)[-1]


# The bytes, not the text: on Windows the text would be decoded in the wrong encoding.
response = respond(json.load(sys.stdin.buffer))
if response is not None:
    print(json.dumps(response))
