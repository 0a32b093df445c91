#!/bin/sh
# Keeps the agent off raw git: `git` is denied, `gh` needs the human's yes, the rest passes.
# Needs jq, which also writes the answer: a command may hold quotes and line breaks.
#
# This looks at the words of the command. It guides an agent that means well and stops nobody else.
set -eu

exec jq --compact-output '
  # The program as a word of its own: `/usr/bin/git`, not `.git/config` or `legit`.
  def names($program):
    test("(^|[^A-Za-z0-9_.-])" + $program + "($|[^A-Za-z0-9_./-])");

  (.command // "") as $command
  | if $command | names("git") then
      {
        permission: "deny",
        user_message: "Blocked a git command: this project works through the GitHub CLI.",
        agent_message: (
          "A hook blocked `\($command)`. Use `gh` in place of git: `gh repo clone` to clone, "
          + "`gh repo sync` to bring a branch up to date, `gh pr` for pull requests. "
          + "If gh has no such command, tell the user what you need."
        )
      }
    elif $command | names("gh") then
      {
        permission: "ask",
        user_message: "The agent wants to use the GitHub CLI: \($command)",
        agent_message: "`\($command)` acts on GitHub with the account of the user, who is asked first."
      }
    else
      { permission: "allow" }
    end
'
