import type { SlashCommand, SourceInfo } from "./protocol/data.ts";

/** The package of a resource. */
export interface PackageOrigin {
  /** Its source, without a password. */
  source: string;
  /** Its folder. */
  baseDir: string;
}

/** A file and the place in which it was found. */
export interface SourcedFile {
  /** Undefined for what a program passed as a function. */
  path?: string | undefined;
  /** `path`: named by the user, on the command line or in the settings. Default `path`. */
  location?: SlashCommand["location"];
  /** The package that brings it. */
  package?: PackageOrigin | undefined;
}

/** The origin of a file. */
export function toSourceInfo({ path = "<inline>", location = "path", package: origin }: SourcedFile): SourceInfo {
  if (origin) return { path, ...origin, scope: location === "path" ? "temporary" : location, origin: "package" };
  const place = location === "path" ? ({ source: "cli", scope: "temporary" } as const) : { source: "auto", scope: location };
  return { path, ...place, origin: "top-level" };
}

/** Adds `sourceInfo` to a command that has none. */
export function withSourceInfo(command: SlashCommand): SlashCommand {
  return { ...command, sourceInfo: command.sourceInfo ?? toSourceInfo(command) };
}
