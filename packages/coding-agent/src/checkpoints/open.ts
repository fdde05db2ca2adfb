import { basename } from "node:path";
import { keptFilesFolder, keptFilesFolderOf } from "../config/paths.ts";
import type { Settings } from "../config/settings.ts";
import type { Conversation } from "../conversation/conversation.ts";
import { isSessionId, looksLikePath } from "../conversation/ids.ts";
import type { FileAccess } from "../tools/files/file-access.ts";
import { localFiles } from "../tools/files/local-files.ts";
import { Checkpoints } from "./checkpoints.ts";
import type { KeptPlace } from "./place.ts";

const megabyte = 1024 * 1024;

/** The defaults of the settings. Files are those that are dirty or untracked before a command, or after it. */
const defaults = { commandMs: 2000, commandBytes: 32 * megabyte, maxBytes: 256 * megabyte, maxFiles: 2000 };

export interface OpenOptions {
  agentDir: string;
  /** Default: the files of this machine. */
  files?: FileAccess | undefined;
  settings?: Settings["undo"] | undefined;
  /** The conversation of the session now; undefined if nothing is kept. */
  conversation(): Conversation | undefined;
  /** Whether commands run on another machine or in a container. */
  runsElsewhere: boolean;
  report(problem: string): void;
}

/** Creates what keeps the changes of the files of a session. */
export function openCheckpoints(options: OpenOptions): Checkpoints {
  const { agentDir, files = localFiles, settings = {}, report } = options;
  const limits = { ...defaults, ...settings };
  const commandsOff = options.runsElsewhere
    ? "the commands of this session run outside of pi"
    : settings.commands === false
      ? "changes of commands are not kept, as the settings say"
      : undefined;
  return new Checkpoints({
    place() {
      const conversation = options.conversation();
      return conversation && placeOf(conversation, agentDir);
    },
    ...{ files, commandsOff, report },
    limits: {
      maxMs: limits.commandMs,
      maxBytes: limits.commandBytes,
      maxFiles: limits.maxFiles,
      maxTotalBytes: limits.maxBytes,
    },
  });
}

/** Where a conversation keeps changes: beside its file, or in the folder of the agent if it is in a database. */
function placeOf(conversation: Conversation, agentDir: string): KeptPlace | undefined {
  const { header, path } = conversation;
  const folder = path === null ? folderOf(header.id, agentDir) : keptFilesFolder(path);
  if (folder === undefined) return undefined;
  const { parentSession } = header;
  const source = parentSession === undefined ? undefined : folderOf(parentSession, agentDir);
  return {
    folder,
    source: source === undefined ? undefined : { folder: source, time: Date.parse(header.timestamp) },
    moment: createMoment(conversation),
    positionOf: (entryId) => conversation.positionOf(entryId),
  };
}

/** @param ref - The path of a session file, or the id of a session in a database. */
function folderOf(ref: string, agentDir: string): string | undefined {
  if (looksLikePath(ref)) return keptFilesFolder(ref);
  return isSessionId(ref) && basename(ref) === ref ? keptFilesFolderOf(ref, agentDir) : undefined;
}

/** Returns a function that finds the latest entry, and the last message of the user on the active branch. */
function createMoment(conversation: Conversation): KeptPlace["moment"] {
  let known: { leafId: string; turn: string | null } | undefined;
  return () => {
    const { leafId } = conversation;
    let node = leafId === null ? undefined : conversation.find(leafId);
    // A turn may have thousands of entries: those that were walked the last time are not walked again.
    while (node && node.id !== known?.leafId && !(node.type === "message" && node.kind === "user")) {
      node = node.parentId === null ? undefined : conversation.find(node.parentId);
    }
    const turn = node === undefined ? null : node.id === known?.leafId ? known.turn : node.id;
    known = leafId === null ? undefined : { leafId, turn };
    return { entry: conversation.nodes.at(-1)?.id ?? null, turn };
  };
}
