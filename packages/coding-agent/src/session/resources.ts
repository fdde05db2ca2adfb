import { existsSync } from "node:fs";
import { join } from "node:path";
import { projectAgentsSkills } from "../config/agents-folders.ts";
import type { MarkedKind } from "../config/all-settings.ts";
import { mayExist } from "../config/may-exist.ts";
import { projectFolder } from "../config/paths.ts";
import type { SettingsFile } from "../config/read-settings.ts";
import type { Settings } from "../config/settings.ts";
import type { ExtensionFactory } from "../extensions/api.ts";
import type { ExtensionPlaces } from "../extensions/find-extensions.ts";
import type { PackageResources } from "../packages/load-packages.ts";
import type { ResourceFilter } from "../prompt/resource-sources.ts";
import type { StreamRule } from "../run/stream-rules/rule.ts";
import type { UserInterface } from "../user-interface.ts";
import type { ExtensionOptions, NamedParts } from "./extension-places.ts";

export interface ResourceOptions extends ExtensionOptions {
  /** The interface that asks whether the folder is trusted. */
  user: UserInterface;
  /** The user's settings, if they were read already. `readSettings` then reads only those of the project. */
  userSettings?: SettingsFile | undefined;
  /** The decision of the options about that. */
  trustProject?: boolean | undefined;
  /** Asks extensions whether the project is trusted, before the user is asked. Default: the user is asked. */
  decideTrust?: ((places: ExtensionPlaces) => Promise<{ trusted: boolean; remember: boolean } | undefined>) | undefined;
  /** Whether rules of folders are read. Default true. */
  ruleFiles?: boolean | undefined;
}

/** The configuration of a session. A module that reads configuration is loaded only if there is something to read. */
export class SessionResources {
  /** One line for each piece of configuration that is not used. */
  readonly problems: string[] = [];
  readonly #options: ResourceOptions;
  readonly #trust = new Map<string, Promise<boolean>>();
  readonly #trusted = new Set<string>();
  #named: NamedParts | undefined;
  #packages: Promise<PackageResources | undefined> | undefined;

  constructor(options: ResourceOptions) {
    this.#options = options;
  }

  /** Whether the `.pi` folder of the session's working folder takes effect, as far as that was asked. */
  get trustsProject(): boolean {
    return this.#trusted.has(this.#options.cwd);
  }

  /** Whether the project's `.pi` folder may take effect. The user is asked once for each folder. */
  isTrusted(cwd: string): Promise<boolean> {
    const known = this.#trust.get(cwd);
    if (known !== undefined) return known;
    const answer =
      existsSync(projectFolder(cwd)) || projectAgentsSkills(cwd).length > 0 ? this.#askForTrust(cwd) : Promise.resolve(false);
    this.#trust.set(cwd, answer);
    return answer;
  }

