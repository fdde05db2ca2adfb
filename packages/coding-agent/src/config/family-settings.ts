/** Keys of related programs that have no effect here; a key stands for all keys in it. They stay in the file, and are not reported. */
export const familyKeys: ReadonlySet<string> = new Set([
  ...["apiKeys", "autocompleteMaxVisible", "branchSummary", "cacheWarming", "collapseChangelog", "compaction.modelOverrides"],
  ...["customTools", "doubleEscapeAction", "editorPaddingX", "enableAnalytics", "enableInstallTelemetry"],
  ...["fullscreenCopyOnSelect", "fullscreenExitOutput", "fullscreenScrollbar", "hideThinkingBlock", "hooks", "httpIdleTimeoutMs"],
  ...["httpProxy", "images", "lastChangelogVersion", "markdown", "outputPad", "queueMode", "quietStartup"],
  ...["retry.maxAgentDelayMs", "retry.maxDelayMs", "retry.provider", "shellPath", "showCacheMissNotices", "showHardwareCursor"],
  ...["terminal.clearOnShrink", "terminal.hyperlinks", "terminal.images", "terminal.imageWidthCells", "terminal.showImages"],
  ...["terminal.showTerminalProgress", "terminal.trueColor", "thinkingBudgets", "trackingId", "transport", "treeFilterMode"],
  ...["tuiMode", "warnings", "websocketConnectTimeoutMs", "websockets"],
]);

type Content = Readonly<Record<string, unknown>>;

/**
 * Converts settings of related programs to ours: `shellPath`, `hideThinkingBlock`, and two forms of old versions, `queueMode` and `skills` as an
 * object. Our own keys take precedence.
 */
export function fromFamily(content: Content): Record<string, unknown> {
  const { queueMode, skills, shellPath, hideThinkingBlock } = content;
  const { customDirectories, enableSkillCommands } = isObject(skills) ? skills : {};
  return {
    ...given("steeringMode", queueMode),
    ...given("enableSkillCommands", enableSkillCommands),
    ...content,
    ...(isObject(skills) ? { skills: customDirectories } : {}),
    ...(shellPath === undefined ? {} : { shell: withDefault(content.shell, "path", shellPath) }),
    ...(typeof hideThinkingBlock === "boolean"
      ? { terminal: withDefault(content.terminal, "showThinking", !hideThinkingBlock) }
      : {}),
  };
}

/** The object with a field that it has not yet. Anything but an object stays, so that it is reported as a mistake. */
function withDefault(value: unknown, key: string, item: unknown): unknown {
  if (value === undefined) return { [key]: item };
  return isObject(value) ? { [key]: item, ...value } : value;
}

function given(key: string, value: unknown): Content {
  return value === undefined ? {} : { [key]: value };
}

function isObject(value: unknown): value is Content {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
