import type { Static, TSchema } from "@sinclair/typebox";
import * as Type from "@sinclair/typebox";
import { InterruptModeSchema, QueueModeSchema } from "../protocol/data.ts";
import { literals } from "../protocol/literals.ts";
import { RequestedThinkingLevelSchema } from "../protocol/messages.ts";
import { approvalPolicies } from "./approval-policies.ts";
import { McpServerSchema } from "./mcp-server-settings.ts";
import { sandboxModes } from "./sandbox-modes.ts";

const paths = (what: string) =>
  Type.Optional(
    Type.Array(Type.String(), { description: `${what} Relative paths start at the folder of this file; ~ is the home folder.` }),
  );

const placesIn = (what: string) =>
  Type.Optional(
    Type.Array(Type.String(), { description: `${what} Relative paths start at the working folder; ~ is the home folder.` }),
  );

const text = (description: string) => Type.Optional(Type.String({ description }));
const flag = (description: string) => Type.Optional(Type.Boolean({ description }));
const count = (description: string, minimum = 0) => Type.Optional(Type.Number({ minimum, description }));

function described<T extends TSchema>(schema: T, description: string) {
  return Type.Optional<T>({ ...schema, description });
}

const rules = (what: string) =>
  Type.Optional(
    Type.Array(Type.String(), {
      description: `${what} Rules are bash(npm test:*), edit(src/**), mcp(server/tool), or the name of a tool.`,
    }),
  );

const patterns = (what: string) =>
  Type.Optional(
    Type.Array(Type.String(), {
      description: `${what} of the package that are loaded: paths and globs; !glob and -path leave some out, +path adds one. Default: all.`,
    }),
  );

/** A package with filters. */
const PackageEntrySchema = Type.Object({
  source: Type.String({ description: "Where the package comes from." }),
  extensions: patterns("The extensions"),
  skills: patterns("The skills"),
  prompts: patterns("The prompt templates"),
  themes: patterns("The themes"),
  autoload: flag("false in a project: the lists change what the user's settings load from the package. Default: true."),
  allowScripts: flag("Whether the install scripts of the package and of its dependencies are run. Default: false."),
});

/** An item of `packages` of the settings. */
export type PackageEntry = string | Static<typeof PackageEntrySchema>;

