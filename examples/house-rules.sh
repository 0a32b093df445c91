#!/usr/bin/env bash
# House rules: one hook for Cursor, Claude Code and Codex, in bash and jq.
#
# `tenter run` turns the host's payload into the unified event on stdin and the response printed
# here into what the host obeys. Give this line to the host as the command of a hook:
#
#     Cursor       tenter run --host cursor -- bash /path/to/house-rules.sh
#     Claude Code  tenter run --host claude -- bash /path/to/house-rules.sh
#     Codex        tenter run --host codex -- bash /path/to/house-rules.sh
#
# The configuration files are in README.md beside this file. The rules are one jq program: the
# event goes in, a response or nothing (no opinion) comes out.
set -euo pipefail

exec jq --compact-output '
  def base_name: split("[/\\\\]"; null) | last;

  def before_tool:
    if any(.files[]?; .path | base_name == ".env") then
      {
        decision: "deny",
        reason: "secrets stay out of the conversation",
        user_message: "Kept the agent away from a secrets file."
      }
    elif .tool == "Bash" then
      .tool_input.command
      | strings
      | if contains("rm -rf") then
          { decision: "deny", reason: "rm -rf is blocked" }
        elif contains(" > ") then
          { decision: "ask", reason: "this writes a file from the shell" }
        elif startswith("npm install") then
          { modified_input: { command: ("p" + .) } }
        else empty end
    else empty end;

  if .event == "SessionStart" then
    { additional_context:
        "House rules: no rm -rf, no secrets, ask before you write files from the shell." }
  elif .event == "PreToolUse" then
    before_tool
  elif .event == "PostToolUseFailure" then
    { additional_context: "That failed; read the error before you try again." }
  elif .event == "Stop"
    and .stop_hook_active != true
    and (.last_assistant_message // "" | contains("TODO")) then
    # A deny at Stop means: go on, and do what the reason says.
    { decision: "deny", reason: "You left a TODO; finish it." }
  else empty end
'
