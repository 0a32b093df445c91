#!/bin/sh
# Appends every event to a log, one line each: the time, then the payload as Cursor sent it.
# Nothing is printed, so nothing is decided.
set -eu

log=${AGENT_AUDIT_LOG:-${CURSOR_PROJECT_DIR:-.}/.cursor/hooks/state/audit.log}
mkdir -p "$(dirname "$log")"

# Payloads hold prompts, commands and contents of files: only the owner may read the log.
umask 077
# A line break in JSON is only ever white space.
payload=$(tr -d '\r\n')
printf '%s %s\n' "$(date -u +%Y-%m-%dT%H:%M:%SZ)" "$payload" >> "$log"
