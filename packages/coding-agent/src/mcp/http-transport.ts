import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { HttpAnswers } from "./http-answers.ts";

/** How long the goodbye to a session may take. */
const goodbyeMs = 1000;

export interface HttpTransportOptions {
  url: URL;
  headers: Readonly<Record<string, string>>;
}

/** A server that speaks streamable HTTP. */
export class HttpTransport extends StreamableHTTPClientTransport {
  #isClosed = false;

  constructor({ url, headers }: HttpTransportOptions) {
    const answers = new HttpAnswers((message) => this.onmessage?.(message));
    super(url, { requestInit: { headers: { ...headers } }, fetch: answers.fetch });
  }

  /** Says goodbye to the session, if there is one, and ends all requests. */
  override async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    if (this.sessionId !== undefined) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, goodbyeMs);
      // A server that does not answer forgets the session by itself.
      await Promise.race([this.terminateSession().catch(() => undefined), promise]);
      clearTimeout(timer);
    }
    await super.close();
  }

  /** How the connection ended. */
  describeEnd(): string {
    return "the connection ended";
  }
}
