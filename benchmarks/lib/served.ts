import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { Agent, type IncomingMessage, request } from "node:http";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { cli } from "./agents.ts";
import type { Workplace } from "./workplace.ts";

/** A `pi serve` that listens. */
export class Served implements AsyncDisposable {
  readonly child: ChildProcess;
  readonly url: string;
  readonly token: string;
  readonly #agent = new Agent({ keepAlive: true });

  private constructor(child: ChildProcess, url: string, token: string) {
    this.child = child;
    this.url = url;
    this.token = token;
  }

  /** @param nodeOptions - Arguments for Node. The process has an IPC channel. */
  static async start(workplace: Workplace, ...nodeOptions: readonly string[]): Promise<Served> {
    const child = spawn(process.execPath, [...nodeOptions, cli, "serve", "--port", "0", "--json"], {
      ...workplace,
      stdio: ["ignore", "pipe", "inherit", "ipc"],
    });
    const [line] = (await once(createInterface(child.stdout as Readable), "line")) as [string];
    const { url, tokenFile } = JSON.parse(line) as { url: string; tokenFile: string };
    return new Served(child, url, (await readFile(tokenFile, "utf8")).trim());
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  /** Begins sessions that are not stored, so many at a time, and returns their ids. */
  async begin(count: number, parallel = count): Promise<string[]> {
    const ids: string[] = [];
    while (ids.length < count) {
      const size = Math.min(parallel, count - ids.length);
      const begun = await Promise.all(Array.from({ length: size }, () => this.post("/v1/sessions", { session: "memory" })));
      ids.push(...begun.map(({ sessionId }) => String(sessionId)));
    }
    return ids;
  }

  /** The addresses of the events of sessions. */
  eventsOf(ids: readonly string[]): string[] {
    return ids.map((id) => `${this.url}/v1/sessions/${id}/events`);
  }

  /** Sends a command to a session. */
  command(id: string, command: object): Promise<Record<string, unknown>> {
    return this.post(`/v1/sessions/${id}/commands`, command);
  }

  async post(path: string, body: object): Promise<Record<string, unknown>> {
    const response = await this.send(path, body);
    const answer = JSON.parse(Buffer.concat(await response.toArray()).toString()) as Record<string, unknown>;
    if (response.statusCode === undefined || response.statusCode >= 400 || answer.success === false) {
      throw new Error(`${path}: ${JSON.stringify(answer)}`);
    }
    return answer;
  }

  /** Resolves with an answer whose body has not been read. */
  send(path: string, body: object): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${this.token}`, "content-type": "application/json" };
      request(`${this.url}${path}`, { method: "POST", headers, agent: this.#agent }, resolve)
        .on("error", reject)
        .end(JSON.stringify(body));
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#agent.destroy();
    this.child.kill();
    await once(this.child, "exit");
  }
}
