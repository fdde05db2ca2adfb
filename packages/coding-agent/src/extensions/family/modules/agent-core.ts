import { createSessionId } from "../../../conversation/ids.ts";
import { absentNames } from "./absent.ts";
import { conversationFunctions } from "./conversations.ts";
import { utilities } from "./utilities.ts";

/** Names of `pi-agent-core` that we do not have: its loop, and the second form of its sessions and tools. */
const absentInAgentCore = `
  Agent AgentHarness agentLoop agentLoopContinue runAgentLoop runAgentLoopContinue streamProxy setDefaultStreamFn NodeExecutionEnv
  BranchSummaryError CompactionError ExecutionError FileError Closed HarnessClosed HarnessFault InvalidLane InvalidMessage InvalidNavigation
  LaneBusy NoActiveOperation NoActiveRun NothingToCompact NothingToResume OperationMismatch UnknownSkill UnknownTarget UnknownTemplate
  SliceNotImplemented JsonlSessionRepo MemorySessionRepo SessionBranchExistsError SessionInvalidBranchError SessionInvariantError
  SessionPendingAssistantMessageError SessionUnknownTargetError StorageBackedSession InMemoryTelemetryContext
  collectEntriesForBranchSummary generateBranchSummary prepareBranchEntries compact estimateContextTokens findCutPoint findTurnStartIndex
  prepareCompaction reduceLaneSnapshot startAiSpan startHarnessSpan createTypedSpanStarter
  defineTelemetrySchema err ok getOrThrow getOrUndefined toError applyShellOutputUpdate getTelemetryContext withTelemetryContext
  bashExecutionToText loadPromptTemplates loadSourcedPromptTemplates parseCommandArgs substituteArgs formatPromptTemplateInvocation
  TaggedError matchError commitWrite insertEntry insertUsage prepareStorageCommit validateCommittedWrites createForkSnapshot
  projectForkCurrentStateWrite operationScopeOf value list setValue deleteValue appendList deleteList resolveListReadOptions
  formatSkillInvocation loadSkills loadSourcedSkills formatSkillsForSystemPrompt createBashTool createEditTool createReadTool createWriteTool
  executeShellWithCapture sanitizeBinaryOutput utf8ByteLength awaitWithContext Context ContextKey createContextKey withAbortSignal withCancel
  withContextValue withoutAbortSignal Result JsonValue branchTip branchTipInventoryPrefix laneConfig laneState operationResult operationMeta
  operationState operationToolArgs operationToolMemo operationPreparation operationToolArgsPrefix operationToolMemoPrefix
  operationPreparationPrefix pendingEntry pendingToolOutput pendingAssistantFrames pendingToolOutputPrefix sessionName entryLabel
`;

/** `pi-agent-core`. */
export const agentCoreModule: object = {
  ...absentNames("pi-agent-core", absentInAgentCore),
  ...utilities,
  ...conversationFunctions,
  uuidv7: (time?: number) => createSessionId(time),
};
