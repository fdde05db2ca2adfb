/**
 * What of @pikit/coding-agent shares a file because it is loaded together. The sources load each module with `import()` in the function that
 * needs it, and know nothing of these groups.
 *
 * - `modules`: what one of them needs is in the file of all of them.
 * - `users`: other modules that are loaded with `import()` and reach much of the group. They take the file as a whole, since every set of
 *   modules that only some of them share would become a file of its own.
 */
export const groups = [
  {
    // What checks records with schemas. A start with a models.json needs it, and so does the first prompt.
    modules: [
      "src/modes/rpc/read-params.ts",
      "src/models/custom-providers.ts",
      "src/config/all-settings.ts",
      "src/protocol/events.ts",
      "../agent/src/validate-arguments.ts",
    ],
    users: /\/(run-agent-rpc|rpc-command|session-extensions|protocol\/index|agent-chat\/protocol|mcp-servers)\.ts$|^@/,
  },
  {
    // What carries out calls of the usual tools, and commands.
    modules: [
      ...["read", "bash", "edit", "write"].map((tool) => `src/tools/${tool}/run.ts`),
      "src/exec/local-runner.ts",
      "src/approvals/judge.ts",
    ],
    users: /\/tools\/\w+\/run\.ts$|\/(ripgrep-search|scan-tree|mcp-servers|stdio-transport|connect|run-agent-rpc)\.ts$|^@/,
  },
  {
    // What a model sees of the tools that only some sessions have.
    modules: ["grep", "find", "ls", "todo", "preview", "delegate"].map((tool) => `src/tools/${tool}/definition.ts`),
    users: /\/tools\/\w+\/run\.ts$|\/(ripgrep-search|scan-tree)\.ts$/,
  },
  {
    // What searches.
    modules: [
      ...["grep", "find", "ls"].map((tool) => `src/tools/${tool}/run.ts`),
      "src/tools/grep/ripgrep-search.ts",
      "src/tools/grep/scan-tree.ts",
    ],
  },
  {
    // Sessions in files, and what else is changed under a lock.
    modules: ["src/conversation/file-store.ts", "src/conversation/session-file.ts"],
    users: /\/project-trust\.ts$/,
  },
  {
    // What the first prompt needs of what the folder and the user bring to it.
    modules: ["context-files", "skills", "templates", "system-prompt"].map((name) => `src/prompt/${name}.ts`),
  },
  {
    // What compacts a conversation.
    modules: ["cut-point", "file-lists", "summarize", "summary-text"].map((name) => `src/run/compaction/${name}.ts`),
  },
  {
    // What serves a protocol on streams of the program's own.
    modules: ["src/modes/rpc/rpc-mode.ts", "src/modes/agent-chat/agent-chat-mode.ts", "src/modes/stdout.ts"],
  },
];
