import type { Settings } from "../../config/settings.ts";
import type { HookSlot } from "../../extensions/hooks.ts";
import { LazyExtensions } from "../../extensions/lazy-extensions.ts";
import { SlashCommands } from "../../extensions/slash-commands.ts";
import { SessionResources } from "../resources.ts";
import type { Setup } from "./setup.ts";

/** The settings of a session, and its extensions. */
export interface Configuration {
  settings: Settings;
  resources: SessionResources;
  commands: SlashCommands;
  /** Undefined in a sub-task, which uses the hooks of the delegating session. */
  extensions: LazyExtensions | undefined;
  hooks: HookSlot;
}

/**
 * Reads the settings and loads the extensions.
 *
 * @param cwd - The session's working folder.
 * @throws {UsageError} When a configuration file is invalid.
 */
export async function readConfiguration(setup: Setup, cwd: string): Promise<Configuration> {
  const { options, parent, user, report } = setup;
  // A sub-task begins later, when the file may have changed.
  const userSettings = parent ? undefined : options.userSettings;
  const resources: SessionResources = new SessionResources({
    ...{ ...options, startFolder: options.cwd, cwd, user, userSettings },
    // The delegating session has reported the same.
    report: parent ? () => {} : report,
    decideTrust: async (places) => {
      const { decideTrust } = await import("../../extensions/trust-decision.ts");
      const { agentDir, loadLibrary, extensionTimeoutMs: limitMs = 30_000 } = options;
      return decideTrust({ ...{ cwd, agentDir, user, places, loadLibrary, limitMs }, factories: resources.factories });
    },
  });
  const settings = await resources.readSettings();
  const commands = new SlashCommands();
  if (parent) return { settings, resources, commands, extensions: undefined, hooks: parent.hooks };
  const extensions = new LazyExtensions({
    agentDir: options.agentDir,
    commands,
    factories: resources.factories,
    places: () => resources.extensionPlaces(),
    limitMs: options.extensionTimeoutMs,
    loadLibrary: options.loadLibrary,
  });
  setup.onFailure(() => extensions.shutdown());
  if (resources.hasExtensions(settings)) await extensions.load();
  if (options.readFlags) extensions.useFlags(options.readFlags(extensions.flags));
  return { settings, resources, commands, extensions, hooks: extensions };
}
