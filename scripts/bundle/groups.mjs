/**
 * Modules of @pikit/coding-agent that share a file of the build because they are loaded together. The sources load each of them with `import()`
 * in the function that needs it, and know nothing of these groups.
 *
 * - `modules`: the file of a group contains these, and everything that only they import.
 * - `users`: other modules that are loaded with `import()` and import much of the group. They load the whole file, because each set of modules
 *   that only some of them share would be a file of its own.
 */
export const groups = [
  {
    // Commands with parameters, and configuration files. A start with a models.json needs them, and so does the first prompt.
    modules: [
      "src/modes/rpc-session/read-params.ts",
      "src/modes/rpc-session/param-handlers.ts",
      "src/modes/rpc-session/prompt-results.ts",
      "src/models/custom-providers.ts",
      "src/models/usual-model.ts",
      "src/config/all-settings.ts",
      "src/config/read-settings.ts",
    ],
    users:
      /\/(session-extensions|trust-decision|run-terminal|login|doctor|packages|undo|run-agent-rpc|agent-chat-mode|session-methods|rpc-mode|stdout|marked-resources|extension-places|load-packages|model-scope|find-model|first-steps|find-command)\.ts$|^@/,
  },
  {
    // Checks of records against schemas.
    modules: [
      ...["validate", "commands", "frames", "events"].map((name) => `src/protocol/${name}.ts`),
      "src/models/custom-provider-schemas.ts",
      "src/config/settings.ts",
      "../agent/src/validate-arguments.ts",
    ],
    users:
      /\/(run-agent-rpc|rpc-command|session-extensions|trust-decision|protocol\/index|agent-chat\/protocol|mcp-servers)\.ts$|^@/,
  },
  {
    // Calls of the usual tools, and their approval and commands.
    modules: [
      ...["read", "bash", "edit", "write"].map((tool) => `src/tools/${tool}/run.ts`),
      "src/exec/local-runner.ts",
      "src/approvals/judge.ts",
    ],
    users:
      /\/tools\/\w+\/run\.ts$|\/(ripgrep-search|scan-tree|mcp-servers|stdio-transport|connect|run-agent-rpc)\.ts$|\/family\/modules\/|^@/,
  },
  {
    // Definitions of the tools that only some sessions have.
    modules: ["grep", "find", "ls", "todo", "preview", "delegate"].map((tool) => `src/tools/${tool}/definition.ts`),
    users: /\/tools\/\w+\/run\.ts$|\/(ripgrep-search|scan-tree)\.ts$|\/family\/modules\//,
  },
  {
    // Searches.
    modules: [
      ...["grep", "find", "ls"].map((tool) => `src/tools/${tool}/run.ts`),
      "src/tools/grep/ripgrep-search.ts",
      "src/tools/grep/scan-tree.ts",
      "src/tools/search/render-paths.ts",
    ],
  },
  {
    // Sessions in files, and other files that are changed under a lock.
    modules: ["src/conversation/file-store.ts", "src/conversation/session-file.ts"],
    users:
      /\/(project-trust|commands\/login|first-steps|append-prompt|packages|create-token|write-lines|load-packages|describe-session|raw-lines)\.ts$/,
  },
  {
    // Files are read and written.
    modules: ["../ai/src/files/index.ts"],
    users: /\/serve\/http\/(token-check|upgrade)\.ts$/,
  },
  {
    // Resources of the first prompt.
    modules: ["read-resources", "context-files", "prompt-files", "skills", "templates", "system-prompt"].map(
      (name) => `src/prompt/${name}.ts`,
    ),
    users:
      /\/family\/modules\/|\/(source-info|trust-decision|session-extensions|commands\/packages|marked-resources|load-packages)\.ts$/,
  },
  {
    // A run, and what the adapters of all vendors share.
    modules: [
      ...["../agent/src/agent-loop.ts", "../ai/src/assembler.ts"],
      ...[
        "provider-fetch",
        "http-request",
        "request-content",
        "prepared-request",
        "tool-names",
        "tool-schema",
        "wire-event",
        "sse",
      ].map((name) => `../ai/src/apis/${name}.ts`),
      ...["history", "history/kept-histories"].map((name) => `../ai/src/${name}.ts`),
    ],
    users: /\/apis\/[\w-]+\/adapter\.ts$|\/recording\/recorder\.ts$|\/coding-agent\/src\/index\.ts$|\/family\/modules\/|^@/,
  },
  {
    // Compaction.
    modules: ["branch-summary", "cut-point", "file-lists", "summarize", "summary-text"].map(
      (name) => `src/run/compaction/${name}.ts`,
    ),
    users: /\/family\/modules\//,
  },
  {
    // The modules that extensions for related programs import.
    modules: ["coding-agent", "ai", "agent-core", "tui", "typebox"].map((name) => `src/extensions/family/modules/${name}.ts`),
  },
  {
    // The conversation in a terminal. What it loads late is used with it only.
    modules: ["src/cli/run-terminal.ts"],
    users: /\/modes\/terminal\/[\w/-]+\.ts$/,
  },
  {
    // The modes for people.
    modules: ["src/modes/person-notes.ts", "src/modes/files-in-prompt.ts"],
    users: /\/cli\/prompts\.ts$/,
  },
  {
    // What extensions need for people to see their tools.
    modules: ["src/tools/tool-rendering.ts", "src/theme/ui-theme.ts"],
    users: /\/family\/modules\//,
  },
  {
    // Protocols on the streams of a program that uses the library.
    modules: ["src/modes/rpc/rpc-mode.ts", "src/modes/agent-chat/agent-chat-mode.ts", "src/modes/stdout.ts"],
  },
  {
    // The start of a server; the modules for its requests share much with it.
    modules: ["src/cli/commands/serve.ts"],
    users: /\/modes\/serve\/(?:http|sessions)\/[\w-]+\.ts$|\/modes\/serve\/page-files\.ts$/,
  },
];