  /**
   * Reads the user's settings, and a trusted project's, which take precedence.
   *
   * @throws {UsageError} When a field is invalid; the message names the file and the field.
   */
  async readSettings(): Promise<Settings> {
    const { agentDir, cwd } = this.#options;
    if (!mayExist(projectFolder(cwd)) && !mayExist(join(agentDir, "settings.json"))) {
      // Also asks about skills for all agents, and reports them if they are not used.
      await this.isTrusted(cwd);
      return {};
    }
    const { readAllSettings } = await import("../config/all-settings.ts");
    const { userSettings } = this.#options;
    const project = (await this.isTrusted(cwd)) ? cwd : undefined;
    const { settings, packages, marks, problems } = await readAllSettings(agentDir, project, userSettings);
    this.problems.push(...problems);
    this.#named = { packages, marks, npmCommand: settings.npmCommand };
    const { skills = [], prompts = [] } = settings;
    if (![...skills, ...prompts].some((path) => /[*?{[]/.test(path))) return settings;
    const { expandGlobs } = await import("../packages/marked-resources.ts");
    return { ...settings, skills: await expandGlobs(skills), prompts: await expandGlobs(prompts) };
  }

  /** The extensions of the options that are functions. */
  get factories(): ExtensionFactory[] {
    return (this.#options.extensions ?? []).filter((extension) => typeof extension === "function");
  }

  /** Whether a place exists that may contain extensions. */
  hasExtensions(settings: Settings): boolean {
    const { agentDir, cwd, extensions = [], discoverExtensions = true } = this.#options;
    if (extensions.length > 0) return true;
    if (!discoverExtensions) return false;
    const folders = [agentDir, projectFolder(cwd)].map((folder) => join(folder, "extensions"));
    const isNamed = [settings.extensions, settings.packages].some((list) => (list?.length ?? 0) > 0);
    return isNamed || folders.some((folder) => existsSync(folder));
  }

  /** The places in which extensions are searched. Reads the settings again, and looks for packages again. */
  async extensionPlaces(): Promise<ExtensionPlaces> {
    const { agentDir, cwd } = this.#options;
    const [{ readAllSettings }, { listExtensionPlaces }] = await Promise.all([
      import("../config/all-settings.ts"),
      import("./extension-places.ts"),
    ]);
    const isTrusted = await this.isTrusted(cwd);
    const { extensions, packages, marks, settings } = await readAllSettings(agentDir, isTrusted ? cwd : undefined);
    this.#named = { packages, marks, npmCommand: settings.npmCommand };
    this.#packages = undefined;
    const [brought, filter] = await Promise.all([this.packages(), this.filter("extensions")]);
    return listExtensionPlaces(this.#options, extensions, brought, isTrusted, filter);
  }

  /** The files of packages, which are installed if they are missing. Undefined if the session has no packages. Never rejects. */
  packages(): Promise<PackageResources | undefined> {
    this.#packages ??= this.#findPackages();
    return this.#packages;
  }

  /** The folders and files with themes: those of the settings, of the project if it is trusted, and of packages. */
  async themePlaces({ themes = [] }: Settings): Promise<string[]> {
    const { cwd } = this.#options;
    const project = (await this.isTrusted(cwd)) ? [join(projectFolder(cwd), "themes")] : [];
    const brought = (await this.packages())?.themes ?? [];
    return [...themes, ...project, ...brought.map(({ path }) => path)];
  }

  /** The patterns of the settings that leave out resources which were found. Undefined if there are none. */
  async filter(kind: MarkedKind, marks = this.#named?.marks ?? []): Promise<ResourceFilter | undefined> {
    if (marks.length === 0) return undefined;
    return (await import("../packages/marked-resources.ts")).createFilter(kind, marks, this.#options.report);
  }

  /** Reads the stream rules in rule files. */
  async readRules(): Promise<StreamRule[]> {
    const { agentDir, cwd, ruleFiles = true } = this.#options;
    const user = join(agentDir, "rules");
    const project = join(projectFolder(cwd), "rules");
    if (!ruleFiles || (!existsSync(user) && !existsSync(project))) return [];
    const { readRuleFiles } = await import("../run/stream-rules/rule-files.ts");
    const { rules, problems } = await readRuleFiles((await this.isTrusted(cwd)) ? [project, user] : [user]);
    this.problems.push(...problems);
    return rules;
  }

  async #findPackages(): Promise<PackageResources | undefined> {
    const named = this.#named ?? { packages: [], marks: [], npmCommand: undefined };
    const { extensions = [] } = this.#options;
    if (named.packages.length === 0 && extensions.length === 0) return undefined;
    return (await import("./extension-places.ts")).findPackages(this.#options, named);
  }

  /** The user's own settings; none if they are invalid, which `readSettings` reports. */
  async #userSettings(): Promise<Settings> {
    const { agentDir, userSettings } = this.#options;
    const path = join(agentDir, "settings.json");
    if (userSettings || !mayExist(path)) return userSettings?.settings ?? {};
    return (await import("../config/read-settings.ts")).readSettings(path).catch(() => ({}));
  }

  /** The places in which extensions are searched, without those of the project and of packages. */
  async #untrustedPlaces(): Promise<ExtensionPlaces> {
    const [{ readAllSettings }, { listExtensionPlaces }] = await Promise.all([
      import("../config/all-settings.ts"),
      import("./extension-places.ts"),
    ]);
    const { extensions, marks } = await readAllSettings(this.#options.agentDir, undefined);
    return listExtensionPlaces(this.#options, extensions, undefined, false, await this.filter("extensions", marks));
  }

  async #askForTrust(cwd: string): Promise<boolean> {
    const { agentDir, user, trustProject } = this.#options;
    const { askForTrust } = await import("../config/project-trust.ts");
    const { defaultProjectTrust: usual } = await this.#userSettings();
    const { trusted, notice } = await askForTrust({
      ...{ cwd, agentDir, user, usual, decided: trustProject },
      decide: this.#options.decideTrust && (async () => this.#options.decideTrust?.(await this.#untrustedPlaces())),
    });
    if (notice !== undefined) this.problems.push(notice);
    if (trusted) this.#trusted.add(cwd);
    return trusted;
  }
}