/** The schema of `settings.json`. */
export const SettingsSchema = Type.Object({
  defaultProvider: text("The provider of defaultModel. Without defaultModel: the provider's default model is used."),
  defaultModel: text("The model: id or provider/id, optionally with :level."),
  defaultThinkingLevel: described(RequestedThinkingLevelSchema, "How hard the model thinks. Default: medium."),
  modelThinkingLevels: Type.Optional(
    Type.Record(Type.String(), RequestedThinkingLevelSchema, {
      description: "How hard single models think, by provider/id. Takes precedence over defaultThinkingLevel.",
    }),
  ),
  enabledModels: Type.Optional(
    Type.Array(Type.String(), {
      description:
        "The models for the start and for changing to the next one: names, or patterns with *, with an optional :level. Default: all.",
    }),
  ),
  defaultTools: Type.Optional(
    Type.Array(Type.String(), { description: "Built-in tools to use. Default: read, bash, edit, write." }),
  ),
  sessionDir: text(
    "The folder of sessions, relative to the working folder; ~ is the home folder. Default: sessions beside this file.",
  ),
  steeringMode: described(QueueModeSchema, "How many steering messages are sent at a time. Default: one-at-a-time."),
  followUpMode: described(QueueModeSchema, "How many follow-ups are sent at a time. Default: one-at-a-time."),
  interruptMode: described(
    InterruptModeSchema,
    "Whether a steering message waits for the tool calls of the turn, or skips those that have not started. Default: wait.",
  ),
  compaction: Type.Optional(
    Type.Object(
      {
        enabled: flag("Whether compaction is automatic. Default: true."),
        reserveTokens: count("Tokens of the context window that stay free for the answer. Default: 16384."),
        keepRecentTokens: count("Tokens of recent messages that are kept unchanged. Default: 20000."),
      },
      { description: "When the older part of a conversation is summarised." },
    ),
  ),
  approval: described(literals(approvalPolicies), "The tool calls that need your approval. Default: never-ask."),
  approvalRules: Type.Optional(
    Type.Object(
      {
        deny: rules("Calls that are refused under every policy."),
        ask: rules("Calls that need your approval under every policy."),
        allow: rules("Calls that need no approval."),
      },
      {
        description:
          "Your own rules for approvals: deny counts first, then ask, then allow. Lists of the user and of the project are joined.",
      },
    ),
  ),
  sandbox: Type.Optional(
    Type.Object(
      {
        mode: described(literals(sandboxModes), "Whether commands run in a sandbox. Default: off."),
        network: Type.Optional(
          Type.Union([Type.Boolean(), Type.Array(Type.String())], {
            description: "Whether commands have a network, or the domains that they may reach. Default: false.",
          }),
        ),
        writable: placesIn("Further files and folders that commands may write."),
        readable: placesIn("Files and folders that commands may read although they are hidden by default."),
        hidden: placesIn("Further files and folders that commands may not read."),
      },
      { description: "The sandbox of commands. Only the user's settings count, not those of a project." },
    ),
  ),
  shell: Type.Optional(
    Type.Object({
      path: text("Absolute path of the shell for commands. Default: bash."),
      timeoutSeconds: count("Time limit of commands without their own, in seconds. Default: 0, no limit."),
      passKeys: flag("Whether commands get environment variables with names of secrets. Default: true."),
    }),
  ),
  shellCommandPrefix: text("Lines that run before each shell command, in the same shell."),
  defaultProjectTrust: described(
    literals(["ask", "always", "never"]),
    "Whether a project whose folder has no stored answer is trusted. Only the user's settings count. Default: ask.",
  ),
  enableSkillCommands: flag("Whether skills are listed as commands. Default: true."),
  retry: Type.Optional(
    Type.Object(
      {
        enabled: flag("Default: true."),
        maxRetries: count("Default: 3."),
        baseDelayMs: count("Milliseconds before the first retry. Each further delay is twice as long. Default: 2000."),
      },
      { description: "Retries after temporary failures of the model." },
    ),
  ),
  undo: Type.Optional(
    Type.Object(
      {
        enabled: flag("Whether what tools change is kept, so that it can be put back. Default: true."),
        commands: flag("Whether what bash changes in a git working tree is kept too. Default: true."),
        commandMs: count("Milliseconds for each look at the working tree, before and after a command. Default: 2000."),
        commandBytes: count("Bytes of changed and untracked files that are kept before a command. Default: 33554432."),
        maxBytes: count("Bytes that are kept for a session. The oldest changes are dropped. Default: 268435456."),
      },
      { description: "What is kept to undo changes of files." },
    ),
  ),
  limits: Type.Optional(
    Type.Object(
      {
        maxTurns: count("Model calls.", 1),
        maxCostUsd: count("US dollars."),
        maxTimeSeconds: count("Seconds."),
        maxToolCalls: count("Tool calls."),
      },
      { description: "The limits of one prompt. Default: no limit." },
    ),
  ),
  extensions: paths("Extensions to load: files, folders, or names of packages that are installed next to this file."),
  skills: paths("Skills: folders with a SKILL.md, or folders of those."),
  prompts: paths("Prompt templates: files, or folders of them."),
  themes: paths("Themes of the terminal: JSON files, or folders of them."),
  packages: Type.Optional(
    Type.Array(Type.Union([Type.String(), PackageEntrySchema]), {
      description:
        "Packages of extensions, skills, prompt templates and themes: npm:name@version, git:host/owner/name@ref, or a path.",
    }),
  ),
  npmCommand: Type.Optional(
    Type.Array(Type.String(), { minItems: 1, description: 'The command that installs packages. Default: ["npm"].' }),
  ),
  mcpServers: Type.Optional(Type.Record(Type.String(), McpServerSchema, { description: "MCP servers by name." })),
  terminal: Type.Optional(
    Type.Object(
      {
        showThinking: flag("Whether thinking is shown in full, not folded. Default: false."),
        showToolOutput: flag("Whether more output of tools is shown. Default: false."),
        plain: flag("Whether the terminal gets plain lines only, as for screen readers. Default: false."),
      },
      { description: "How the terminal shows a conversation." },
    ),
  ),
  serve: Type.Optional(
    Type.Object(
      {
        idleMinutes: count(
          "Minutes after which a session that no client watches, and that does nothing, leaves the memory. Default: 30. 0: never.",
        ),
        graceSeconds: count("Seconds that running prompts get to end after SIGTERM. Default: 30."),
        replayBytes: count(
          "Bytes of the latest frames that are kept of each session for clients that come back. Default: 2097152.",
        ),
        maxSessions: count("Maximum number of sessions in memory. Default: 1000.", 1),
        maxConnections: count("Maximum number of connections. Default: 2000.", 1),
      },
      { description: "The server of pi serve. Only the user's settings count, not those of a project." },
    ),
  ),
  keys: Type.Optional(
    Type.Record(Type.String(), Type.Union([Type.String(), Type.Array(Type.String())]), {
      description: 'Keys of the terminal by the name of their action, such as { "newLine": ["shift+enter", "ctrl+j"] }.',
    }),
  ),
  externalEditor: Type.Optional(
    Type.String({ description: "The command with which the terminal edits a prompt. Default: that of $VISUAL or $EDITOR." }),
  ),
  theme: Type.Optional(
    Type.Union([Type.Record(Type.String(), Type.Union([Type.String(), Type.Number()])), Type.String()], {
      description:
        "The name of a theme of the terminal, or light/dark names of two; or colours by the name of their style: #rrggbb, 0 to 255, or a name such as red.",
    }),
  ),
});

/** The user's settings from `settings.json`. Keys that this version does not know are ignored. */
export type Settings = Static<typeof SettingsSchema>;
