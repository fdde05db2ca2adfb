import { afterEach, expect, test, vi } from "vitest";
import { AiError, complete, createScriptedModel, loadApi, registerApi, stream } from "../src/index.ts";
import { checkGrammar, collect, summarize } from "./helpers/events.ts";
import { user } from "./helpers/messages.ts";
import { testModel } from "./helpers/models.ts";

const hello = { messages: [user("hello")] };

afterEach(() => vi.unstubAllEnvs());

test("an unknown api is an error event that names the known ones", async () => {
  const answer = stream(testModel("no-such-api", "http://localhost"), hello);
  expect(summarize(await collect(answer))).toEqual([{ type: "error", reason: "error" }]);
  const { errorMessage } = await answer.result();
  expect(errorMessage).toMatch(
    /^Unknown api "no-such-api": expected one of anthropic-messages, .*openai-completions, .*scripted, .*or one added with registerApi/,
  );
  expect(answer.failure?.code).toBe("unsupported");
});

test("AI-002 result() resolves without iteration, twice, and the events stay readable", async () => {
  const answer = stream(createScriptedModel({ script: [{ text: "hi there" }] }), hello);
  const message = await answer.result();
  expect(await answer.result()).toBe(message);
  expect(message.content).toEqual([{ type: "text", text: "hi there" }]);
  expect(summarize(checkGrammar(await collect(answer))).at(-1)).toEqual({ type: "done", reason: "stop" });
});

test("AI-003 whatever an adapter throws becomes an error event, and what has arrived stays", async () => {
  for (const thrown of [new Error("broken"), "broken", { message: "broken" }]) {
    registerApi("throwing", async () => async (_request, assembler) => {
      assembler.openText().append("half");
      throw thrown;
    });
    const message = await complete(testModel("throwing", ""), hello);
    expect(message).toMatchObject({ stopReason: "error", errorMessage: "broken", content: [{ type: "text", text: "half" }] });
  }
});

test("an adapter that returns without an end is a retryable error", async () => {
  registerApi("silent", async () => async () => {});
  const answer = stream(testModel("silent", ""), hello);
  expect((await answer.result()).errorMessage).toBe("test ended the stream before the answer was complete.");
  expect(answer.failure).toMatchObject({ code: "bad_response", retryable: true });
});

test("an adapter that cannot be loaded is an error, and is loaded again at the next call", async () => {
  let loads = 0;
  registerApi("flaky", async () => {
    loads += 1;
    if (loads === 1) throw new Error("disk is gone");
    return async (_request, assembler) => assembler.done("stop");
  });
  const model = testModel("flaky", "");
  expect(await complete(model, hello)).toMatchObject({ stopReason: "error", errorMessage: "disk is gone" });
  expect((await complete(model, hello)).stopReason).toBe("stop");
  expect((await complete(model, hello)).stopReason).toBe("stop");
  expect(loads).toBe(2);
});

test("an api that is registered again serves the next call", async () => {
  for (const text of ["first", "second"]) {
    registerApi("replaced", async () => async (_request, assembler) => {
      assembler.openText().append(text);
      assembler.done("stop");
    });
    expect((await complete(testModel("replaced", ""), hello)).content).toEqual([{ type: "text", text }]);
  }
});

test("AI-004 an aborted signal does not even load the adapter", async () => {
  let loads = 0;
  registerApi("counted", async () => {
    loads += 1;
    return async () => {};
  });
  const answer = stream(testModel("counted", ""), hello, { signal: AbortSignal.abort() });
  expect(summarize(await collect(answer))).toEqual([{ type: "error", reason: "aborted" }]);
  expect((await answer.result()).content).toEqual([]);
  expect(loads).toBe(0);
});

test("AI-005 an abort while the adapter is loading starts no request", async () => {
  const controller = new AbortController();
  const loading = Promise.withResolvers<void>();
  let calls = 0;
  registerApi("slow-to-load", async () => {
    await loading.promise;
    return async () => {
      calls += 1;
    };
  });
  const answer = stream(testModel("slow-to-load", ""), hello, { signal: controller.signal });
  controller.abort();
  expect((await answer.result()).stopReason).toBe("aborted");
  loading.resolve();
  await loadApi("slow-to-load");
  await new Promise(setImmediate);
  expect(calls).toBe(0);
});

test("AI-005 an abort ends the answer at once, also when the adapter never lets go", async () => {
  const controller = new AbortController();
  registerApi("stubborn", async () => async (_request, assembler) => {
    assembler.openText().append("half");
    await new Promise(() => {});
  });
  const answer = stream(testModel("stubborn", ""), hello, { signal: controller.signal });
  for await (const event of answer) if (event.type === "text_delta") controller.abort("enough");
  expect(await answer.result()).toMatchObject({ stopReason: "aborted", content: [{ text: "half" }] });
  expect(answer.failure?.cause).toBe("enough");
});

test("AI-006 a text that says aborted without our signal is an error", async () => {
  registerApi("says-aborted", async () => async () => {
    throw new DOMException("This operation was aborted", "AbortError");
  });
  expect((await complete(testModel("says-aborted", ""), hello)).stopReason).toBe("error");
});

test("the key of the call goes before the one in the environment, and an empty variable is none", async () => {
  const keys: unknown[] = [];
  registerApi("sees-key", async () => async ({ options }, assembler) => {
    keys.push(options.apiKey);
    assembler.done("stop");
  });
  const model = testModel("sees-key", "", { provider: "anthropic" });
  vi.stubEnv("ANTHROPIC_API_KEY", " from-environment ");
  await complete(model, hello);
  await complete(model, hello, { apiKey: "own" });
  vi.stubEnv("ANTHROPIC_API_KEY", " ");
  await complete(model, hello);
  expect(keys).toEqual(["from-environment", "own", undefined]);
});

test("no unhandled rejection is left behind by calls that fail and that nobody looks at", async () => {
  const unhandled: unknown[] = [];
  const onUnhandled = (reason: unknown) => void unhandled.push(reason);
  process.on("unhandledRejection", onUnhandled);
  registerApi("fails-unseen", async () => async () => {
    throw new AiError("network", "gone");
  });
  stream(testModel("fails-unseen", ""), hello);
  stream(testModel("not-there", ""), hello);
  await new Promise((resolve) => setTimeout(resolve, 0));
  await new Promise(setImmediate);
  process.off("unhandledRejection", onUnhandled);
  expect(unhandled).toEqual([]);
});
