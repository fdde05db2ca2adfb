// Keeps the state of the working tree before each run and after each turn with tool calls, as a git commit that no branch knows of:
// neither the index nor HEAD nor the stash changes. `/checkpoints` lists them, newest first, and `/checkpoints restore <ref>` brings
// the files of one back; files that came later stay. Ignored files are not kept, unless git tracks them.
import type { ExtensionApi } from "@pikit/coding-agent";

const author = {
  GIT_AUTHOR_NAME: "pi",
  GIT_AUTHOR_EMAIL: "pi@localhost",
  GIT_COMMITTER_NAME: "pi",
  GIT_COMMITTER_EMAIL: "pi@localhost",
};

export default function (pi: ExtensionApi): void {
  let count = 0;
  let lastTree = "";

  async function git(args: readonly string[], env: Record<string, string> = {}): Promise<string> {
    const { stdout, stderr, exitCode } = await pi.exec("git", args, { env: { ...process.env, ...env } });
    if (exitCode !== 0) throw new Error(`git ${args[0]} failed: ${stderr.trim()}`);
    return stdout.trim();
  }

  const isRepository = () => git(["rev-parse", "--is-inside-work-tree"]).then(Boolean, () => false);

  async function keep(sessionId: string, what: string): Promise<void> {
    if (!(await isRepository())) return;
    // An index of its own, so that what the user has staged stays as it is.
    const index = { GIT_INDEX_FILE: await git(["rev-parse", "--path-format=absolute", "--git-path", "pi-checkpoint-index"]) };
    const head = await git(["rev-parse", "--verify", "--quiet", "HEAD"]).catch(() => undefined);
    if (head !== undefined) await git(["read-tree", head], index);
    await git(["add", "--all", ":/"], index);
    const tree = await git(["write-tree"], index);
    if (tree === lastTree) return;
    const parent = head === undefined ? [] : ["-p", head];
    const commit = await git(["commit-tree", tree, ...parent, "-m", what], author);
    count += 1;
    await git(["update-ref", `refs/pi/${sessionId}/${String(count).padStart(4, "0")}`, commit]);
    lastTree = tree;
  }

  pi.on("session_start", async (_event, { sessionId }) => {
    lastTree = "";
    const refs = await git(["for-each-ref", "--format=%(refname)", `refs/pi/${sessionId}`]).catch(() => "");
    count = Number(refs.split("/").at(-1));
  });
  pi.on("agent_start", (_event, { sessionId }) => keep(sessionId, "before the run"));
  pi.on("turn_end", async ({ toolResults }, { sessionId }) => {
    const tools = toolResults.map(({ toolName }) => toolName).join(", ");
    if (tools !== "") await keep(sessionId, `after ${tools}`);
  });

  pi.registerCommand("checkpoints", {
    description: "Lists the checkpoints of this session, or restores one",
    async handler(args, { ui, sessionId }) {
      if (!(await isRepository())) return ui.notify("This folder is not in a git repository.", "warning");
      const [, ref] = /^restore\s+(\S+)$/.exec(args) ?? [];
      if (ref !== undefined) {
        await git(["restore", `--source=refs/${ref}`, "--", ":/"]);
        return ui.notify(`The files are as in ${ref}.`);
      }
      const format = "--format=%(refname:lstrip=1) %(contents:subject)";
      ui.notify((await git(["for-each-ref", "--sort=-refname", format, `refs/pi/${sessionId}`])) || "No checkpoints yet.");
    },
  });
}
