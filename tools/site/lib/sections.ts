/** The pages of docs/ in the order of the site, by section. A page that is missing here ends the build. */
export const sections: Readonly<Record<string, readonly string[]>> = {
  Use: ["cli", "terminal", "models", "settings", "tools", "bash", "mcp", "acp", "todos", "compaction", "migration"],
  Trust: ["approvals", "sandbox", "undo", "security"],
  Change: ["extensions", "skills", "prompt-templates", "packages", "stream-rules"],
  Build: ["sdk", "rpc-client", "rpc", "json", "agent-chat", "serve", "type-names", "ai", "agent", "record-replay"],
  Recipes: [
    "recipes",
    ...["slack-bot", "ci-reviewer", "notebook", "python-service", "web-back-end", "benchmark"].map((name) => `recipes/${name}`),
  ],
  Operate: ["fleet", "work", "otel", "session-format", "performance", "compatibility", "behaviours"],
};
