import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";

/** An HTTP proxy on this machine that takes every request to one server, whatever host it names. */
export interface HttpProxy extends AsyncDisposable {
  readonly url: string;
  /** What it was asked to connect to, as `host:port`, in order. */
  readonly targets: readonly string[];
}

export async function startHttpProxy(serverUrl: string): Promise<HttpProxy> {
  const targets: string[] = [];
  const server = createServer();
  server.on("connect", (request, socket, head) => {
    targets.push(request.url ?? "");
    const { hostname, port } = new URL(serverUrl);
    const upstream = connect(Number(port), hostname, () => {
      socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
      upstream.write(head);
      upstream.pipe(socket).pipe(upstream);
    });
    upstream.on("error", () => socket.destroy());
    socket.on("error", () => upstream.destroy());
    socket.on("close", () => upstream.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    targets,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
