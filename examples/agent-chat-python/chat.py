#!/usr/bin/env python3
"""A chat with the agent in a terminal: `python3 chat.py --model demo/tour "Show me around"`.

Talks to `pi agent-rpc` over its stdin and stdout, one JSON object a line. Asks you before the agent does something
risky, and how to go on when it is stuck. Needs nothing but Python 3.9 and pi.
"""

import argparse
import json
import shlex
import subprocess
import sys


class ChatError(Exception):
    """The chat failed, or was refused."""


class AgentChat:
    """A `pi agent-rpc` process. `approve` and `clarify` are called with the data of the agent's questions."""

    def __init__(self, command, approve, clarify):
        self.approve = approve
        self.clarify = clarify
        self.process = subprocess.Popen(
            [*command, "agent-rpc"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8"
        )

    def chat(self, message, **params):
        """Yields (event, data) for all that happens; the last one is `done`."""
        self.send("agent_chat", message=message, **params)
        for line in self.process.stdout:
            record = json.loads(line)
            event, data = record["event"], record["data"]
            if event == "error":
                # While a chat is going, pi also tells of errors that do not end it.
                if not data["ends_chat"] and data["code"] == "internal":
                    print(f"pi: {data['message']}", file=sys.stderr)
                    continue
                raise ChatError(data["message"])
            yield event, data
            if event == "confirmation_request":
                self.send("confirm", approved=self.approve(data))
            elif event == "clarification_request":
                self.send("clarify", **self.clarify(data))
            elif event == "done":
                return
        raise ChatError(f"pi ended with exit code {self.process.wait()}.")

    def send(self, method, **params):
        self.process.stdin.write(json.dumps({"method": method, "params": params}) + "\n")
        self.process.stdin.flush()

    def close(self):
        """Ends pi, with everything that it has started, and returns its exit code."""
        self.process.stdin.close()
        self.process.stdout.close()
        return self.process.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_error):
        self.close()


def ask(question):
    """What the person at the terminal says; nothing when nobody is there."""
    try:
        return input(question).strip()
    except EOFError:
        return ""


def approve_at_terminal(data):
    print(f"\n{data['prompt']}")
    return ask("Allow it? [y/N] ").lower() in ("y", "yes")


def clarify_at_terminal(data):
    print(f"\n{data['message']}")
    hint = ask("A hint to go on with, or nothing to stop: ")
    return {"action": "continue", "hint": hint} if hint else {"action": "stop"}


def show(event, data):
    if event == "text_chunk":
        print(data["text"], end="", flush=True)
    elif event == "text":
        print()
    elif event == "tool_call":
        print(f"[{data['name']} {data['arguments']}]")
    elif event == "command_output":
        print(data["chunk"])
    elif event == "preview_ready":
        print(f"[preview: {data['url']}]")
    elif event == "done" and not data["task_completed"]:
        print("[not completed]")


def main():
    parser = argparse.ArgumentParser(description="Chat with the agent of pi.")
    parser.add_argument("message", nargs="+", help="messages to send, one after another")
    parser.add_argument("--pi", default="pi", help="the command that starts pi (default: pi)")
    parser.add_argument("--key", default="default", help="names the conversation to go on with")
    parser.add_argument("--model", help="id, or provider/id")
    options = parser.parse_args()
    params = {"session_key": options.key, "config": {"model": options.model}}
    with AgentChat(shlex.split(options.pi), approve_at_terminal, clarify_at_terminal) as agent:
        for message in options.message:
            try:
                for event, data in agent.chat(message, **params):
                    show(event, data)
            except ChatError as error:
                sys.exit(f"chat.py: {error}")


if __name__ == "__main__":
    main()
