import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { readWhole } from "@pikit/ai/files";

/** An HTTP answer. */
interface FileAnswer {
  body: Buffer;
  /** All headers that the answer needs, `content-length` included. */
  headers: Readonly<Record<string, string>>;
}

/** A file of the page, as an HTTP answer. */
export interface PageFile extends FileAnswer {
  /** The answer for a client that takes gzip; undefined if the file is not compressed. */
  compressed?: FileAnswer;
}

/** The page runs its own script and style only, and talks to its own server only. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src data: blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** The path of each file on the server → its name in the build and its type. Names that end in `.gz` are those of compressed files. */
const files = {
  "/": { name: "index.html", type: "text/html; charset=utf-8" },
  "/page.js": { name: "page.js.gz", type: "text/javascript; charset=utf-8" },
  "/page.css": { name: "page.css", type: "text/css; charset=utf-8" },
} as const;

/** Maximum bytes of a file. The build keeps them far below it. */
const maxFileBytes = 4 * 1024 * 1024;

/**
 * Reads the files of the page.
 *
 * @param folder - The folder of the built page. Default: that of this installation.
 * @returns The files by their paths on the server: `/`, `/page.js` and `/page.css`.
 * @throws The error of the system, when the package was not built or lacks a file.
 */
export async function readPageFiles(folder: string = pageFolder()): Promise<ReadonlyMap<string, PageFile>> {
  const read = Object.entries(files).map(async ([path, { name, type }]): Promise<[string, PageFile]> => {
    const body = await readWhole(join(folder, name), maxFileBytes);
    return [path, name.endsWith(".gz") ? compressedFile(body, type) : { body, headers: headersOf(body, type) }];
  });
  return new Map(await Promise.all(read));
}

function compressedFile(compressed: Buffer, type: string): PageFile {
  const body = gunzipSync(compressed, { maxOutputLength: maxFileBytes });
  const vary = { vary: "accept-encoding" };
  return {
    body,
    headers: { ...headersOf(body, type), ...vary },
    compressed: { body: compressed, headers: { ...headersOf(compressed, type), ...vary, "content-encoding": "gzip" } },
  };
}

/** The answer with a file for a client with this `accept-encoding` header. */
export function answerFor(file: PageFile, acceptEncoding: string | undefined): FileAnswer {
  const codings = (acceptEncoding ?? "").toLowerCase().split(",");
  const takesGzip = codings.some((coding) => /^\s*gzip\s*(?:;\s*q=(?:0?\.\d*[1-9]|1)|$)/.test(coding));
  return (takesGzip ? file.compressed : undefined) ?? file;
}

function headersOf(body: Buffer, type: string): Record<string, string> {
  return {
    "content-type": type,
    "content-length": String(body.length),
    "content-security-policy": contentSecurityPolicy,
    // The files have the same names in every version.
    "cache-control": "no-cache",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
  };
}

/** The folder of the built page: that of the package, also when this file runs from the sources. */
function pageFolder(): string {
  if (import.meta.url.endsWith(".ts")) return fileURLToPath(new URL("../../../dist/page", import.meta.url));
  const packageJson = createRequire(import.meta.url).resolve("@pikit/coding-agent/package.json");
  return join(dirname(packageJson), "dist", "page");
}
