import type { CommandInfo, SourceInfo, ToolInfo } from "./api-tools.ts";
import type { Extension } from "./extension.ts";
import type { SessionAccess } from "./session-access.ts";

type Location = "user" | "project" | "path";

/** Describes the tools of a session, active or not. */
export function describeTools(session: SessionAccess, extensions: readonly Extension[]): ToolInfo[] {
  return session.allTools.map((tool) => {
    const { name, description, parameters } = tool;
    const owner = extensions.find(({ tools }) => tools.has(name));
    const promptGuidelines = owner?.tools.get(name)?.promptGuidelines;
    const sourceInfo = session.isBuiltIn(tool)
      ? named("builtin", name)
      : owner
        ? sourceOf(owner.path, owner.location)
        : named("sdk", name);
    return { name, description, parameters, ...(promptGuidelines ? { promptGuidelines } : {}), sourceInfo };
  });
}

/** Describes the commands of a session: those of extensions, then templates and skills. */
export function describeCommands(session: SessionAccess, extensions: readonly Extension[]): CommandInfo[] {
  const own = extensions.flatMap(({ commands, path, location }) =>
    [...commands].map(([name, { description }]) => ({ name, description, source: "extension" as const, path, location })),
  );
  return [...own, ...session.promptCommands].map(({ name, description, source, path = "", location = "user" }) => ({
    ...{ name, source },
    ...(description === undefined ? {} : { description }),
    sourceInfo: sourceOf(path, location),
  }));
}

function named(source: "builtin" | "sdk", name: string): SourceInfo {
  return { path: `<${source}:${name}>`, source, scope: "temporary", origin: "top-level" };
}

function sourceOf(path: string, location: Location): SourceInfo {
  return { path, source: "local", scope: location === "path" ? "temporary" : location, origin: "top-level" };
}
