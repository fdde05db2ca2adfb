import type { IncomingMessage, ServerResponse } from "node:http";
import { isPagePath, type PageFile, readPageFiles } from "../page-files.ts";
import { HttpError } from "./http-error.ts";

/** Answers requests for the files of the page. They need no token: the page asks the user for it. */
export class PageRoute {
  readonly #folder: string | undefined;
  #reading: Promise<ReadonlyMap<string, PageFile>> | undefined;

  /** @param folder - Of the files. Default: that of this installation. */
  constructor(folder: string | undefined) {
    this.#folder = folder;
  }

  /**
   * Answers a request if it is for a file of the page.
   *
   * @returns Whether it is.
   * @throws {HttpError} `method_not_allowed`; `not_found` when the installation has no page.
   */
  async answer({ method, url = "" }: IncomingMessage, response: ServerResponse): Promise<boolean> {
    const [path = ""] = url.split("?");
    if (!isPagePath(path)) return false;
    if (method !== "GET" && method !== "HEAD") {
      throw new HttpError("method_not_allowed", "This address takes GET, HEAD.", { allow: "GET, HEAD" });
    }
    const file = (await this.#read()).get(path);
    if (!file) throw new HttpError("not_found", "This installation has no page: its files are missing. Install pi again.");
    // The body of an answer to HEAD is dropped.
    response.writeHead(200, file.headers).end(file.body);
    return true;
  }

  async #read(): Promise<ReadonlyMap<string, PageFile>> {
    this.#reading ??= readPageFiles(this.#folder);
    try {
      return await this.#reading;
    } catch {
      // They are read again with the next request: during an update of pi they are missing for a moment.
      this.#reading = undefined;
      return new Map();
    }
  }
}
