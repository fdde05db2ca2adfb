import { PassThrough } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import { readPipedInput } from "../../src/cli/piped-input.ts";

/** Begins to read a stream, under a clock that the test holds. */
function begin({ isSocket, hasPrompt }: { isSocket: boolean; hasPrompt: boolean }) {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const stream = new PassThrough();
  const said: string[] = [];
  let result: string | undefined | "waiting" = "waiting";
  void readPipedInput({ stream, isSocket }, { hasPrompt, say: (line) => said.push(line) }).then((text) => {
    result = text;
  });
  const pass = async (ms: number) => {
    await nextTurn();
    vi.advanceTimersByTime(ms);
    await nextTurn();
    return result;
  };
  return { stream, said, pass };
}

test("a socket that brings nothing for 3 s beside a prompt is given up, and stderr says so", async () => {
  const { stream, said, pass } = begin({ isSocket: true, hasPrompt: true });
  expect(await pass(2999)).toBe("waiting");
  expect(said).toEqual([]);
  expect(await pass(1)).toBeUndefined();
  expect(said).toEqual(["No data on stdin for 3 s. Continuing without it."]);
  expect(stream.listenerCount("data") + stream.listenerCount("end")).toBe(0);
});

test("a socket that has brought something is read to its end, however long that takes", async () => {
  const { stream, said, pass } = begin({ isSocket: true, hasPrompt: true });
  stream.write("some ");
  expect(await pass(1_000_000)).toBe("waiting");
  stream.end("more\n");
  expect(await pass(0)).toBe("some more");
  expect(said).toEqual([]);
});

test("a shell's pipe is waited for; after a second of silence stderr says so, once", async () => {
  const { stream, said, pass } = begin({ isSocket: false, hasPrompt: true });
  expect(await pass(999)).toBe("waiting");
  expect(said).toEqual([]);
  expect(await pass(1_000_000)).toBe("waiting");
  stream.end("late");
  expect(await pass(0)).toBe("late");
  expect(said).toEqual(["Waiting for the end of the piped input (close stdin to continue without it)."]);
});

test.each([true, false])(
  "without a prompt argument the input is the prompt, and is waited for in silence: socket %j",
  async (isSocket) => {
    const { stream, said, pass } = begin({ isSocket, hasPrompt: false });
    expect(await pass(1_000_000)).toBe("waiting");
    stream.end("prompt");
    expect(await pass(0)).toBe("prompt");
    expect(said).toEqual([]);
  },
);

test("what is longer than an argument may be is refused, and not held", async () => {
  const stream = new PassThrough();
  const read = readPipedInput({ stream, isSocket: false }, { hasPrompt: false });
  const piece = Buffer.alloc(1 << 20, "y");
  const refused = expect(read).rejects.toThrow("The piped input is longer than 64 MiB.");
  for (let n = 0; n < 66; n += 1) stream.write(piece);
  await refused;
  expect(stream.listenerCount("data")).toBe(0);
});
