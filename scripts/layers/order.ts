/** A package of ours and what its sources may import. */
export interface PackageLayers {
  /** Its folder in the repository. */
  folder: string;
  /** The packages of ours that it may import; an entry point of one stands for itself alone. */
  imports: readonly string[];
  /** The only file that may import values from them; every other file imports types. Default: every file may. */
  valuesOnlyIn?: string;
  /** Whether it may import modules of Node. Default: true. */
  node?: false;
  /**
   * The rooms of `src`, which are folders and files: each imports only from itself and from rooms before it. `x/*` stands for the folders of
   * `x` that are not listed by themselves; they import nothing from each other. Empty: the package is one room.
   */
  rooms: readonly string[];
  /** Whether files directly in `src` need not be listed; they then import from every room, and every room from them. Default: false. */
  hasFreeFiles?: true;
  /** Rooms that import from outside only what stands here, beside types of `imports`. */
  closedRooms?: Readonly<Record<string, readonly string[]>>;
  /** Modules that other modules load with `import()` or import types from; `*` stands for one name. */
  late?: readonly string[];
}

/** The order of all layers, the lowest first. scripts/check-layers.ts holds the sources to it. */
export const layers: readonly PackageLayers[] = [
  {
    folder: "packages/ai",
    imports: [],
    rooms: ["files", "catalog", "history", "apis", "apis/*", "recording"],
    hasFreeFiles: true,
  },
  { folder: "packages/agent", imports: ["@pikit/ai"], node: false, rooms: [] },
  {
    folder: "packages/coding-agent",
    imports: ["@pikit/ai", "@pikit/agent"],
    rooms: [
      // The wire, and what all rooms may use.
      ...["protocol", "errors.ts", "runtime.ts", "suggest.ts", "until-aborted.ts", "version.ts", "type-builder.ts"],
      ...["risk-tiers.ts", "user-interface.ts", "locks"],
      // What a session is made of.
      ...["config", "conversation", "models", "prompt", "exec", "todo"],
      ...["tools/output", "tools/files", "tools/images", "tools/search", "tools/*", "tools"],
      ...["approvals", "mcp", "run", "export", "extensions"],
      // The session, its views, and who starts them.
      ...["session", "modes", "modes/*", "serve.ts", "index.ts", "cli", "main.ts", "cli.ts"],
      "session-store-tests.ts",
    ],
    closedRooms: { protocol: ["@sinclair/typebox", "@pikit/ai/partial-arguments"] },
    late: ["tools/*/run.ts"],
  },
  {
    folder: "packages/rpc-client",
    imports: ["@pikit/ai", "@pikit/agent", "@pikit/coding-agent/protocol"],
    valuesOnlyIn: "protocol.ts",
    rooms: [],
  },
  { folder: "packages/test-kit", imports: [], rooms: [] },
];

/** Other folders with code of ours, in which only circles are looked for. */
export const programs: readonly string[] = ["scripts", "benchmarks", ...layers.map(({ folder }) => `${folder}/test`)];
