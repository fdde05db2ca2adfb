/** The pages of docs/ in the order of the site, by section. A page that is missing here ends the build. */
export const sections: Readonly<Record<string, readonly string[]>> = {
  Use: ["cli", "terminal", "models", "settings", "approvals", "sandbox", "undo", "tools", "bash", "mcp", "acp", "todos", "compaction"],
  Change: ["extensions", "skills", "prompt-templates", "packages", "stream-rules"],
  Build: ["sdk", "rpc-client", "rpc", "json", "agent-chat", "serve", "type-names", "ai", "agent", "record-replay"],
  Operate: ["fleet", "work", "session-format", "performance", "compatibility", "behaviours"],
};
