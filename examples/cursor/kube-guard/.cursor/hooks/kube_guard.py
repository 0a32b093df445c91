#!/usr/bin/env python3
"""Asks before `kubectl apply` touches production.

The namespace may stand in the command or in any document of a manifest, which is why the manifests
are read. Needs PyYAML. What cannot be checked is asked about as well: a guard that lets pass what it
does not understand is none.
"""

import json
import shlex
import sys
from pathlib import Path

PROTECTED = {"prod", "production"}


class CannotTell(Exception):
    """Why a command cannot be checked."""


def main():
    payload = json.load(sys.stdin)
    try:
        why = danger(payload.get("command", ""), Path(payload.get("cwd") or "."))
    except CannotTell as fault:
        print(f"kube_guard: {fault}", file=sys.stderr)
        why = f"it cannot be checked: {fault}"
    answer = {"permission": "allow"}
    if why:
        answer = {
            "permission": "ask",
            "user_message": f"kubectl apply needs your approval: {why}.",
            "agent_message": f"The user is asked about this kubectl apply, because {why}.",
        }
    print(json.dumps(answer))


def danger(command, cwd):
    """Why the human has to be asked about a command, or None."""
    words = split(command)
    programs = [Path(word).name for word in words]
    if "kubectl" not in programs or "apply" not in words[programs.index("kubectl") :]:
        return None
    for namespace in options(words, "-n", "--namespace"):
        if namespace in PROTECTED:
            return f"it names the namespace {namespace}"
    manifests = options(words, "-f", "--filename")
    if not manifests:
        raise CannotTell("it names no manifest file")
    for manifest in manifests:
        for document in documents(cwd / manifest):
            if is_protected(document):
                return f"{manifest} is for production"
    return None


def split(command):
    """The words of a shell command; `;`, `&&` and the like are words of their own."""
    lexer = shlex.shlex(command, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    try:
        return list(lexer)
    except ValueError as fault:
        raise CannotTell(f"the command cannot be read ({fault})") from fault


def options(words, short, long):
    """The values of an option: `-n x`, `-nx`, `-n=x`, `--namespace x`, `--namespace=x`."""
    values = []
    for word, following in zip(words, words[1:] + [""]):
        if word in (short, long):
            values.append(following)
        elif word.startswith(long + "="):
            values.append(word[len(long) + 1 :])
        elif word.startswith(short) and not word.startswith("--"):
            values.append(word[len(short) :].lstrip("="))
    return values


def documents(manifest):
    """Every YAML document of a file or of the files in a folder."""
    try:
        import yaml
    except ImportError as fault:
        raise CannotTell("PyYAML is missing; install it (`pip install pyyaml`)") from fault
    files = [manifest]
    if manifest.is_dir():
        files = [file for file in manifest.rglob("*") if file.suffix in (".yaml", ".yml", ".json")]
    for file in files:
        try:
            yield from yaml.safe_load_all(file.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError, yaml.YAMLError) as fault:
            line = " ".join(str(fault).split())
            raise CannotTell(f"{file.name} cannot be read ({line})") from fault


def is_protected(document):
    if not isinstance(document, dict):
        return False
    metadata = document.get("metadata") or {}
    names = {metadata.get("namespace")} if isinstance(metadata, dict) else set()
    if document.get("kind") == "Namespace" and names:
        names.add(metadata.get("name"))
    items = document.get("items") or []
    return bool(names & PROTECTED) or any(map(is_protected, items if isinstance(items, list) else []))


if __name__ == "__main__":
    main()
