import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { HttpAnswers } from "./http-answers.ts";

/** Maximum milliseconds to wait for the end of a session. */
const terminateMs = 1000;

export interface HttpTransportOptions {
  url: URL;
  headers: Readonly<Record<string, string>>;
}

/** The transport for servers with streamable HTTP. */
export class HttpTransport extends StreamableHTTPClientTransport {
  #isClosed = false;

  constructor({ url, headers }: HttpTransportOptions) {
    const answers = new HttpAnswers((message) => this.onmessage?.(message));
    super(url, { requestInit: { headers: { ...headers } }, fetch: answers.fetch });
  }

  /** Terminates the session, if there is one, and ends all requests. */
  override async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    if (this.sessionId !== undefined) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, terminateMs);
      // If the server does not answer, its session expires later.
      await Promise.race([this.terminateSession().catch(() => undefined), promise]);
      clearTimeout(timer);
    }
    await super.close();
  }

  /** Describes how the connection ended. */
  describeEnd(): string {
    return "the connection ended";
  }
}
