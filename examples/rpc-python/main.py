#!/usr/bin/env python3
"""Asks pi something that only this program knows: `python3 main.py --model anthropic/… "What is in stock?"`.

The model can look into the stock of a shop, which is a dictionary here, and you are asked before it does something risky.
The prompt comes last; what stands before it are options of pi. PI names the program to run; default: pi.
"""

import os
import shlex
import sys
from typing import Optional

from pi_client import HostTool, Pi, PiError, Record, ToolCall

STOCK = {"apples": 12, "pears": 0}


def look_up(call: ToolCall) -> str:
    item = call.arguments["item"]
    call.update(f"looking for {item}")
    if item not in STOCK:
        raise KeyError(f"there are no {item} in this shop, only {', '.join(STOCK)}")
    return f"{STOCK[item]} {item}"


STOCK_TOOL = HostTool(
    name="stock",
    description="Tells how many of an item are in stock.",
    parameters={"type": "object", "properties": {"item": {"type": "string"}}, "required": ["item"]},
    run=look_up,
)


def answer(dialog: Record) -> Optional[bool]:
    """Asks at the terminal; without one, everything is cancelled."""
    if dialog["method"] != "confirm" or not sys.stdin.isatty():
        print(f"[{dialog['method']}] {dialog.get('title') or dialog.get('message', '')}", file=sys.stderr)
        return None
    return input(f"{dialog['title']}\n{dialog['message']}\nAllow? [y/N] ").strip().lower() == "y"


def main() -> int:
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    *options, prompt = sys.argv[1:]
    command = [*shlex.split(os.environ.get("PI", "pi")), "--approval", "on-risk", "--stream", "deltas", *options]
    try:
        with Pi(command, tools=[STOCK_TOOL], answer=answer) as pi:
            failure = show(pi, prompt)
            cost = pi.request("get_session_stats")["cost"]
            print(f"({cost:.4f} USD)", file=sys.stderr)
    except PiError as error:
        failure = str(error)
    if failure:
        print(failure, file=sys.stderr)
    return 1 if failure else 0


def show(pi: Pi, prompt: str) -> str:
    """Prints the answers as they come. Returns why the last one failed; empty when it did not."""
    failure = ""
    for event in pi.prompt(prompt):
        kind = event["type"]
        if kind == "message_update" and event["assistantMessageEvent"]["type"] == "text_delta":
            print(event["assistantMessageEvent"]["delta"], end="", flush=True)
        elif kind == "tool_execution_update":
            print(f"[{event['toolName']}: {event['partialResult']['content'][0]['text']}]", flush=True)
        elif kind == "tool_execution_end":
            print(f"[{event['toolName']}: {event['result']['content'][0]['text']}]", flush=True)
        elif kind == "message_end" and event["message"]["role"] == "assistant":
            print()
            failure = event["message"].get("errorMessage", "") if event["message"]["stopReason"] == "error" else ""
    return failure


if __name__ == "__main__":
    sys.exit(main())
