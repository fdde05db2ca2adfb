/**
 * Reads the address of a server, such as `http://10.0.0.5:4711` or `https://pi.example/agents`.
 *
 * @returns The address without a slash at its end; undefined if it is none: one with another protocol, a password, a query or a fragment.
 */
export function readAddress(text: string | null | undefined): string | undefined {
  if (text === null || text === undefined || !URL.canParse(text)) return undefined;
  const { protocol, origin, pathname, username, password, search, hash } = new URL(text);
  if (protocol !== "http:" && protocol !== "https:") return undefined;
  if (`${username}${password}${search}${hash}` !== "") return undefined;
  return `${origin}${pathname.replace(/\/+$/, "")}`;
}
