#!/usr/bin/env python3
"""Sends a prompt to a session of `pi serve` and prints the answer: `python3 main.py http://127.0.0.1:4711 "Show me around"`.

PI_TOKEN_FILE names the file of the token (`pi serve --json` prints it). PI_SESSION is the id of a session to continue; without it, one begins
in the folder of the server, with the model PI_MODEL.
"""

import os
import sys
from pathlib import Path

from pi_serve import PiError, Record, Session


def answer(dialog: Record) -> object:
    """Asks at the terminal; without one, the dialog is cancelled."""
    if dialog["method"] != "confirm" or not sys.stdin.isatty():
        print(f"[{dialog['method']}] {dialog.get('title', '')}", file=sys.stderr)
        return None
    return input(f"{dialog['title']}\n{dialog['message']}\nAllow? [y/N] ").strip().lower() == "y"


def main() -> int:
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    _, url, prompt = sys.argv
    token = Path(os.environ.get("PI_TOKEN_FILE", "~/.pi/agent/serve-token")).expanduser().read_text().strip()
    options = {"model": os.environ["PI_MODEL"]} if "PI_MODEL" in os.environ else {}
    failure = ""
    try:
        session = Session(url, token, os.environ.get("PI_SESSION", ""), answer, **options)
        print(f"session {session.id}", file=sys.stderr)
        for event in session.prompt(prompt):
            if event["type"] == "message_update" and event["assistantMessageEvent"]["type"] == "text_delta":
                print(event["assistantMessageEvent"]["delta"], end="", flush=True)
            elif event["type"] == "tool_execution_start":
                print(f"[{event['toolName']}]", flush=True)
            elif event["type"] == "message_end" and event["message"]["role"] == "assistant":
                print()
                failure = event["message"].get("errorMessage", "") if event["message"]["stopReason"] == "error" else ""
    except PiError as error:
        failure = str(error)
    if failure:
        print(failure, file=sys.stderr)
    return 1 if failure else 0


if __name__ == "__main__":
    sys.exit(main())
