/** The packages of related programs, under both of their scopes, with an optional path inside the package. */
const familyPattern = /^@(?:mariozechner|earendil-works)\/pi-(coding-agent|ai|agent-core|tui)(?:\/.+)?$/;
const typeboxPattern = /^(?:@sinclair\/)?typebox(?:\/(\w+))?$/;

/** Each has the names of all versions of the package, and of the modules inside it. */
const modules: Readonly<Record<string, () => Promise<object>>> = {
  "coding-agent": async () => (await import("./coding-agent.ts")).codingAgentModule,
  ai: async () => (await import("./ai.ts")).loadAi(),
  "agent-core": async () => (await import("./agent-core.ts")).agentCoreModule,
  tui: async () => (await import("./tui.ts")).loadTui(),
};

/**
 * Finds a module that extensions for related programs import. It is ours, with the names of theirs.
 *
 * @returns A function that loads the module. Undefined for other names.
 */
export function findFamilyModule(name: string): (() => Promise<object>) | undefined {
  const part = typeboxPattern.exec(name);
  if (part) return async () => (await import("./typebox.ts")).loadTypebox(part[1]);
  const found = familyPattern.exec(name)?.[1];
  return found === undefined ? undefined : modules[found];
}
