import { createHash } from "node:crypto";
import { lstatSync, rmSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { deflateRaw, deflateRawSync, inflateRaw } from "node:zlib";
import { makeFolderSync, readWhole, replaceFileSync } from "@pikit/ai/files";
import { writeAll } from "./journal.ts";

/** Contents up to this size are compressed at once: a thread would take longer. Bytes. */
const smallBytes = 64 * 1024;
/** Maximum size of one content, in bytes. */
export const maxImageBytes = 16 * 1024 * 1024;
/** The first byte of an object: how its content is stored. */
const plain = 0;
const deflated = 1;

const compress = promisify(deflateRaw);
const decompress = promisify(inflateRaw);

/** The name of a content in the store. */
export function hashOf(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}

/** Contents of files by their hash, compressed, one file each. An object appears whole or not at all, also if the process is killed. */
export class ObjectStore {
  readonly folder: string;
  #hasFolder = false;
  #added = 0;

  constructor(folder: string) {
    this.folder = folder;
  }

  /** Bytes that this object has added to the store. */
  get addedBytes(): number {
    return this.#added;
  }

  has(hash: string): boolean {
    return lstatSync(this.#pathOf(hash), { throwIfNoEntry: false }) !== undefined;
  }

  /** Stores a content. @returns Its hash. @throws The system's error. */
  async put(content: Uint8Array): Promise<string> {
    const hash = hashOf(content);
    if (this.has(hash)) return hash;
    const packed = content.length <= smallBytes ? deflateRawSync(content, { level: 1 }) : await compress(content, { level: 1 });
    const isSmaller = packed.length < content.length;
    const stored = isSmaller ? packed : content;
    if (!this.#hasFolder) makeFolderSync(this.folder, 0o700);
    this.#hasFolder = true;
    const path = this.#pathOf(hash);
    if (this.has(hash)) return hash;
    replaceFileSync(path, (file) => {
      writeAll(file, Uint8Array.of(isSmaller ? deflated : plain));
      writeAll(file, stored);
    });
    this.#added += stored.length + 1;
    return hash;
  }

  /** Reads a content; undefined if it is missing or damaged. */
  async read(hash: string): Promise<Buffer | undefined> {
    try {
      const stored = await readWhole(this.#pathOf(hash), maxImageBytes + 1);
      const body = stored.subarray(1);
      const content = stored[0] === deflated ? await decompress(body, { maxOutputLength: maxImageBytes }) : body;
      return hashOf(content) === hash ? content : undefined;
    } catch {
      return undefined;
    }
  }

  /** The hash and stored bytes of each object. */
  async list(): Promise<{ hash: string; bytes: number }[]> {
    const names = await readdir(this.folder).catch((): string[] => []);
    const found = names.map(async (hash) => ({ hash, bytes: (await stat(this.#pathOf(hash)).catch(() => undefined))?.size ?? 0 }));
    return Promise.all(found);
  }

  remove(hash: string): void {
    rmSync(this.#pathOf(hash), { force: true });
  }

  #pathOf(hash: string): string {
    return join(this.folder, hash);
  }
}
