import { once } from "node:events";
import { holdClock } from "@pikit/test-kit/clock";
import { expect, test, vi } from "vitest";
import { startPuppet } from "./helpers/puppet.ts";

const request = (id: string, method: string, fields: object) => ({ type: "extension_ui_request", id, method, ...fields });
const response = (id: string, fields: object) => ({ type: "extension_ui_response", id, ...fields });
const dialogs = [
  request("1", "confirm", { title: "Sure?", message: "It will be gone." }),
  request("2", "select", { title: "Which?", options: ["a", "b"] }),
  request("3", "input", { title: "Name", placeholder: "feature/…" }),
  request("4", "editor", { title: "Text", prefill: "Dear" }),
];

test("a dialog without a handler is cancelled at once", async () => {
  await using puppet = await startPuppet();
  await puppet.write(...dialogs);
  const received = [await puppet.received(), await puppet.received(), await puppet.received(), await puppet.received()];
  expect(received).toEqual(["1", "2", "3", "4"].map((id) => response(id, { cancelled: true })));
});

test("handlers answer the dialogs; undefined cancels; the last one set counts until it is taken away", async () => {
  await using puppet = await startPuppet();
  const { client } = puppet;
  const asked: object[] = [];
  client.onConfirm(() => true);
  const remove = client.onConfirm((fields) => asked.push(fields) > 1);
  client.onSelect(async ({ options }) => options[1]);
  client.onInput(({ placeholder }) => `${placeholder}x`);
  client.onEditor(() => undefined);
  await puppet.write(...dialogs);
  expect(await puppet.received()).toEqual(response("1", { confirmed: false }));
  expect(asked).toEqual([{ title: "Sure?", message: "It will be gone." }]);
  const others = [await puppet.received(), await puppet.received(), await puppet.received()];
  expect(others).toEqual(
    expect.arrayContaining([
      response("2", { value: "b" }),
      response("3", { value: "feature/…x" }),
      response("4", { cancelled: true }),
    ]),
  );
  remove();
  await puppet.write(...dialogs.slice(0, 1));
  expect(await puppet.received()).toEqual(response("1", { cancelled: true }));
});

test("when a dialog's time is over its signal is aborted, and what is answered then is dropped", async () => {
  await using puppet = await startPuppet();
  const clock = holdClock();
  const finished = Promise.withResolvers<void>();
  puppet.client.onInput(async (_, { signal }) => {
    const aborted = once(signal, "abort");
    clock.pass(60_000);
    await aborted;
    queueMicrotask(finished.resolve);
    return "late";
  });
  await puppet.write(request("1", "input", { title: "Name", timeout: 60_000 }));
  await finished.promise;
  await puppet.write(request("2", "confirm", { title: "", message: "" }));
  expect(await puppet.received()).toEqual(response("2", { cancelled: true }));
});

test("the end of the process aborts open dialogs", async () => {
  const puppet = await startPuppet();
  const asked = Promise.withResolvers<AbortSignal>();
  puppet.client.onConfirm(async (_, { signal }) => {
    asked.resolve(signal);
    await once(signal, "abort");
    return true;
  });
  await puppet.write(...dialogs.slice(0, 1));
  const signal = await asked.promise;
  await puppet.client.stop();
  expect(signal.reason).toMatchObject({ code: "stopped" });
});

test("a handler that throws cancels its dialog, and its error is not lost", async () => {
  const raised = vi.fn();
  const others = process.listeners("uncaughtException");
  process.removeAllListeners("uncaughtException").on("uncaughtException", raised);
  await using puppet = await startPuppet();
  puppet.client.onConfirm(async () => await Promise.reject(new Error("a handler's mistake")));
  puppet.client.onNotify(() => {
    throw new Error("another one");
  });
  await puppet.write(request("0", "notify", { message: "Hi" }), ...dialogs.slice(0, 1));
  expect(await puppet.received()).toEqual(response("1", { cancelled: true }));
  process.removeAllListeners("uncaughtException");
  for (const listener of others) process.on("uncaughtException", listener);
  expect(raised.mock.calls.map(([error]) => error.message)).toEqual(["another one", "a handler's mistake"]);
});

test("what is only shown goes to its handler, and is dropped without one; a request without its fields is noise", async () => {
  await using puppet = await startPuppet();
  const { client } = puppet;
  const shown: unknown[] = [];
  const show = (fields: object) => void shown.push(fields);
  client.onNotify(show);
  client.onStatus(show);
  client.onWidget(show);
  client.onTitle(show)();
  client.onEditorText(show);
  await puppet.write(
    { type: "extension_ui_request" },
    request("1", "notify", { message: "Done", notifyType: "info" }),
    request("2", "setStatus", { statusKey: "build", statusText: "ok" }),
    request("3", "setWidget", { widgetKey: "w", widgetLines: ["a"], widgetPlacement: "belowEditor" }),
    request("4", "setTitle", { title: "T" }),
    request("5", "set_editor_text", { text: "E" }),
  );
  await client.getState();
  expect(shown).toEqual([
    { message: "Done", notifyType: "info" },
    { statusKey: "build", statusText: "ok" },
    { widgetKey: "w", widgetLines: ["a"], widgetPlacement: "belowEditor" },
    { text: "E" },
  ]);
});
