import { everyCut } from "@pikit/test-kit";
import { expect, test } from "vitest";
import { EventScanner } from "../../src/mcp/event-scanner.ts";

function scan(...chunks: Uint8Array[]): string | undefined {
  const scanner = new EventScanner(1024);
  for (const chunk of chunks) scanner.push(chunk);
  return scanner.lastId;
}

test.each([
  { name: "an id", input: "id: 5\ndata: a\n\n", lastId: "5" },
  { name: "without a space", input: "id:é\ndata: a\n\n", lastId: "é" },
  { name: "behind the data, as CRLF", input: "data: a\r\nid: 5\r\n\r\n", lastId: "5" },
  { name: "as CR", input: "id: 5\rdata: a\r\rdata: b\r\r", lastId: "5" },
  { name: "behind a byte order mark", input: "\uFEFFid: 5\ndata\n\n", lastId: "5" },
  { name: "the last of several", input: "id: 5\ndata: a\n\nid: 6\ndata: b\n\ndata: c\n\n", lastId: "6" },
  { name: "data that begins so", input: "data: id: 5\n\ndata: a\ndata:\nid\n\nidea: 5\ndata: a\n\n", lastId: undefined },
  { name: "an id of an event that is not complete", input: "data: a\n\nid: 5\ndata: b\n", lastId: undefined },
  { name: "an id of an event without data", input: "id: 5\n\ndata: a\n\n", lastId: undefined },
  { name: "an empty id", input: "id\nid: 5\nid:\ndata: a\n\n", lastId: undefined },
])("$name, cut at every byte", ({ input, lastId }) => {
  for (const pieces of everyCut(input)) expect(scan(...pieces)).toBe(lastId);
});

test("an event has an upper bound, a stream has none", () => {
  const scanner = new EventScanner(10);
  for (let n = 0; n < 10; n += 1) scanner.push(Buffer.from("data: 4567\n\n"));
  scanner.push(Buffer.from("data: 4567"));
  expect(() => scanner.push(Buffer.from("8"))).toThrow(RangeError);
});
