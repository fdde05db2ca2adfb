"""A client for a session of `pi serve`. Needs nothing but Python 3.9.

The connection may be cut at any time: each event comes once and in order, and each command runs once."""

from __future__ import annotations

import contextlib
import http.client
import json
import random
import time
import uuid
from typing import Any, Callable, Dict, Iterator, List, Optional
from urllib.parse import quote, urlsplit

Record = Dict[str, Any]
Answer = Callable[[Record], Any]
FAILURES = (OSError, http.client.HTTPException)
DIALOGS = ("select", "confirm", "input", "editor")
SILENCE = 45  # seconds without a sign of life; the server sends one every 15 seconds


class PiError(Exception):
    """The server refused something, or the outcome of a command is not known."""


class Session:
    """A session, for one thread. `answer` is asked once for each dialog (None cancels it); without it, other clients answer."""

    def __init__(self, url: str, token: str, session_id: str = "", answer: Optional[Answer] = None, **options: Any) -> None:
        self._address, self._token, self._answer, self._answered_at = urlsplit(url), token, answer, ""
        self._questions: Dict[str, Optional[Record]] = {}  # id of an open question → our answer, if we have given one
        self._epoch, self._seq, self._path = "", -1, "/v1/sessions"
        self.id: str = session_id or self._post(self._path, options, {})["sessionId"]
        self._path += f"/{quote(self.id, safe='')}"
        next(frame for frame in self.events() if frame["type"] == "resync")

    def prompt(self, message: str, **fields: Any) -> Iterator[Record]:
        """Sends a prompt and yields what happens until its run is over."""
        self.command("prompt", message=message, **fields)
        accepted = int(self._answered_at.rpartition(":")[2])
        for event in self.events():
            if event["type"] == "resync":
                raise PiError("Events were missed, since the connection was down for too long. get_messages has all messages.")
            yield event
            if event["type"] == "agent_settled" and event["seq"] > accepted:
                return

    def command(self, type: str, **fields: Any) -> Any:
        """Sends a command and returns the data of its response."""
        body, headers = {"type": type, **fields}, {"Idempotency-Key": str(uuid.uuid4())}
        response = self._post(f"{self._path}/commands", body, headers)
        if not response["success"]:
            raise PiError(f"{type}: {response['error']}")
        return response.get("data")

    def events(self) -> Iterator[Record]:
        """Yields what has happened since the last event that was yielded, and then what happens, without end."""
        return (frame for frame in self._frames() if frame["type"] != "ready")

    def _post(self, path: str, body: Record, headers: Dict[str, str]) -> Any:
        """Sends a request until it is answered. The server knows by its key that it is the same one, unless it was restarted meanwhile."""
        failures, may_have_run = 0, False
        while True:
            try:
                with self._request("POST", path, headers, json.dumps(body)) as response:
                    text = response.read()
                    self._answered_at = response.headers.get("pi-position", "")
                    return json.loads(text) if text else None
            except ConnectionRefusedError:
                pass  # it was not sent
            except FAILURES:
                may_have_run = bool(headers) and not body["type"].startswith("get_")
            failures += 1
            _wait(failures)
            if may_have_run and next(self._frames())["epoch"] != self._epoch:
                raise PiError(f"The server was restarted before it answered {body['type']}, which may have run.")

    def _frames(self) -> Iterator[Record]:
        """Yields the first frame of each connection, and each other frame once."""
        failures = 0
        while True:
            with contextlib.suppress(*FAILURES):
                since = {"Last-Event-ID": f"{self._epoch}:{self._seq}"} if self._epoch else {}
                with self._request("GET", f"{self._path}/events", since) as response:
                    for frame in _read_events(response):
                        if self._is_new(frame):
                            failures = 0
                            yield frame
            failures += 1
            _wait(failures)

    def _is_new(self, frame: Record) -> bool:
        kind, seq, id = frame["type"], frame["seq"], frame.get("id", "")
        if kind == "resync":
            self._questions = self._questions if frame["epoch"] == self._epoch else {}
            self._epoch, self._seq = frame["epoch"], seq
        elif kind != "ready" and not frame.get("again"):
            if frame["epoch"] != self._epoch or seq > self._seq + 1:
                raise http.client.HTTPException(f"frame {seq} after frame {self._seq}")
            if seq <= self._seq:
                return False
            self._seq = seq
        if kind == "host_tool_call" or (kind == "extension_ui_request" and frame["method"] in DIALOGS):
            return self._ask(frame)
        if kind == "extension_ui_response":
            self._questions.pop(id, None)
        return True

    def _ask(self, question: Record) -> bool:
        """Answers a dialog. One that comes again gets the same answer, since that may have been lost."""
        id, is_new = question["id"], question["id"] not in self._questions
        if is_new:
            self._questions[id] = None
            if self._answer and question["type"] == "extension_ui_request":
                value = self._answer(question)
                reply = {"cancelled": True} if value is None else {"confirmed" if isinstance(value, bool) else "value": value}
                self._questions[id] = {"type": "extension_ui_response", "id": id, **reply}
        if answer := self._questions[id]:
            self._post(f"{self._path}/commands", answer, {})
        return is_new

    @contextlib.contextmanager
    def _request(self, method: str, path: str, headers: Dict[str, str], body: Optional[str] = None) -> Iterator[Any]:
        kind = http.client.HTTPSConnection if self._address.scheme == "https" else http.client.HTTPConnection
        with contextlib.closing(kind(self._address.hostname or "", self._address.port, timeout=SILENCE)) as connection:
            all_headers = {"Authorization": f"Bearer {self._token}", "Content-Type": "application/json", **headers}
            connection.request(method, self._address.path.rstrip("/") + path, body, all_headers)
            response = connection.getresponse()
            is_cut = response.length is None and not response.chunked  # http.client takes the end of the connection for that of the headers
            if is_cut or response.status == 429 or response.status >= 500:
                raise http.client.HTTPException(f"status {response.status}")
            if response.status >= 400:
                raise PiError(f"{method} {path}: {response.read(2000).decode(errors='replace')}")
            yield response


def _wait(failures: int) -> None:
    time.sleep(min(0.1 * 2 ** min(failures, 20), 30) * random.uniform(0.5, 1))


def _read_events(response: Any) -> Iterator[Record]:
    data: List[bytes] = []
    while (line := response.readline()).endswith(b"\n"):
        if line.startswith(b"data: "):
            data.append(line[6:])
        elif line == b"\n" and data:
            yield json.loads(b"".join(data))
            data = []
