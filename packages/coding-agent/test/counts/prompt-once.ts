// The smallest program with a session. Started by handles.test.ts. Arguments: working folder, agent folder, model.
import { createAgentSession } from "@pikit/coding-agent";

const [cwd = "", agentDir = "", model = ""] = process.argv.slice(2);
const session = await createAgentSession({ cwd, agentDir, model });
await session.prompt("Say hello");
console.log(session.lastAssistantText());
await session.dispose();
