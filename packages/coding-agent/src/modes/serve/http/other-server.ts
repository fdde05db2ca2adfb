import type { IncomingMessage } from "node:http";
import type { ElsewhereError } from "../sessions/elsewhere.ts";
import { HttpError, retrySoon } from "./http-error.ts";

/** The header of an answer with the address of the server that has the session. */
export const serverHeader = "pi-session-server";

/** The header of a request that another server has forwarded. It is not forwarded again. */
export const forwardedHeader = "pi-forwarded";

/** The answer that sends a client to the server which has the session; `conflict` if that server has announced no address. */
export function toRedirect({ id, address }: ElsewhereError, { url = "" }: IncomingMessage): HttpError {
  if (address === null) {
    return new HttpError(
      "conflict",
      `Another server has the session ${id} open, and has announced no address. Start it with --announce, or try again when it has closed the session.`,
      retrySoon,
    );
  }
  return new HttpError("elsewhere", `The session ${id} is open in the server ${address}. Send the request there.`, {
    location: `${address}${url}`,
    [serverHeader]: address,
  });
}
