import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { basename } from "node:path";
import type { FileAccess } from "../files/file-access.ts";
import { contentTypeOf } from "./content-types.ts";
import type { Served } from "./find-served.ts";

const chunkBytes = 64 * 1024;

/** Sends a file, or the requested range of it. Memory is bounded, even for a slow reader. */
export async function sendFile(files: FileAccess, file: Served, request: IncomingMessage, response: ServerResponse): Promise<void> {
  response.setHeader("Content-Type", contentTypeOf(basename(file.path)));
  response.setHeader("Accept-Ranges", "bytes");
  const range = parseRange(request.headers.range, file.size);
  if (range === "unsatisfiable") {
    response.writeHead(416, { "Content-Range": `bytes */${file.size}` }).end();
    return;
  }
  const { start, end } = range ?? { start: 0, end: file.size };
  if (range) response.setHeader("Content-Range", `bytes ${start}-${end - 1}/${file.size}`);
  // Opened before the headers are sent, so that an unreadable file becomes an error response.
  const open = await files.open(file.path);
  try {
    response.writeHead(range ? 206 : 200, { "Content-Length": end - start });
    if (request.method === "HEAD") {
      response.end();
      return;
    }
    for (let position = start; position < end && !response.destroyed; ) {
      // A new buffer for each read, because the previous one may still wait to be sent.
      const buffer = new Uint8Array(Math.min(chunkBytes, end - position));
      const bytes = await open.read(buffer, position);
      if (bytes === 0) {
        // The file has become shorter; only a closed connection can report this to the client.
        response.destroy();
        return;
      }
      position += bytes;
      if (!response.write(buffer.subarray(0, bytes)) && !response.destroyed) await drained(response);
    }
    response.end();
  } finally {
    await open.close();
  }
}

async function drained(response: ServerResponse): Promise<void> {
  const done = new AbortController();
  try {
    await Promise.race(["drain", "close"].map((event) => once(response, event, { signal: done.signal })));
  } finally {
    done.abort();
  }
}

/** Parses a single byte range; `end` is exclusive. Several ranges and other units are ignored. */
function parseRange(header: string | undefined, size: number): { start: number; end: number } | "unsatisfiable" | undefined {
  const [, first = "", last = ""] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? "") ?? [];
  if (first === "" && last === "") return undefined;
  const start = first === "" ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === "" || last === "" ? size : Math.min(size, Number(last) + 1);
  if (first !== "" && last !== "" && Number(last) < Number(first)) return undefined;
  return start < end ? { start, end } : "unsatisfiable";
}
