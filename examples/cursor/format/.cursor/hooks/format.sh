#!/bin/sh
# Tidies the file the agent has just edited: no white space at the end of lines, one line break at
# the end of the file. Put your own formatter in the place of `sed`. Needs jq.
set -eu
# Bytes that are no valid text must come through as they are.
export LC_ALL=C

file=$(jq --raw-output '.file_path // empty')

# Only files of this project, and of those only text.
case $file in
  */../*) exit 0 ;;
  "${CURSOR_PROJECT_DIR:?}"/*) ;;
  *) exit 0 ;;
esac
case $file in
  # Two spaces at the end of a line mean something in Markdown.
  *.md) exit 0 ;;
esac
[ -f "$file" ] && grep -Iq . "$file" || exit 0

tidy=$(mktemp)
trap 'rm -f "$tidy"' EXIT
sed 's/[[:blank:]]*$//' "$file" > "$tidy"
# `$(...)` drops the line breaks at the end, however many; printf puts one back.
text=$(cat "$tidy")
printf '%s\n' "$text" > "$tidy"
# Written into the file, which so keeps its owner and mode, and only if there is something to change.
cmp -s "$tidy" "$file" || cat "$tidy" > "$file"
