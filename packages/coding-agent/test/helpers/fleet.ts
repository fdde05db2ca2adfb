import { startTestServer, type TestServer } from "./serve.ts";
import type { SharedMemory, SharedMemoryStore } from "./shared-store.ts";
import type { Workspace } from "./workspace.ts";

/** A server on a shared store. */
export interface Member extends TestServer {
  store: SharedMemoryStore;
}

/** Starts a server on a shared store; closed at the end of the test. */
export async function startMemberIn(
  workspace: Workspace,
  memory: SharedMemory,
  options: Parameters<typeof startTestServer>[1] = {},
): Promise<Member> {
  const store = memory.connect();
  return { ...(await startTestServer(workspace, { store, ...options })), store };
}
