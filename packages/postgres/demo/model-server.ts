import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { type AnswerBlock, openai } from "@pikit/test-kit";
import { createRandom } from "./random.ts";
import { nextStep, type RequestMessage, type ScriptedStep } from "./script.ts";

/** An answer that was sent to its end. */
export interface SentAnswer {
  task: string;
  isFinal: boolean;
  /** The worker that asked, by its API key. */
  worker: string;
}

/** A model provider on this machine. */
export interface ModelServer {
  /** `http://127.0.0.1:<port>/v1`. */
  readonly url: string;
  /** Every answer that was sent to its end, in this order. */
  readonly answers: readonly SentAnswer[];
  /** Requests that it could not answer, as text. */
  readonly problems: readonly string[];
  close(): Promise<void>;
}

/** Milliseconds from a request to the end of its answer. */
const answerMs = { least: 20, most: 80 };

/** Starts a provider that speaks the protocol of OpenAI's chat completions, and answers with `nextStep`. */
export async function startModelServer(seed: number): Promise<ModelServer> {
  const random = createRandom(seed);
  const answers: SentAnswer[] = [];
  const problems: string[] = [];

  const server = createServer(async (request, response) => {
    const body = await readBody(request);
    if (body === undefined) return;
    const step = nextStep((JSON.parse(body) as { messages: RequestMessage[] }).messages);
    if (!step) {
      problems.push(`The model cannot answer this request: ${body.slice(0, 2_000)}`);
      response.writeHead(400).end();
      return;
    }
    if (!(await send(response, step, random.integer(answerMs.least, answerMs.most)))) return;
    const worker = (request.headers.authorization ?? "").replace("Bearer ", "");
    answers.push({ task: step.task, isFinal: step.kind === "final", worker });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    answers,
    problems,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** The body of a request; undefined if the client disconnects before its end. */
async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request) chunks.push(chunk as Buffer);
  } catch {
    return undefined;
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** Streams an answer, with pauses between its events. Returns whether all of it was sent. */
async function send(response: ServerResponse, step: ScriptedStep, durationMs: number): Promise<boolean> {
  const { headers, steps = [] } = openai.answer([blockOf(step)]);
  response.writeHead(200, headers);
  response.flushHeaders();
  for (const event of steps) {
    await wait(durationMs / steps.length);
    if (response.destroyed) return false;
    response.write(event as string);
  }
  return new Promise((resolve) => {
    response.once("close", () => resolve(response.writableFinished));
    response.end();
  });
}

function blockOf(step: ScriptedStep): AnswerBlock {
  if (step.kind === "final") return { text: step.text.split(/(?<= )/) };
  return { toolCall: step.tool, arguments: step.arguments, id: step.id };
}
