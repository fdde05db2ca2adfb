import { describe, expect, test } from "vitest";
import { openSession } from "../helpers/sessions.ts";
import { useWorkspace } from "../helpers/workspace.ts";

const workspace = useWorkspace();

describe("script/<file>", () => {
  test("plays its answers in order, relative to the working folder, and says when there are no more", async () => {
    await workspace.write("work/play.jsonl", '{"text":"one"}\n\n{"thinking":"hm","text":"two"}\n');
    const { session } = await openSession(workspace, { model: "script/play.jsonl" });
    for (const expected of ["one", "two"]) {
      await session.prompt("go");
      expect(session.lastAssistantText()).toBe(expected);
    }
    await session.prompt("go");
    expect(session.messages.at(-1)).toMatchObject({
      stopReason: "error",
      errorMessage: expect.stringMatching(/play\.jsonl has 2 answers, but call 3 needs another/),
    });
  });

  test("each session plays it from the start", async () => {
    const model = await workspace.script({ text: "one" }, { text: "two" });
    for (const session of [await openSession(workspace, { model }), await openSession(workspace, { model })]) {
      await session.session.prompt("go");
      expect(session.session.lastAssistantText()).toBe("one");
    }
  });

  test.each([
    ["gone.jsonl", undefined, /Cannot read the script .*gone\.jsonl: ENOENT/],
    ["bad.jsonl", '{"text":"one"}\n{oops\n', /bad\.jsonl:2 is not valid JSON/],
    ["list.jsonl", "[1]\n", /list\.jsonl:1 must be a JSON object/],
    ["field.jsonl", '{"txet":"one"}\n', /field\.jsonl:1 has the unknown field "txet"/],
    ["type.jsonl", '{"text":5}\n', /type\.jsonl:1: "text" must be string/],
  ])("%s is an error that names file and line", async (name, content, message) => {
    if (content !== undefined) await workspace.write(`work/${name}`, content);
    await expect(openSession(workspace, { model: `script/${name}` })).rejects.toThrow(message);
  });
});
