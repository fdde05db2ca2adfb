import { join } from "node:path";
import { readJsonFile } from "../../../config/json-file.ts";
import { agentFolder, projectFolder } from "../../../config/paths.ts";
import { updateJsonFile } from "../../../config/update-json-file.ts";

type Json = Record<string, unknown>;

/** Names of methods without `get` and `set`: the setting that they read, and its default. */
const fields: Readonly<Record<string, readonly [path: string, fallback?: unknown]>> = {
  SessionDir: ["sessionDir"],
  DefaultProvider: ["defaultProvider"],
  DefaultModel: ["defaultModel"],
  DefaultThinkingLevel: ["defaultThinkingLevel"],
  DefaultTools: ["defaultTools"],
  EnabledModels: ["enabledModels"],
  SteeringMode: ["steeringMode", "one-at-a-time"],
  FollowUpMode: ["followUpMode", "one-at-a-time"],
  Theme: ["theme"],
  ThemeSetting: ["theme"],
  Transport: ["transport", "auto"],
  CompactionEnabled: ["compaction.enabled", true],
  CompactionReserveTokens: ["compaction.reserveTokens", 16_384],
  CompactionKeepRecentTokens: ["compaction.keepRecentTokens", 20_000],
  BranchSummarySkipPrompt: ["branchSummary.skipPrompt", false],
  RetryEnabled: ["retry.enabled", true],
  HideThinkingBlock: ["hideThinkingBlock", false],
  ShellPath: ["shellPath"],
  ShellCommandPrefix: ["shellCommandPrefix"],
  QuietStartup: ["quietStartup", false],
  DefaultProjectTrust: ["defaultProjectTrust", "ask"],
  NpmCommand: ["npmCommand"],
  CollapseChangelog: ["collapseChangelog", false],
  LastChangelogVersion: ["lastChangelogVersion"],
  EnableInstallTelemetry: ["enableInstallTelemetry", false],
  Packages: ["packages", []],
  ExtensionPaths: ["extensions", []],
  SkillPaths: ["skills", []],
  PromptTemplatePaths: ["prompts", []],
  ThemePaths: ["themes", []],
  EnableSkillCommands: ["enableSkillCommands", true],
  ThinkingBudgets: ["thinkingBudgets"],
  ShowImages: ["terminal.showImages", true],
  ImageWidthCells: ["terminal.imageWidthCells", 60],
  ClearOnShrink: ["terminal.clearOnShrink", false],
  ImageAutoResize: ["images.autoResize", true],
  BlockImages: ["images.blockImages", false],
  DoubleEscapeAction: ["doubleEscapeAction", "tree"],
  CodeBlockIndent: ["markdown.codeBlockIndent", "  "],
  EditorPaddingX: ["editorPaddingX", 0],
  AutocompleteMaxVisible: ["autocompleteMaxVisible", 5],
  ShowHardwareCursor: ["showHardwareCursor", false],
};

/** The settings of the user and of a project, as extensions read and change them. Changes are written to the files in order. */
export class SettingsManager {
  #user: Json;
  #project: Json = {};
  #overrides: Json = {};
  #isTrusted: boolean;
  readonly #files: { user: string; project: string } | undefined;
  #writing: Promise<void> = Promise.resolve();
  #errors: { scope: string; error: Error }[] = [];

  private constructor(user: Json, files?: { user: string; project: string }, isTrusted = false) {
    this.#user = user;
    this.#files = files;
    this.#isTrusted = isTrusted;
    if (files) this.#read();
  }

  /** @param options - `projectTrusted`: whether the settings of the project count. Default: true. */
  static create(
    cwd: string,
    agentDir = agentFolder(),
    { projectTrusted = true }: { projectTrusted?: boolean } = {},
  ): SettingsManager {
    const files = { user: join(agentDir, "settings.json"), project: join(projectFolder(cwd), "settings.json") };
    return new SettingsManager({}, files, projectTrusted);
  }

  static inMemory(settings: Json = {}): SettingsManager {
    return new SettingsManager(structuredClone(settings));
  }

