"""A client for `pi --mode rpc`, with host tools and dialogs. Needs nothing but Python 3.9 and pi.

    with Pi(["pi", "--model", "demo/tour"]) as pi:
        for event in pi.prompt("Show me around"):
            ...
"""

from __future__ import annotations

import contextlib
import itertools
import json
import queue
import subprocess
import threading
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence

Record = Dict[str, Any]


class PiError(Exception):
    """pi refused a command, or has ended."""


@dataclass
class ToolCall:
    """A call of a host tool. Look at `cancelled` in what takes long; its result is not wanted any more then."""

    arguments: Dict[str, Any]
    update: Callable[[str], None]
    cancelled: threading.Event = field(default_factory=threading.Event)


@dataclass
class HostTool:
    """A tool that this program runs for the model. What `run` raises becomes an error that the model reads."""

    name: str
    description: str
    parameters: Dict[str, Any]
    run: Callable[[ToolCall], str]


#: Answers a dialog: a bool for `confirm`, a text for the others, None to cancel. `notify` and its like want no answer.
Answerer = Callable[[Record], Any]


class Pi:
    """A pi process. Events come in order; commands may be sent from any thread."""

    def __init__(
        self,
        command: Sequence[str] = ("pi",),
        tools: Sequence[HostTool] = (),
        answer: Answerer = lambda dialog: None,
    ) -> None:
        self._tools = {tool.name: tool for tool in tools}
        self._answer = answer
        self._ids = itertools.count(1)
        self._waiting: Dict[int, "queue.Queue[Optional[Record]]"] = {}
        self._calls: Dict[str, ToolCall] = {}
        self._events: "queue.Queue[Optional[Record]]" = queue.Queue()
        self._lock = threading.Lock()
        self._has_ended = False
        # In bytes: a line ends at LF alone then, as a record does. In a session of its own: an interrupt from the keyboard, or of a notebook,
        # is for this program, which can abort the run.
        self._process = subprocess.Popen(
            [*command, "--mode", "rpc"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
        )
        threading.Thread(target=self._read, daemon=True).start()
        if tools:
            fields = ("name", "description", "parameters")
            try:
                self.request("set_host_tools", tools=[{name: getattr(tool, name) for name in fields} for tool in tools])
            except PiError:
                self.close()
                raise

    def request(self, type: str, **fields: Any) -> Any:
        """Sends a command and returns the data of its answer. Raises PiError when it is refused."""
        answer: "queue.Queue[Optional[Record]]" = queue.Queue(1)
        with self._lock:
            id = next(self._ids)
            self._waiting[id] = answer
            if self._has_ended:
                answer.put(None)
        self._send({"id": id, "type": type, **fields})
        response = answer.get()
        if response is None:
            raise PiError(f"pi ended before it answered {type}.")
        if not response["success"]:
            raise PiError(f"{type}: {response['error']}")
        return response.get("data")

    def prompt(self, message: str, **fields: Any) -> Iterator[Record]:
        """Sends a prompt and yields what happens until all that it started is done. Closed before that, or interrupted, it aborts the run."""
        self.request("prompt", message=message, **fields)
        is_settled = False
        try:
            while not is_settled:
                event = self._next_event()
                is_settled = event["type"] == "agent_settled"
                yield event
        except (GeneratorExit, KeyboardInterrupt):
            if not is_settled:
                self.request("abort")
                while self._next_event()["type"] != "agent_settled":
                    pass
            raise

    def close(self) -> int:
        """Ends pi, with everything that it has started, and returns its exit code."""
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):  # it has ended by itself
            self._process.stdin.close()
        return self._process.wait()

    def __enter__(self) -> "Pi":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _next_event(self) -> Record:
        event = self._events.get()
        if event is None:
            raise PiError(f"pi ended with exit code {self._process.wait()}.")
        return event

    def _send(self, record: Record) -> None:
        line = json.dumps(record).encode() + b"\n"
        assert self._process.stdin is not None
        try:
            with self._lock:
                self._process.stdin.write(line)
                self._process.stdin.flush()
        except (BrokenPipeError, ValueError):
            pass  # it has ended, which the reader tells to whoever waits

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            record = json.loads(line)
            kind = record["type"]
            if kind == "response":
                with self._lock:
                    answer = self._waiting.pop(record.get("id"), None)
                if answer is not None:
                    answer.put(record)
            elif kind == "host_tool_call":
                threading.Thread(target=self._run, args=(record, self._begin(record)), daemon=True).start()
            elif kind == "host_tool_cancel":
                call = self._calls.get(record["targetId"])
                if call is not None:
                    call.cancelled.set()
            elif kind == "extension_ui_request":
                threading.Thread(target=self._reply, args=(record,), daemon=True).start()
            elif kind != "ready":  # what is sent before that line is read too, so nobody waits for it
                self._events.put(record)
        with self._lock:
            self._has_ended = True
            waiting: List["queue.Queue[Optional[Record]]"] = list(self._waiting.values())
        for each in (*waiting, self._events):
            each.put(None)

    def _begin(self, frame: Record) -> ToolCall:
        def update(text: str) -> None:
            self._send({"type": "host_tool_update", "id": frame["id"], "partialResult": _content(text)})

        call = ToolCall(frame["arguments"], update)
        self._calls[frame["id"]] = call
        return call

    def _run(self, frame: Record, call: ToolCall) -> None:
        try:
            text, is_error = self._tools[frame["toolName"]].run(call), False
        except Exception as error:  # whatever it is, the model is to know
            text, is_error = str(error) or type(error).__name__, True
        self._calls.pop(frame["id"], None)
        if not call.cancelled.is_set():
            self._send({"type": "host_tool_result", "id": frame["id"], "result": _content(text), "isError": is_error})

    def _reply(self, dialog: Record) -> None:
        value = self._answer(dialog)
        if dialog["method"] not in ("select", "confirm", "input", "editor"):
            return
        key = "confirmed" if dialog["method"] == "confirm" else "value"
        reply = {"cancelled": True} if value is None else {key: value}
        self._send({"type": "extension_ui_response", "id": dialog["id"], **reply})


def _content(text: str) -> Record:
    return {"content": [{"type": "text", "text": text}]}
