/**
 * Ids of sessions and entries. They must be unique, but not secret, so Math.random (seeded by the operating system once per process) is
 * sufficient, and the start need not load the crypto module.
 */

/** Creates a UUID of version 7 (RFC 9562), which sorts by time. */
export function createSessionId(now = Date.now()): string {
  const time = now.toString(16).padStart(12, "0").slice(-12);
  const variant = (8 + Math.floor(Math.random() * 4)).toString(16);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomHex(3)}-${variant}${randomHex(3)}-${randomHex(12)}`;
}

/** Creates an id of 8 hex digits for which `isTaken` returns false. */
export function createEntryId(isTaken: (id: string) => boolean): string {
  for (;;) {
    const id = randomHex(8);
    if (!isTaken(id)) return id;
  }
}

/** Whether a session id from the caller is valid: it becomes part of a file name. */
export function isSessionId(id: string): boolean {
  return /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,126}[A-Za-z0-9])?$/.test(id);
}

/** Whether the user's text is the path of a session, not the beginning of an id. */
export function looksLikePath(text: string): boolean {
  return /[/\\]|\.jsonl$/.test(text);
}

function randomHex(digits: number): string {
  let text = "";
  for (let i = 0; i < digits; i += 1) text += Math.floor(Math.random() * 16).toString(16);
  return text;
}