  getGlobalSettings(): Json {
    return structuredClone(this.#user);
  }

  getProjectSettings(): Json {
    return structuredClone(this.#project);
  }

  isProjectTrusted(): boolean {
    return this.#isTrusted;
  }

  setProjectTrusted(isTrusted: boolean): void {
    this.#isTrusted = isTrusted;
    if (this.#files) this.#read();
  }

  async reload(): Promise<void> {
    await this.flush();
    if (this.#files) this.#read();
  }

  /** Changes settings of this object only. */
  applyOverrides(overrides: Json): void {
    this.#overrides = { ...this.#overrides, ...overrides };
  }

  /** Waits until all changes are written. Never rejects: see `drainErrors`. */
  flush(): Promise<void> {
    return this.#writing;
  }

  /** The errors since the last call: files that could not be read or written. */
  drainErrors(): { scope: string; error: Error }[] {
    const errors = this.#errors;
    this.#errors = [];
    return errors;
  }

  getCompactionSettings() {
    const enabled = this.read("compaction.enabled", true);
    const reserveTokens = this.read("compaction.reserveTokens", 16_384);
    return { enabled, reserveTokens, keepRecentTokens: this.read("compaction.keepRecentTokens", 20_000) };
  }

  getRetrySettings() {
    const enabled = this.read("retry.enabled", true);
    return { enabled, maxRetries: this.read("retry.maxRetries", 3), baseDelayMs: this.read("retry.baseDelayMs", 2000) };
  }

  setDefaultModelAndProvider(provider: string, modelId: string): void {
    this.write("user", "defaultProvider", provider);
    this.write("user", "defaultModel", modelId);
  }

  /** The value of a setting: overrides first, then the project's, then the user's. A path such as `retry.enabled` leads into an object. */
  read(path: string, fallback?: unknown): unknown {
    for (const settings of [this.#overrides, this.#isTrusted || !this.#files ? this.#project : {}, this.#user]) {
      const value = path
        .split(".")
        .reduce<unknown>((at, key) => (isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined), settings);
      if (value !== undefined) return structuredClone(value);
    }
    return structuredClone(fallback);
  }

  /** Sets a value, or removes it with undefined. */
  write(scope: "user" | "project", path: string, value: unknown): void {
    if (scope === "user") this.#user = withValue(this.#user, path, value);
    else this.#project = withValue(this.#project, path, value);
    const file = this.#files?.[scope];
    if (file === undefined) return;
    this.#writing = this.#writing
      .then(() => updateJsonFile(file, (content) => withValue(content, path, value)))
      .catch((error: Error) => void this.#errors.push({ scope: scopeName(scope), error }));
  }

  #read(): void {
    this.#user = this.#readFile("user");
    this.#project = this.#isTrusted ? this.#readFile("project") : {};
  }

  #readFile(scope: "user" | "project"): Json {
    try {
      return readJsonFile(this.#files?.[scope] ?? "");
    } catch (error) {
      this.#errors.push({ scope: scopeName(scope), error: error as Error });
      return {};
    }
  }
}

const scopeName = (scope: "user" | "project") => (scope === "user" ? "global" : scope);

for (const [name, [path, fallback]] of Object.entries(fields)) {
  const add = (method: string, value: (this: SettingsManager, value: unknown) => unknown) =>
    Object.defineProperty(SettingsManager.prototype, method, { value, configurable: true, writable: true });
  add(`get${name}`, function () {
    return this.read(path, fallback);
  });
  add(`set${name}`, function (value) {
    this.write("user", path, value);
  });
  add(`setProject${name}`, function (value) {
    this.write("project", path, value);
  });
}

/** A copy with another value at a path. */
function withValue(settings: Json, path: string, value: unknown): Json {
  const [key = "", ...rest] = path.split(".");
  if (rest.length > 0) {
    const inner = settings[key];
    return { ...settings, [key]: withValue(isObject(inner) ? inner : {}, rest.join("."), value) };
  }
  const { [key]: _former, ...others } = settings;
  return value === undefined ? others : { ...others, [key]: value };
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
