import { setImmediate } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { cliArguments } from "../../helpers/cli.ts";
import { type RpcProcess, startProgram, startRpc } from "../../helpers/rpc-process.ts";
import { useWorkspace } from "../../helpers/workspace.ts";
import { createRandom, type HostileLine, HostileLines, signatureOf } from "./hostile-lines.ts";

const isLong = process.env.PIKIT_LONG === "1";
const lineCount = isLong ? 200_000 : 3_000;
const linesPerBatch = 500;
/** Written into the title, so that a failure can be made again. */
const seed = isLong ? Date.now() % 2 ** 31 : 20_261_122;

const workspace = useWorkspace();
const modeArguments = ["--model", "demo/tour", "--no-session"];
const start = () => startRpc(workspace, modeArguments);

/**
 * With a heap of so many megabytes. Garbage is collected when V8 sees fit, so that what is resident tells little of what is kept; but a
 * process that keeps what it should not does not live long with these.
 */
const startSmall = (megabytes: number) =>
  startProgram(workspace, [`--max-old-space-size=${megabytes}`, ...cliArguments, "--mode", "rpc", ...modeArguments]);

/** Writes lines in pieces that end anywhere, and then asks for the state; what came before the answer to that is the answer to the lines. */
async function sendLines(rpc: RpcProcess, lines: readonly HostileLine[], random: () => number): Promise<string[]> {
  const from = rpc.records.length;
  const bytes = Buffer.concat(lines.flatMap((line) => [line.bytes, Buffer.from("\n")]));
  for (let at = 0; at < bytes.length; ) {
    const end = at + 1 + Math.floor(random() ** 4 * 65_536);
    rpc.sendText(bytes.subarray(at, end));
    at = end;
    if (random() < 0.3) await setImmediate();
  }
  await rpc.request({ type: "get_state" });
  return rpc.records.slice(from, -1).map(signatureOf);
}

async function stateOf(rpc: RpcProcess): Promise<unknown> {
  return (await rpc.request({ type: "get_state" })).data;
}

test(`RP-003 RP-004 RP-005 of ${lineCount} lines that nobody should send (seed ${seed}) each is answered once or passed over, and nothing else changes`, async () => {
  const rpc = startSmall(80);
  const before = await stateOf(rpc);
  const random = createRandom(seed);
  const lines = new HostileLines(seed);
  for (let sent = 0; sent < lineCount; sent += linesPerBatch) {
    const batch = Array.from({ length: linesPerBatch }, () => lines.next());
    const answers = await sendLines(rpc, batch, random);
    expect(answers.sort()).toEqual(batch.flatMap((line) => line.answers).sort());
    expect(await stateOf(rpc)).toEqual(before);
    // What has been checked must not fill the memory of the test.
    rpc.records.length = 0;
    rpc.lines.length = 0;
  }
  expect(await rpc.end()).toBe(0);
});

const megabytes = isLong ? 50 : 20;

describe(`lines of ${megabytes} MB`, () => {
  const size = megabytes * 1_000_000;
  const repeats = isLong ? 20 : 4;

  test.each([
    ["a command with a long field that nobody knows", () => `{"id":1,"type":"fly","pad":"${"x".repeat(size)}"}`, ['1 "fly" false']],
    [
      "a command with a field that is too long by far",
      () => `{"id":1,"type":"set_model","provider":"${"x".repeat(size)}"}`,
      ['1 "set_model" false'],
    ],
    ["a text without an end", () => `"${"x".repeat(size)}`, ['no id "parse" false', "error"]],
    ["bytes that are no UTF-8", () => Buffer.alloc(size, 0xff), ['no id "parse" false', "error"]],
    ["blanks", () => " ".repeat(size), []],
  ])("%s, again and again: each answer is short, and the memory of each is given back", async (_title, makeLine, answers) => {
    const rpc = startSmall(isLong ? 320 : 160);
    const before = await stateOf(rpc);
    for (let times = 0; times < repeats; times += 1) {
      const from = rpc.records.length;
      rpc.sendText(makeLine());
      rpc.sendText("\n");
      expect(await stateOf(rpc)).toEqual(before);
      expect(rpc.records.slice(from, -1).map(signatureOf)).toEqual(answers);
    }
    expect(Math.max(...rpc.lines.map((line) => line.length))).toBeLessThan(10_000);
  });
});

test("RP-005 an id that is nested 100,000 levels deep is echoed to the letter", async () => {
  const rpc = start();
  const ids = ["[", '{"a":'].map((open) => `${open.repeat(100_000)}1${(open === "[" ? "]" : "}").repeat(100_000)}`);
  for (const id of ids) rpc.sendText(`{"id":${id},"type":"get_messages"}\n{"id":${id},"type":"fly"}\n`);
  await rpc.request({ type: "get_state" });
  const expected = ids.flatMap((id) => [
    `{"id":${id},"type":"response","command":"get_messages",`,
    `{"id":${id},"type":"response","command":"fly",`,
  ]);
  const answered = rpc.lines.slice(0, -1);
  expect(answered).toHaveLength(4);
  // The unknown commands are answered at once, the others in their turn.
  for (const start of expected) expect(answered.some((line) => line.startsWith(start))).toBe(true);
});

test.each(["message", "images", "streamingBehavior"])(
  "a field %s that is nested 100,000 levels deep is refused by name",
  async (field) => {
    const rpc = start();
    rpc.sendText(`{"id":1,"type":"prompt","message":"x","${field}":${"[".repeat(100_000)}${"]".repeat(100_000)}}\n`);
    const { success, error } = await rpc.waitFor({ id: 1 });
    expect({ success, error }).toEqual({
      success: false,
      error: expect.stringMatching(new RegExp(`^Field "${field}[^"]*" must be `)),
    });
  },
);
