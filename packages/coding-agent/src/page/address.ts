/** The fragment of the page's address, such as `#session=abc&token=xyz`. It is never sent to a server. */
export interface Address {
  token?: string;
  session?: string;
}

/** Reads a fragment. Values of a wrong form are left out. */
export function readAddress(fragment: string): Address {
  const fields = new URLSearchParams(fragment.replace(/^#/, ""));
  const token = fields.get("token") ?? "";
  const session = fields.get("session") ?? "";
  return {
    ...(isToken(token) && { token }),
    ...(session !== "" && session.length <= 200 && { session }),
  };
}

/** The fragment of a session, or of the list. It has no token. */
export function toFragment(session: string | undefined): string {
  return session === undefined ? "" : `#session=${encodeURIComponent(session)}`;
}

/** Whether a text may be a token of a server. */
export function isToken(text: string): boolean {
  return /^[\w-]{1,500}$/.test(text);
}
