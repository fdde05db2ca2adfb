/** A package of ours and what its sources may import. */
export interface PackageLayers {
  /** Its folder in the repository. */
  folder: string;
  /** The packages of ours that it may import. `@pikit/x` includes all entry points of x; `@pikit/x/y` is one entry point. */
  imports: readonly string[];
  /** The only file that may import values from them; every other file imports types. Default: every file may. */
  valuesOnlyIn?: string;
  /** Whether it may import modules of Node. Default: true. */
  node?: false;
  /**
   * The rooms of `src`, which are folders and files, the lowest first. A room imports only from itself and from rooms before it. `x/*` means each
   * folder of `x` that is not listed by itself; these folders import nothing from each other. Empty: the package is one room.
   */
  rooms: readonly string[];
  /** Whether the files directly in `src` need no room: they import from every room, and every room from them. Default: false. */
  hasFreeFiles?: true;
  /** Rooms that import nothing from outside the package except these modules, and types of `imports`. */
  closedRooms?: Readonly<Record<string, readonly string[]>>;
  /** Modules that others load with `import()`, or import types from; `*` means any one name. */
  late?: readonly string[];
  /** Files that load a package with `import()` whose name is known at run time only: it is installed when a user needs it. */
  loadsByName?: readonly string[];
}

/** The order of all layers, the lowest first. scripts/check-layers.ts checks the sources against it. */
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
      // The wire, and files for all rooms.
      ...[
        "protocol",
        "render",
        "page",
        "errors.ts",
        "runtime.ts",
        "suggest.ts",
        "trace-context.ts",
        "source-info.ts",
        "until-aborted.ts",
        "process-work.ts",
        "version.ts",
        "type-builder.ts",
        "theme",
      ],
      ...["risk-tiers.ts", "terminal-interface.ts", "user-interface.ts", "locks"],
      // The parts of a session.
      ...["config", "conversation", "models", "prompt", "exec", "todo"],
      ...["tools/output", "tools/files", "sandbox", "tools/images", "tools/search", "tools/*", "tools"],
      ...["approvals", "mcp", "checkpoints", "run", "export", "extensions", "packages"],
      // The session, its modes, and the command line.
      ...["session", "modes", "modes/rpc-session", "modes/*", "serve.ts", "index.ts", "cli", "main.ts", "cli.ts"],
    ],
    // These three run in browsers, too.
    closedRooms: {
      protocol: ["@sinclair/typebox", "@pikit/ai/partial-arguments", "@pikit/ai/host-model"],
      render: ["highlight.js", "marked"],
      page: ["eventsource-parser"],
    },
    late: ["tools/*/run.ts"],
    loadsByName: ["config/named-package.ts", "sandbox/runtime-package.ts"],
  },
  {
    folder: "packages/rpc-client",
    imports: ["@pikit/ai", "@pikit/agent", "@pikit/coding-agent/protocol"],
    valuesOnlyIn: "protocol.ts",
    rooms: [],
  },
  {
    folder: "packages/postgres",
    imports: ["@pikit/coding-agent"],
    // Only the work needs the queue, which is an optional peer.
    rooms: ["errors.ts", "database", "store", "index.ts", "work"],
  },
  {
    folder: "packages/otel",
    imports: ["@pikit/coding-agent"],
    // Programs that use the library need only the API of OpenTelemetry, not the SDK.
    rooms: ["index.ts", "pi.ts"],
    hasFreeFiles: true,
  },
  { folder: "packages/test-kit", imports: [], rooms: [] },
];

/** Other folders with code of ours, in which only circles are looked for. */
export const programs: readonly string[] = [
  "scripts",
  "benchmarks",
  "packages/postgres/demo",
  ...layers.map(({ folder }) => `${folder}/test`),
];
