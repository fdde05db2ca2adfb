// Run by long-run.ts: sends requests with a body of so many bytes over one socket, and prints the CPU time of one in milliseconds. What
// nobody who sends the whole conversation can do without.
import { once } from "node:events";
import { connect } from "node:net";

const [address = "", length = "0", times = "0"] = process.argv.slice(2);
const { hostname, port } = new URL(address);
const head = Buffer.from(`POST /sink HTTP/1.1\r\nhost: ${hostname}\r\ncontent-length: ${length}\r\n\r\n`);
const body = Buffer.alloc(Number(length), "a");
const socket = connect(Number(port), hostname).setNoDelay(true);
await once(socket, "connect");
await send(10);
const before = process.cpuUsage();
await send(Number(times));
const { user, system } = process.cpuUsage(before);
console.log((user + system) / 1000 / Number(times));
socket.destroy();

async function send(count: number): Promise<void> {
  for (let sent = 0; sent < count; sent += 1) {
    const answered = once(socket, "data");
    socket.cork();
    socket.write(head);
    socket.write(body);
    socket.uncork();
    await answered;
  }
}
