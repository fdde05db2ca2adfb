import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { Client } from "pg";
import type { StoredEntry, StoredSession } from "./facts.ts";

/** Reads a file of JSON lines that workers have appended to. A worker that is killed leaves no half line: each line is one write. */
export function readLines<T>(file: string): T[] {
  const lines = readFileSync(file, "utf8").split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as T);
}

interface EntryRow {
  id: string;
  length: number;
  position: number | null;
  body: string | null;
}

/** Reads all sessions from the tables, without the store that is being tested. */
export async function readSessions(url: string): Promise<StoredSession[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<EntryRow>(
      `select s.id, s.length, e.position, e.body::text from pikit.sessions s left join pikit.entries e on e.session = s.key
       order by s.id, e.position`,
    );
    return [...Map.groupBy(rows, ({ id }) => id)].map(([id, own]) => ({
      id,
      length: own[0]?.length ?? 0,
      entries: own.flatMap(({ position, body }) => (position === null || body === null ? [] : [toEntry(position, body)])),
    }));
  } finally {
    await client.end();
  }
}

/** The hash by which a message is compared; the extension of the workers makes the same. */
function hashOf(message: unknown): string {
  return createHash("sha256").update(JSON.stringify(message)).digest("base64url");
}

function toEntry(position: number, body: string): StoredEntry {
  const { id, parentId, message } = JSON.parse(body) as {
    id: string;
    parentId: string | null;
    message?: { role: string; content: unknown; stopReason?: string };
  };
  const entry = { position, id, parentId };
  if (message === undefined) return entry;
  const { role, content, stopReason } = message;
  return { ...entry, hash: hashOf(message), role, text: textOf(content), ...(stopReason !== undefined && { stopReason }) };
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((block: { text?: unknown }) => (typeof block.text === "string" ? block.text : "")).join("");
}
