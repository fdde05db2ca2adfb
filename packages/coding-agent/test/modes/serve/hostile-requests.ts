import { connect, type Socket } from "node:net";
import type { Served } from "../../helpers/http-client.ts";

/** The outcome of a request: the bytes that came back until the connection was closed. */
export interface Outcome {
  kind: string;
  received: string;
}

type Random = () => number;
/** Writes a request to a new connection. */
type Sender = (socket: Socket, context: Context) => void;

interface Context {
  random: Random;
  token: string;
  /** The id of a live session. */
  id: string;
}

const methods = ["GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS", "TRACE", "CONNECT", "PRI", "get", "G E T", ""];
const paths = [
  ...["/", "/v1", "/v1/", "/v1/health", "/v1/sessions", "/v1/sessions/", "/v1/openapi.json", "//v1/health", "/v1/../v1/health"],
  ...["*", "http://evil.example/v1/sessions", "/v1/sessions/{id}", "/v1/sessions/{id}/commands", "/v1/sessions/{id}/events"],
  ...[
    "/v1/sessions/{id}/socket",
    "/v1/sessions/%2e%2e/events",
    "/v1/sessions/%ff/events",
    "/v1/sessions/%00",
    `/${"x".repeat(9000)}`,
  ],
  ...[
    "/v1/sessions?limit=-1",
    "/v1/sessions?limit=1e9",
    "/v1/sessions?__proto__=1",
    "/v1/sessions/__proto__",
    "/v1/sessions/{id}/events?since=x:y:z",
  ],
];
/** Bodies that must not begin a session or a run. */
const bodies = [
  ...["", "{", "}", "[]", "null", "1e999", '"text"', "{}{}", '{"type":', '{"type":7}', '{"type":"fly"}', '{"type":"prompt"}'],
  ...[
    '{"type":"prompt","message":7}',
    '{"cwd":"../.."}',
    '{"cwd":7}',
    '{"session":{"id":"../../x"}}',
    '{"session":[]}',
    '{"apiKey":"k"}',
  ],
  ...[
    '{"__proto__":{"type":"get_state"}}',
    '{"constructor":1}',
    '{"limits":{"maxTurns":-1}}',
    "\ufeff{",
    "\u0000",
    '{"type":"get_state"',
  ],
  ...[`${"[".repeat(100_000)}`, `{"a":${'{"a":'.repeat(5000)}1${"}".repeat(5000)}}`, `{"type":"${"x".repeat(100_000)}"}`],
];

