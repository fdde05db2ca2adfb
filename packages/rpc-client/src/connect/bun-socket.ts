import { ConnectFailure, readRefusal } from "./failure.ts";
import { type Socket, type SocketHandlers, type SocketTarget, subprotocol } from "./socket.ts";

/** Characters that wait for a slow reader. Beyond this, the connection is closed, and made again when the reader has caught up. */
const maxHeldLength = 8 * 1024 * 1024;

/** Milliseconds to learn why a socket was refused. */
const probeTimeoutMs = 15_000;

/** The additional options of the WebSocket of Bun. */
interface BunWebSocket extends WebSocket {
  ping(): void;
  terminate(): void;
}

/** Opens the WebSocket of Bun. It cannot be paused: texts are held, up to a limit. */
export function openSocket(target: SocketTarget, handlers: SocketHandlers): Socket {
  const protocols = target.token === "" ? [subprotocol] : [subprotocol, `bearer.${target.token}`];
  const socket = new WebSocket(target.url, protocols) as BunWebSocket;
  let isOpen = false;
  let isReading = true;
  let held: string[] = [];
  let heldLength = 0;
  let end: ConnectFailure | undefined;
  let isClosed = false;
  const deliver = () => {
    const texts = held;
    held = [];
    heldLength = 0;
    for (const text of texts) if (!isClosed) handlers.onText(text);
    if (end === undefined || isClosed) return;
    isClosed = true;
    handlers.onClose(end);
  };
  const alive = () => void (isClosed || handlers.onSignOfLife());
  socket.addEventListener("message", ({ data }) => {
    if (end !== undefined) return;
    held.push(String(data));
    heldLength += held.at(-1)?.length ?? 0;
    if (isReading) deliver();
    else if (heldLength > maxHeldLength) {
      end = new ConnectFailure("The connection was closed until the reader has caught up.", {});
      socket.terminate();
    }
  });
  for (const name of ["ping", "pong"]) socket.addEventListener(name, alive);
  socket.addEventListener("open", () => {
    isOpen = true;
  });
  socket.addEventListener("close", async ({ code, reason }) => {
    const text = reason === "" ? "" : `: ${reason}`;
    const closed = new ConnectFailure(`The connection was closed with code ${code}${text}.`, {});
    end ??= isOpen ? closed : ((await findRefusal(target)) ?? closed);
    if (isReading) deliver();
  });
  return {
    send: (text) => {
      if (socket.readyState === WebSocket.OPEN) socket.send(text);
    },
    ping: () => {
      if (socket.readyState === WebSocket.OPEN) socket.ping();
    },
    setReading: (value) => {
      isReading = value;
      if (isReading) deliver();
    },
    close: () => {
      isReading = true;
      socket.close(1000);
    },
    terminate: () => socket.terminate(),
  };
}

/** Asks the server why it has refused a socket: Bun does not tell. */
async function findRefusal({ sessionUrl, token }: SocketTarget): Promise<ConnectFailure | undefined> {
  try {
    const headers = { authorization: `Bearer ${token}` };
    const response = await fetch(sessionUrl, { headers, redirect: "manual", signal: AbortSignal.timeout(probeTimeoutMs) });
    const { status, body, ok } = response;
    return ok ? undefined : await readRefusal({ status, body, header: (name) => response.headers.get(name) });
  } catch (cause) {
    return new ConnectFailure(`The connection failed: ${(cause as Error).message}`, { cause });
  }
}
