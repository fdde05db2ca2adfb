import fc from "fast-check";
import { expect, test } from "vitest";
import type { OutputStream } from "../../src/exec/output-channels.ts";
import { OutputCollector } from "../../src/exec/output-collector.ts";
import { OutputSanitizer } from "../../src/exec/sanitize-output.ts";

const ESC = "\u001b";
const seed = 20_260_801;

/** What programs write to terminals: text, sequences whole and broken, line ends of all kinds, bytes that are no text. */
const piece = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 12 }),
  fc.constantFrom("\n", "\r\n", "\r", "\r\r\n", "\t", "10%\r20%\r", "line\n"),
  fc.constantFrom(
    `${ESC}[1;31m`,
    `${ESC}[0m`,
    `${ESC}[2K`,
    `${ESC}[?25l`,
    `${ESC}]0;title\u0007`,
    `${ESC}]8;;http://x.test${ESC}\\`,
  ),
  fc.constantFrom(
    ESC,
    `${ESC}[`,
    `${ESC}]`,
    `${ESC}P`,
    `${ESC}\\`,
    "\u0007",
    "\u009b31m",
    "\u009c",
    "\u0000",
    "\u0008",
    "\u007f",
    "\u2028",
  ),
);
const bytes = fc
  .array(
    fc.oneof(
      { weight: 5, arbitrary: piece.map((text) => Buffer.from(text)) },
      fc.uint8Array({ maxLength: 6 }).map((array) => Buffer.from(array)),
    ),
    {
      maxLength: 40,
    },
  )
  .map((buffers) => Buffer.concat(buffers));

/** Where to cut: as many pieces as there are numbers, of those lengths, over and over. */
const cuts = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 8 });

function inPieces<T extends { length: number }>(
  whole: T,
  lengths: readonly number[],
  slice: (start: number, end: number) => T,
): T[] {
  const pieces: T[] = [];
  for (let at = 0, index = 0; at < whole.length; index += 1) {
    const length = lengths[index % lengths.length] ?? 1;
    pieces.push(slice(at, at + length));
    at += length;
  }
  return pieces;
}

async function collect(chunks: readonly [stream: OutputStream, chunk: Buffer][]) {
  const told = { stdout: "", stderr: "" };
  const collector = new OutputCollector({
    onText(text, stream) {
      expect(text).not.toBe("");
      told[stream] += text;
    },
    onDrain: () => undefined,
    maxFileBytes: 1e6,
  });
  for (const [stream, chunk] of chunks) collector.add(chunk, stream);
  return { ...(await collector.end()), told };
}

test("TL-010 TL-011 the text is the same however the bytes are cut, and always plain and valid", async () => {
  const property = fc.asyncProperty(bytes, cuts, async (input, lengths) => {
    const whole = await collect([["stdout", input]]);
    const pieces = inPieces(input, lengths, (start, end) => input.subarray(start, end));
    expect(await collect(pieces.map((chunk) => ["stdout", chunk]))).toEqual(whole);
    const { text, told } = whole;
    expect(told.stdout).toBe(text);
    expect(text.isWellFormed()).toBe(true);
    expect(JSON.parse(JSON.stringify(text))).toBe(text);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: none of them may be left
    expect(text).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
  });
  await fc.assert(property, { seed, numRuns: 1000 });
});

test("TL-010 two streams are decoded apart, however they alternate", async () => {
  const property = fc.asyncProperty(
    bytes,
    bytes,
    cuts,
    fc.array(fc.boolean(), { maxLength: 40 }),
    async (out, err, lengths, turns) => {
      const queues = {
        stdout: inPieces(out, lengths, (start, end) => out.subarray(start, end)),
        stderr: inPieces(err, lengths, (start, end) => err.subarray(start, end)),
      };
      const chunks: [OutputStream, Buffer][] = [];
      for (let turn = 0; queues.stdout.length + queues.stderr.length > 0; turn += 1) {
        const stream =
          queues.stderr.length === 0 || (queues.stdout.length > 0 && turns[turn % (turns.length || 1)]) ? "stdout" : "stderr";
        const chunk = queues[stream].shift();
        if (chunk) chunks.push([stream, chunk]);
      }
      const { told } = await collect(chunks);
      expect(told).toEqual({
        stdout: (await collect([["stdout", out]])).told.stdout,
        stderr: (await collect([["stderr", err]])).told.stderr,
      });
    },
  );
  await fc.assert(property, { seed, numRuns: 500 });
});

test("TL-011 what is plain stays as it is, and what has been made plain too", () => {
  const sanitize = (text: string) => new OutputSanitizer().write(text);
  const property = fc.property(
    fc.array(piece).map((pieces) => pieces.join("")),
    (input) => {
      const once = sanitize(input);
      expect(sanitize(once)).toBe(once);
    },
  );
  fc.assert(property, { seed, numRuns: 2000 });
});

test("TL-011 the states of a progress bar stand in lines of their own, whatever erases them", () => {
  const state = fc.string({ unit: fc.constantFrom("a", "1", "%", " ", "€", "="), minLength: 1, maxLength: 8 });
  const eraser = fc.constantFrom("\r", `\r${ESC}[K`, `\r${ESC}[2K`, `${ESC}[2K\r`, "\r\r");
  const property = fc.property(fc.array(fc.tuple(state, eraser), { minLength: 1 }), state, cuts, (states, last, lengths) => {
    const input = `${states.map(([text, end]) => text + end).join("")}${last}\r\n`;
    const sanitizer = new OutputSanitizer();
    const text = inPieces(input, lengths, (start, end) => input.slice(start, end))
      .map((part) => sanitizer.write(part))
      .join("");
    expect(text).toBe(`${[...states.map(([line]) => line), last].join("\n")}\n`);
  });
  fc.assert(property, { seed, numRuns: 1000 });
});
