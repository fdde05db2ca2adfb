import { expect, test } from "vitest";
import { errorOf } from "./helpers/clients.ts";
import { answer, delta, playing, run, settled, start } from "./helpers/records.ts";

const text = (index: number, ...deltas: string[]) => [
  delta({ type: "text_start", contentIndex: index }),
  ...deltas.map((one) => delta({ type: "text_delta", contentIndex: index, delta: one })),
  delta({ type: "text_end", contentIndex: index, content: deltas.join("") }),
];
const message = (...steps: object[]) => [
  { type: "message_start", message: answer([]) },
  ...steps,
  { type: "message_end", message: answer([]) },
];
const endWith = (last: object) => ({ type: "agent_end", messages: [{ ...answer([]), ...last }], willRetry: false });

async function collect(texts: AsyncIterable<string>): Promise<string[]> {
  const list: string[] = [];
  for await (const one of texts) list.push(one);
  return list;
}

test("text yields the text of a run as it comes, texts apart, and nothing of the next run", async () => {
  const thinking = [
    delta({ type: "thinking_start", contentIndex: 0 }),
    delta({ type: "thinking_delta", contentIndex: 0, delta: "hm" }),
  ];
  const next = [start, ...message(...text(0, "next")), endWith({}), settled];
  await using client = await playing([
    ...["accept", start, ...message(...thinking, ...text(1, "Let me ", "", "look.")), ...message(...text(0, "Done", "."))],
    ...[endWith({}), settled, ...next],
  ]);
  expect(await collect(client.text("Go"))).toEqual(["Let me ", "look.", "\n\nDone", "."]);
});

test("text of an answer without text, and of an aborted run, just ends", async () => {
  await using client = await playing(
    ["accept", start, endWith({}), settled],
    ["accept", start, endWith({ stopReason: "aborted" }), settled],
  );
  expect([await collect(client.text("1")), await collect(client.text("2"))]).toEqual([[], []]);
});

test("text throws when the prompt is refused, when the run fails, and when the agent crashes, after what had come", async () => {
  await using client = await playing(
    ["refuse"],
    ["accept", start, ...message(...text(0, "part")), endWith({ stopReason: "error", errorMessage: "overloaded" }), settled],
    ["accept", start, ...message(...text(0, "part")), "exit"],
  );
  expect(await errorOf(collect(client.text("1")))).toMatchObject({ code: "command_failed", reason: "busy" });
  const read: string[] = [];
  const failed = (async () => {
    for await (const one of client.text("2")) read.push(one);
  })();
  expect(await errorOf(failed)).toMatchObject({ name: "RpcRunError", code: "run_failed", reason: "overloaded" });
  expect(read).toEqual(["part"]);
  expect(await errorOf(collect(client.text("3")))).toMatchObject({ code: "exited", exitCode: 7 });
  expect(await errorOf(collect(client.text("4")))).toMatchObject({ code: "exited", exitCode: 7 });
});

test("leaving the loop aborts the run; so does the signal, and then the text just ends", async () => {
  await using client = await playing(
    ["accept", start, ...message(...text(0, "a", "b"))],
    ["accept", start, ...message(...text(0, "a", "b"))],
  );
  const commands: string[] = [];
  client.onEvent((event) => {
    if ((event.type as string) === "aborted") commands.push("abort");
  });
  for await (const one of client.text("1")) if (one === "a") break;
  expect(commands).toEqual(["abort"]);
  const controller = new AbortController();
  const read: string[] = [];
  for await (const one of client.text("2", { signal: controller.signal })) {
    read.push(one);
    if (one === "b") controller.abort();
  }
  expect([read, commands]).toEqual([
    ["a", "b"],
    ["abort", "abort"],
  ]);
  expect(await errorOf(collect(client.text("3", { signal: controller.signal })))).toMatchObject({ code: "aborted" });
});

test("a text that nobody reads sends nothing", async () => {
  await using client = await playing(["accept", ...run("one")]);
  client.text("never");
  expect(await client.promptAndWait("1")).toHaveLength(1);
});
