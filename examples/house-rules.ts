#!/usr/bin/env node
// House rules: one hook for Cursor, Claude Code and Codex, in TypeScript.
//
// `tenter run` turns the host's payload into the unified event on stdin and the response printed
// here into what the host obeys. Give this line to the host as the command of a hook:
//
//     Cursor       tenter run --host cursor -- node /path/to/house-rules.ts
//     Claude Code  tenter run --host claude -- node /path/to/house-rules.ts
//     Codex        tenter run --host codex -- node /path/to/house-rules.ts
//
// The configuration files are in README.md beside this file. Node 22.18 or newer runs it as it is:
// no build, no dependencies.

import { json } from "node:stream/consumers";

/** The part of `tenter schema event` that these rules look at. */
interface Event {
  event: string;
  tool?: string;
  tool_input?: { command?: unknown };
  files?: { path: string }[];
  stop_hook_active?: boolean;
  last_assistant_message?: string;
}

/** What `tenter schema response` describes. */
interface Response {
  decision?: "allow" | "deny" | "ask";
  reason?: string;
  user_message?: string;
  modified_input?: Record<string, unknown>;
  additional_context?: string;
}

/** The response to a unified event, or undefined for no opinion. */
function respond(event: Event): Response | undefined {
  switch (event.event) {
    case "SessionStart":
      return {
        additional_context:
          "House rules: no rm -rf, no secrets, ask before you write files from the shell.",
      };
    case "PreToolUse":
      return beforeTool(event);
    case "PostToolUseFailure":
      return { additional_context: "That failed; read the error before you try again." };
    case "Stop":
      if (!event.stop_hook_active && event.last_assistant_message?.includes("TODO")) {
        // A deny at Stop means: go on, and do what the reason says.
        return { decision: "deny", reason: "You left a TODO; finish it." };
      }
  }
}

function beforeTool({ tool, tool_input, files = [] }: Event): Response | undefined {
  if (files.some(({ path }) => baseName(path) === ".env")) {
    return {
      decision: "deny",
      reason: "secrets stay out of the conversation",
      user_message: "Kept the agent away from a secrets file.",
    };
  }
  const command = tool_input?.command;
  if (tool !== "Bash" || typeof command !== "string") return;
  if (command.includes("rm -rf")) {
    return { decision: "deny", reason: "rm -rf is blocked" };
  }
  if (command.includes(" > ")) {
    return { decision: "ask", reason: "this writes a file from the shell" };
  }
  if (command.startsWith("npm install")) {
    return { modified_input: { command: `p${command}` } };
  }
}

function baseName(path: string): string | undefined {
  return path.split(/[/\\]/).at(-1);
}

const response = respond((await json(process.stdin)) as Event);
if (response) console.log(JSON.stringify(response));
