// Uses sessions in every way that opens something, and disposes of them. Then it does nothing more: it ends by itself if nothing was left
// open. Writes what keeps the event loop alive before and after, as JSON. Started by handles.test.ts.
// Arguments: working folder, agent folder, model.
import { setImmediate as nextTurn } from "node:timers/promises";
import { createAgentSession } from "@pikit/coding-agent";

export interface HandlesReport {
  before: string[];
  after: string[];
}

const [cwd = "", agentDir = "", model = ""] = process.argv.slice(2);

// The pipes of the output count from their first use on, and Node itself uses stderr when some of its modules are loaded, whenever that is.
void [process.stdout, process.stderr];
const before = await resources();
// Its first answer calls bash, which leaves a child in the background; the second one is text.
await use("new", async (session) => {
  await session.prompt("Start something");
  await session.shell.run("echo by the user");
});
// Two answers at once, one of which is aborted.
await Promise.all([
  use("memory", (session) => session.prompt("Go on")),
  use("memory", async (session) => {
    session.subscribe((event) => void (event.type === "message_update" && session.abort()));
    await session.prompt("Go on");
  }),
]);
// Disposed of while it runs a command.
await use("memory", async (session) => {
  const { promise, resolve } = Promise.withResolvers<void>();
  session.subscribe((event) => void (event.type === "tool_execution_start" && resolve()));
  await session.submit("Wait for ever");
  await promise;
});
const after = await resources();
process.stdout.write(JSON.stringify({ before, after } satisfies HandlesReport));

type Session = Awaited<ReturnType<typeof createAgentSession>>;

async function use(kind: "new" | "memory", work: (session: Session) => Promise<void>): Promise<void> {
  const session = await createAgentSession({ cwd, agentDir, model, session: kind });
  await work(session);
  await session.dispose();
}

/** What has just been closed is gone one turn of the event loop later. */
async function resources(): Promise<string[]> {
  for (let turn = 0; turn < 3; turn += 1) await nextTurn();
  return process.getActiveResourcesInfo().toSorted();
}
