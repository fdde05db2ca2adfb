import { expect, test } from "vitest";
import { RecordReader } from "../../../src/tools/grep/ripgrep-records.ts";

function read(chunks: readonly Uint8Array[], wanted = Number.POSITIVE_INFINITY): unknown[] {
  const events: unknown[] = [];
  const reader = new RecordReader({
    onLine: (...line) => events.push(line) < wanted,
    onBinary: (path) => events.push(["binary", path]),
  });
  for (const chunk of chunks) if (!reader.push(Buffer.from(chunk))) break;
  return events;
}

const output = [
  "./a.ts\x0012:first: -1-\n",
  "./é€.ts\x003-context\r\n",
  "./n\nl\n.ts\x001:\n",
  './late: 2.bin: WARNING: stopped searching binary file after match (found "\\0" byte around offset 202509)\n',
  './one.bin: binary file matches (found "\\0" byte around offset 3)\n',
  "./z\x004294967296:end\n",
].join("");
const events = [
  ["./a.ts", 12, "first: -1-", true],
  ["./é€.ts", 3, "context\r", false],
  ["./n\nl\n.ts", 1, "", true],
  ["binary", "./late: 2.bin"],
  ["binary", "./one.bin"],
  ["./z", 4294967296, "end", true],
];

test("records, cut at every byte", () => {
  const bytes = Buffer.from(output);
  for (let cut = 0; cut <= bytes.length; cut++) expect(read([bytes.subarray(0, cut), bytes.subarray(cut)])).toEqual(events);
  expect(read([...bytes].map((byte) => Uint8Array.of(byte)))).toEqual(events);
});

test("nothing comes after the handler has had enough", () => {
  expect(read([Buffer.from(output)], 2)).toEqual(events.slice(0, 2));
});

test("an endless line takes little memory", () => {
  const chunk = Buffer.alloc(1024 * 1024, "x");
  const [[path, number, text]] = read([
    Buffer.from("./a\x001:"),
    ...Array.from({ length: 200 }, () => chunk),
    Buffer.from("\n"),
  ]) as [[string, number, string]];
  expect([path, number]).toEqual(["./a", 1]);
  expect(text.length).toBeLessThan(2 * chunk.length);
});