const pick = <T>(random: Random, items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
const randomBytes = (random: Random, length: number) => Buffer.from(Array.from({ length }, () => Math.floor(random() * 256)));

function target({ random, id }: Context): string {
  return pick(random, paths).replace("{id}", id);
}

function head(method: string, path: string, headers: Record<string, string>): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\n`;
}

function withToken(token: string): Record<string, string> {
  return { host: "localhost", authorization: `Bearer ${token}`, "content-type": "application/json", connection: "close" };
}

const postPaths = ["/v1/sessions", "/v1/sessions/{id}/commands"];

const senders: Record<string, Sender> = {
  "wrong JSON"(socket, context) {
    const body = pick(context.random, bodies);
    const path = pick(context.random, postPaths).replace("{id}", context.id);
    // An empty object would begin a session.
    socket.write(head("POST", path, { ...withToken(context.token), "content-length": String(Buffer.byteLength(body)) }) + body);
  },
  "a wrong method or path"(socket, context) {
    socket.write(head(pick(context.random, methods), target(context), { ...withToken(context.token), "content-length": "0" }));
  },
  "a wrong token"(socket, context) {
    const { random, token } = context;
    const wrong = ["", "x", token.slice(1), `${token} `.repeat(2), token.toUpperCase(), "\u00e4", "y".repeat(10_000)];
    const path = pick(random, ["/v1/sessions", "/v1/sessions/{id}", "/v1/sessions/{id}/events"]).replace("{id}", context.id);
    socket.write(head("GET", path, { ...withToken(token), authorization: `Bearer ${pick(random, wrong)}` }));
  },
  "a wrong host or origin"(socket, context) {
    const wrong: Record<string, string>[] = [
      { host: "evil.example" },
      { host: "" },
      { origin: "null" },
      { origin: "http://evil.example" },
    ];
    socket.write(head("GET", "/v1/sessions", { ...withToken(context.token), ...pick(context.random, wrong) }));
  },
  "a huge declared body"(socket, context) {
    const length = pick(context.random, ["99999999999", "70000000", "-1", "1e9", "0x10", "18446744073709551616"]);
    socket.write(head("POST", "/v1/sessions", { ...withToken(context.token), "content-length": length }));
    socket.write(Buffer.alloc(64 * 1024, "x"));
  },
  "a huge body in chunks"(socket, context) {
    socket.write(head("POST", "/v1/sessions", { ...withToken(context.token), "transfer-encoding": "chunked" }));
    // Over the limit, or under it and without an end.
    const chunks = context.random() < 0.1 ? 80 : 2;
    for (let index = 0; index < chunks; index += 1) socket.write(`10000\r\n${"x".repeat(0x10000)}\r\n`);
  },
  "broken chunks"(socket, context) {
    const wrong = ["zz\r\n", "5\r\nabc", "-1\r\n", "ffffffffffffffff\r\n", "0\r\nx: y", "1;ext=\u0000\r\na\r\n"];
    socket.write(head("POST", "/v1/sessions", { ...withToken(context.token), "transfer-encoding": "chunked" }));
    socket.write(pick(context.random, wrong));
  },
  smuggling(socket, context) {
    const headers = { ...withToken(context.token), "content-length": "4", "transfer-encoding": "chunked" };
    socket.write(`${head("POST", "/v1/sessions", headers)}0\r\n\r\nGET /v1/sessions HTTP/1.1\r\n\r\n`);
  },
  "large headers"(socket, { random, token }) {
    const many = Object.fromEntries(
      Array.from({ length: 1 + Math.floor(random() * 3000) }, (_, index) => [`x-${index}`, "y".repeat(9)]),
    );
    socket.write(head("GET", "/v1/sessions", { ...withToken(token), ...many }));
  },
  "slow headers"(socket, { random }) {
    const text = "GET /v1/health HTTP/1.1\r\nhost: localhost\r\nx-slow: yes\r\n\r\n";
    for (const character of text.slice(0, Math.floor(random() * (text.length - 4)))) socket.write(character);
  },
  "a body that does not come"(socket, { token, random }) {
    socket.write(head("POST", "/v1/sessions", { ...withToken(token), "content-length": "100" }));
    if (random() < 0.5) socket.write('{"session":');
  },
  "a half-open socket"(socket, { token, random }) {
    const text = head("GET", "/v1/sessions", withToken(token));
    socket.end(text.slice(0, Math.floor(random() * text.length)));
  },
  "a reset"(socket, context) {
    socket.write(head("GET", target(context), withToken(context.token)));
    socket.resetAndDestroy();
  },
  "random bytes"(socket, { random }) {
    socket.write(randomBytes(random, 1 + Math.floor(random() * 3000)));
  },
  "garbage behind a request"(socket, { token, random }) {
    socket.write(head("GET", "/v1/sessions", { ...withToken(token), connection: "keep-alive" }));
    socket.write(randomBytes(random, 200));
  },
  "many requests at once"(socket, { token }) {
    const one = head("GET", "/v1/health", { ...withToken(token), connection: "keep-alive" });
    socket.write(one.repeat(30) + head("GET", "/v1/health", withToken(token)));
  },
  "a wrong upgrade"(socket, context) {
    const { random, id, token } = context;
    const wrong: Record<string, string>[] = [
      ...[{ "sec-websocket-version": "99" }, { "sec-websocket-key": "x" }, { upgrade: "h2c" }, { authorization: "Bearer x" }],
      ...[
        { "sec-websocket-protocol": ",,,=" },
        { "sec-websocket-extensions": "permessage-deflate; x=\u0001" },
        { origin: "http://evil.example" },
      ],
    ];
    const path = random() < 0.5 ? `/v1/sessions/${id}/socket` : target(context);
    socket.write(head("GET", path, { ...withToken(token), ...upgrade, ...pick(random, wrong) }));
  },
  "broken frames of a WebSocket"(socket, { random, id, token }) {
    socket.write(head("GET", `/v1/sessions/${id}/socket`, { ...withToken(token), ...upgrade }));
    // Without a mask, which the protocol forbids, or of an unknown kind, or longer than is allowed.
    const frames = [
      "\x81\x02{}",
      "\x83\x80\0\0\0\0",
      "\xff\xff",
      "\x81\xff\x7f\xff\xff\xff\xff\xff\xff\xff",
      "\x88\x01x",
      "\x82\x82\0\0\0\0{}",
    ];
    socket.write(Buffer.from(pick(random, frames), "latin1"));
    socket.write(randomBytes(random, 50));
    socket.end();
  },
};

const upgrade = {
  connection: "Upgrade",
  upgrade: "websocket",
  "sec-websocket-key": "AAAAAAAAAAAAAAAAAAAAAA==",
  "sec-websocket-version": "13",
};

/** The kinds of requests. */
export const kinds = Object.keys(senders);

/** Sends a request that a client should not send. Resolves when its connection is closed. */
export function sendHostile(
  { url, token }: Served,
  kind: string,
  { random, id }: { random: Random; id: string },
): Promise<Outcome> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const pieces: Buffer[] = [];
    const socket = connect(Number(port), hostname);
    socket.on("data", (piece) => {
      pieces.push(piece);
      // One of the addresses is that of the events, which have no end.
      if (piece.includes("text/event-stream")) socket.destroy();
    });
    socket.on("error", () => undefined); // the server may have closed it before all was written
    socket.on("close", () => resolve({ kind, received: Buffer.concat(pieces).toString("latin1") }));
    socket.on("connect", () => senders[kind]?.(socket, { random, token, id }));
  });
}
