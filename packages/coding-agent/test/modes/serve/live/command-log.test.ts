import { describe, expect, test } from "vitest";
import { type Answer, CommandLog, KeyReusedError, TooManyCommandsError } from "../../../../src/modes/serve/live/command-log.ts";

const prompt = { type: "prompt", message: "Hello" };

/** A log, the starts of commands, and the answers that clients got. */
function createLog() {
  const log = new CommandLog();
  const started: ((answer: Answer) => void)[] = [];
  const answers: Answer[] = [];
  const run = (key: string | undefined, command: object = prompt) =>
    log.run(
      key,
      command,
      (onAnswered) => void started.push(onAnswered),
      (answer) => void answers.push(answer),
    );
  return { log, started, answers, run };
}

describe("a command that is sent twice with one key", () => {
  test("runs once, and each sending gets the same answer", () => {
    const { log, started, answers, run } = createLog();
    run("k");
    run("k");
    expect([started.length, log.openCount]).toEqual([1, 1]);
    const answer = { json: '{"ok":1}', after: 7 };
    started[0]?.(answer);
    expect(answers).toEqual([answer, answer]);
    run("k");
    expect([started.length, answers.length, log.openCount]).toEqual([1, 3, 0]);
    expect(answers[2]).toBe(answer);
  });

  test("is the same command in another trace", () => {
    const { started, run } = createLog();
    run("k", { ...prompt, traceparent: "00-1" });
    run("k", { ...prompt, traceparent: "00-2", tracestate: "a=1" });
    expect(started).toHaveLength(1);
  });

  test("is refused if it is another command, before and after the answer", () => {
    const { started, run } = createLog();
    run("k");
    expect(() => run("k", { type: "abort" })).toThrow(KeyReusedError);
    started[0]?.({ json: "{}", after: 1 });
    expect(() => run("k", { type: "abort" })).toThrow(KeyReusedError);
    expect(started.length).toBe(1);
  });
});

test("a command with a long response is not remembered, only its key: it reads again", () => {
  const { started, answers, run } = createLog();
  const read = { type: "get_messages" };
  run("k", read);
  run("k", read);
  const long = { record: { messages: [] }, after: 7 };
  started[0]?.(long);
  expect(answers).toEqual([long, long]);
  run("k", read);
  expect(started.length).toBe(2);
  expect(() => run("k")).toThrow(KeyReusedError);
  const short = { json: "{}", after: 9 };
  started[1]?.(short);
  run("k", read);
  expect([started.length, answers.slice(2)]).toEqual([2, [short, short]]);
});

test("a command without a key runs each time", () => {
  const { started, run } = createLog();
  run(undefined);
  run(undefined);
  expect(started.length).toBe(2);
});

test("a thousand commands may be open; the next is refused until one is answered", () => {
  const { started, run } = createLog();
  for (let index = 0; index < 1000; index += 1) run(index % 2 ? undefined : `k${index}`);
  expect(() => run("late")).toThrow(TooManyCommandsError);
  started[0]?.({ json: "{}", after: 1 });
  run("late");
  expect(started.length).toBe(1001);
});

test("the latest answers are remembered, by number and by length, and the latest one always", () => {
  const { started, answers, run } = createLog();
  const send = (key: string, json: string) => {
    run(key);
    started.at(-1)?.({ json, after: 1 });
  };
  const repeat = (key: string) => {
    const before = started.length;
    run(key);
    const ranAgain = started.length > before;
    if (ranAgain) started.at(-1)?.({ json: "{}", after: 1 });
    return ranAgain;
  };
  for (let index = 0; index <= 1000; index += 1) send(`k${index}`, "{}");
  expect([repeat("k1"), repeat("k0")]).toEqual([false, true]);
  const large = JSON.stringify("x".repeat(3 * 1024 * 1024));
  send("large", large);
  expect([repeat("k1000"), repeat("large")]).toEqual([false, false]);
  send("larger", JSON.stringify("x".repeat(5 * 1024 * 1024)));
  expect([repeat("larger"), repeat("k1000")]).toEqual([false, true]);
  expect(answers.length).toBeGreaterThan(1000);
});
