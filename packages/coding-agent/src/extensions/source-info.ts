import { type SourcedFile, toSourceInfo } from "../source-info.ts";
import type { CommandInfo, SourceInfo, ToolInfo } from "./api-tools.ts";
import type { Extension } from "./extension.ts";
import type { SessionAccess } from "./session-access.ts";

/** Describes the tools of a session, active or not. */
export function describeTools(session: SessionAccess, extensions: readonly Extension[]): ToolInfo[] {
  return session.allTools.map((tool) => {
    const { name, description, parameters } = tool;
    const owner = extensions.find(({ tools }) => tools.has(name));
    const promptGuidelines = owner?.tools.get(name)?.promptGuidelines;
    const sourceInfo = session.isBuiltIn(tool) ? named("builtin", name) : owner ? sourceOf(owner) : named("sdk", name);
    return { name, description, parameters, ...(promptGuidelines ? { promptGuidelines } : {}), sourceInfo };
  });
}

/** Describes the commands of a session: those of extensions, then templates and skills. */
export function describeCommands(session: SessionAccess, extensions: readonly Extension[]): CommandInfo[] {
  const own = extensions.flatMap((extension) =>
    [...extension.commands].map(([name, { description }]) => ({
      ...{ name, description, source: "extension" as const },
      sourceInfo: sourceOf(extension),
    })),
  );
  const others = session.promptCommands.map((command) => ({ ...command, sourceInfo: command.sourceInfo ?? sourceOf(command) }));
  return [...own, ...others].map(({ name, description, source, sourceInfo }) => ({
    ...{ name, source, sourceInfo },
    ...(description === undefined ? {} : { description }),
  }));
}

function named(source: "builtin" | "sdk", name: string): SourceInfo {
  return { path: `<${source}:${name}>`, source, scope: "temporary", origin: "top-level" };
}

function sourceOf({ path = "", location = "user", package: origin }: SourcedFile): SourceInfo {
  if (origin) return toSourceInfo({ path, location, package: origin });
  return { path, source: "local", scope: location === "path" ? "temporary" : location, origin: "top-level" };
}
