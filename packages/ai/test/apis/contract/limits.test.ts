import { createGzip } from "node:zlib";
import { keepOpen, openai, type ProviderResponse, type ProviderServer, startProviderServer } from "@pikit/test-kit";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { answerLimits } from "../../../src/answer-limits.ts";
import { askWire, outcomeOf, wires } from "../../helpers/wires.ts";

let server: ProviderServer;

beforeEach(async () => {
  server = await startProviderServer();
});

afterEach(async () => {
  await server.close();
});

/** A compressed body that begins with these texts and never ends, so that only a reader with limits comes to an end. */
async function bomb(status: number, contentType: string, ...texts: string[]): Promise<ProviderResponse> {
  const gzip = createGzip();
  const chunks: Buffer[] = [];
  gzip.on("data", (chunk: Buffer) => chunks.push(chunk));
  for (const text of texts) await new Promise<void>((resolve) => gzip.write(text, () => resolve()));
  await new Promise<void>((resolve) => gzip.flush(resolve));
  return { status, headers: { "content-type": contentType, "content-encoding": "gzip" }, steps: [Buffer.concat(chunks), keepOpen] };
}

const mebi = "x".repeat(1024 ** 2);

describe.each(wires)("$api", (wireCase) => {
  const ask = () => askWire(wireCase, server);

  test("AI-034 of an error that never ends the beginning is read, and the connection closed", async () => {
    server.respond(await bomb(500, "text/plain", "It broke: ", mebi));
    const answer = ask();
    expect(await outcomeOf(answer)).toMatchObject({ stopReason: "error", code: "overloaded", retryable: true });
    expect((await answer.result()).errorMessage).toMatch(/^500 from test: It broke: x{4000,4090}…$/);
    await (await server.nextRequest()).closed;
  });

  test("AI-034 so it is with a page that stands where a stream should", async () => {
    server.respond(await bomb(200, "text/html", "<title>Welcome</title>", mebi));
    const answer = ask();
    expect(await outcomeOf(answer)).toMatchObject({ stopReason: "error", code: "bad_response", retryable: false });
    expect((await answer.result()).errorMessage).toBe("test answered 200 with text/html instead of a stream: Welcome");
    await (await server.nextRequest()).closed;
  });

  test("AI-033 an event that never ends is an error", async () => {
    const { eventLength } = answerLimits;
    server.respond(await bomb(200, "text/event-stream", "data: ", ...new Array<string>(eventLength / mebi.length + 1).fill(mebi)));
    const answer = ask();
    expect(await outcomeOf(answer)).toMatchObject({ content: [], stopReason: "error", code: "bad_response", retryable: false });
    expect((await answer.result()).errorMessage).toBe(
      `test sent an event of more than ${eventLength} characters, which is over the limit; the connection was closed.`,
    );
    await (await server.nextRequest()).closed;
  });
});

test("AI-033 an answer that never ends is cut, and the connection closed", async () => {
  const [wireCase] = wires.filter(({ api }) => api === "openai-completions");
  if (!wireCase) throw new Error("There is no such wire");
  const { steps = [] } = openai.answer([{ text: "x".repeat(answerLimits.answerLength / 2) }], { ending: [] });
  const events = steps.filter((step) => typeof step === "string");
  server.respond(await bomb(200, "text/event-stream", ...events, ...events));
  const answer = askWire(wireCase, server);
  const { content, errorMessage } = await answer.result();
  expect(answer.failure).toMatchObject({ code: "bad_response", retryable: false });
  expect(errorMessage).toBe(`The answer of test has more than ${answerLimits.answerLength} characters; it was cut there.`);
  expect(content).toMatchObject([{ type: "text" }]);
  await (await server.nextRequest()).closed;
});
