import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { complete } from "@pikit/ai";
import { expect, onTestFinished, test } from "vitest";
import { rehearsedAnswers } from "../../../src/modes/rpc/rehearsed-answers.ts";

test.each(Object.entries(rehearsedAnswers))("the rehearsed answer of %s is a whole one", async (api, answer) => {
  const server = createServer((socket) => socket.end(answer)).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const model = {
    ...{ id: "-", name: "-", api, provider: "rehearsal", reasoning: false, input: ["text" as const] },
    ...{ contextWindow: 0, maxTokens: 100, cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 } },
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  };
  const { content, stopReason, errorMessage } = await complete(model, { messages: [{ role: "user", content: "-", timestamp: 0 }] });
  expect({ stopReason, errorMessage }).toEqual({ stopReason: "stop", errorMessage: undefined });
  expect(content).toMatchObject([{ type: "text", text: "-" }]);
});
