import { resolve } from "node:path";
import { agentFolder } from "../config/paths.ts";
import { findSessionFolder } from "../config/session-dir.ts";
import { findSession } from "../conversation/choose-session.ts";
import { Conversation } from "../conversation/conversation.ts";
import { FileSessionStore } from "../conversation/file-store.ts";
import { UsageError } from "../errors.ts";
import { exportHtml } from "../export/export-html.ts";
import type { Arguments } from "./args.ts";
import { openStoreIfNamed } from "./session-store.ts";

/** Runs `pi --export <session> [out]`: exports the session, even one that is in use, and prints the path of the HTML file. */
export async function exportSession({ options, prompts }: Arguments): Promise<number> {
  const [outputPath, unexpected] = prompts;
  if (unexpected !== undefined)
    throw new UsageError("invalid_arguments", `--export takes one output path, but got "${unexpected}" too.`);
  const cwd = process.cwd();
  const folder = findSessionFolder({ cwd, agentDir: agentFolder(), given: options["session-dir"] });
  const store = (await openStoreIfNamed(options)) ?? new FileSessionStore(resolve(folder));
  const conversation = await Conversation.read(store, await findSession(store, options.export ?? ""));
  try {
    console.log(await exportHtml(conversation, { cwd, outputPath, redactPaths: options["redact-paths"] }));
    return 0;
  } finally {
    await conversation.close();
  }
}
