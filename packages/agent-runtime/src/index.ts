export { createRuntime } from './runtime/create-runtime.ts'
export { defineAgent, type AgentDefinition, type InferUITools } from './agents/agent-definition.ts'
export type { InstructionsFor, RunSetup } from './ports/agent-code.ts'
export type { Agents } from './agents/agents.ts'
export type { Json, JsonObject } from '@homeward/contract/agent-platform'
export type { ModelPrice, Prices } from './budgets/prices.ts'
export type { Channel } from './ports/channel.ts'
export type { ChannelMessageQuery, Channels } from './channels/channels.ts'
export type {
  ConversationPage,
  ConversationQuery,
  Conversations,
  MessagePage,
} from './conversations/conversations.ts'
export { defineGraph } from './graphs/graph-definition.ts'
export type { GraphDefinition, GraphEdgeDefinition, GraphNodeDefinition } from './graphs/graph-definition.ts'
export type { Graphs, GraphStartOptions } from './graphs/graphs.ts'
export type { NodeFunction, NodeFunctionContext, NodeInput } from './ports/node-function.ts'
export type { LogQuery, Logs } from './journal/create-logs.ts'
export type { RetentionOptions } from './journal/create-retention.ts'
export type { JournalView } from './journal/follow-journal.ts'
export type { ModelCallEnd, RuntimeEvent, RuntimeEvents } from './journal/runtime-events.ts'
export type {
  DocumentFiles,
  DocumentListQuery,
  DocumentPage,
  DocumentQuery,
  Knowledge,
  UploadedFile,
} from './knowledge/knowledge.ts'
export type {
  EmbeddedTexts,
  Memories,
  MemoryListOptions,
  MemoryPage,
  MemoryWriteOptions,
} from './memory/memories.ts'
export type { AgentStore } from './store/ports/agent-store.ts'
export type {
  AcceptanceBatch,
  AcceptanceOutcome,
  MessageAcceptance,
} from './store/ports/channel-acceptance.ts'
export type {
  ChannelDecision,
  ChannelMessageFilter,
  ChannelStore,
  Delivery,
  DeliveryClaim,
  DeliveryFailure,
  DeliveryWrite,
  NewChannelMessage,
  PartUpdate,
  StoredChannelMessage,
  StoredOutboundPart,
} from './store/ports/channel-store.ts'
export type { ChatStore, ChatWork, ChatRecord, StoredChat, StoredRoute } from './store/ports/channel-chat.ts'
export type {
  ChannelPeer,
  SenderDecision,
  SenderRequest,
  StoredSender,
} from './store/ports/channel-sender.ts'
export type {
  ConversationAppend,
  ConversationFilter,
  ConversationStore,
  NewMessage,
  StoredConversation,
  StoredMessage,
} from './store/ports/conversation-store.ts'
export type {
  BudgetAccount,
  BudgetBalance,
  BudgetReservation,
  BudgetStore,
} from './store/ports/budget-store.ts'
export type { Responses } from './conversations/responses.ts'
export type { Files } from './files/files.ts'
export type { FileReference } from './ports/file.ts'
export type {
  FileContent,
  FileOwner,
  FileStore,
  FileWrite,
  StoredFile,
  WithContents,
} from './store/ports/file-store.ts'
export type {
  Guard,
  GuardContext,
  GuardDecision,
  GuardedInput,
  GuardedOutput,
  GuardedToolCall,
  GuardedToolResult,
  Guards,
  InputGuard,
  MaybeArray,
  OutputGuard,
  ToolCallGuard,
  ToolResultGuard,
} from './ports/guard.ts'
export type {
  ChunkQuery,
  ChunkWrite,
  ClaimedDocument,
  DocumentChunk,
  DocumentClaim,
  DocumentFilter,
  DocumentFinish,
  DocumentPiece,
  DocumentStore,
  FoundChunk,
  NewDocument,
  StoredCollection,
  StoredDocument,
} from './store/ports/document-store.ts'
export type { GraphStore } from './store/ports/graph-store.ts'
export type { Journal, JournalFilter, NewJournalEvent } from './store/ports/journal.ts'
export type { Logger } from './ports/logger.ts'
export type {
  MemoryFilter,
  MemoryQuery,
  MemoryStore,
  ScoredMemory,
  StoredMemory,
} from './store/ports/memory-store.ts'
export type {
  AssistantPart,
  HostedCallPart,
  HostedResultPart,
  ModelMessage,
  ProviderData,
  SourcePart,
  ToolCallPart,
  ToolResult,
} from './ports/message.ts'
export type { McpCatalog } from './tools/mcp/mcp-catalog.ts'
export type { ModelCatalog } from './models/model-catalog.ts'
export type { EmbeddingModel, Model, ModelProvider, ProvidedModel } from './ports/model.ts'
export type { Page, PageRequest } from './store/ports/page.ts'
export type { EffectIntent, EffectOutcome, StoredEffect } from './store/ports/effect.ts'
export type { DecidedStatus, DecisionDetails, RememberedCall } from './store/ports/remembered-call.ts'
export type {
  DueWaits,
  StoredWait,
  WaitFilter,
  WaitOutcome,
  WaitSettlement,
  WaitStore,
} from './store/ports/wait.ts'
export type {
  ApprovalNoticeInput,
  ApprovalNotice,
  ApprovalNoticeStore,
  MessageNotice,
  ApprovalNoticeClose,
  StoredApprovalNotice,
} from './store/ports/approval-notice.ts'
export type {
  NewAgentRun,
  NewGraphRun,
  NewRun,
  RunEventBatch,
  FailureCount,
  RunFilter,
  RunTimeCount,
  RunFinish,
  RunProgress,
  RunStepWrite,
  RunStore,
  StoredAgentRun,
  StoredGraphRun,
  StoredRun,
} from './store/ports/run-store.ts'
export type { ResponseStore, StoredResponse } from './store/ports/response-store.ts'
export type { Retention, RetentionLimits } from './store/ports/retention.ts'
export type { RuntimeStore } from './store/ports/runtime-store.ts'
export type {
  OccurrenceOutcome,
  ScheduleCursor,
  Occurrence,
  ScheduleStore,
  ScheduleSubject,
  StoredSchedule,
} from './store/ports/schedule-store.ts'
export type { Lease } from './store/ports/lease.ts'
export type { StoreListener, StoreSignal, StoreSignals } from './store/ports/store-signal.ts'
export type { TaskQueue } from './tasks/task-queue.ts'
export type {
  NewTask,
  StoredTask,
  TaskCancellation,
  TaskClaim,
  TaskFilter,
  TaskOutcome,
  TaskSettlement,
  TaskStore,
  TaskSubject,
  ToTaskEvent,
} from './store/ports/task-store.ts'
export type { UsageQuery, UsageStore, UsageTotal } from './store/ports/usage-store.ts'
export type {
  ApprovalContext,
  Tool,
  ToolApproval,
  AnswerTo,
  EffectContext,
  Question,
  ToolContext,
  ToolEffects,
  ToolSource,
  Verification,
} from './ports/tool.ts'
export type { RunContext, RunIdentity } from './ports/run-context.ts'
export { defineTool, type TypedTool, type TypedToolDefinition } from './tools/define-tool.ts'
export type { ToolContent, ToolContentPart, ToolFilePart } from './ports/tool-content.ts'
export type {
  GraphHandle,
  NumberedRunEvent,
  RunHandle,
  RunCounts,
  RunPage,
  RunQuery,
  WaitPage,
  WaitQuery,
  RunEventsOptions,
  RunStartOptions,
} from './runs/runs.ts'
export { Unanswered } from './ports/unanswered.ts'
export { RuntimeError, type RuntimeErrorCode, type RuntimeErrorOptions } from './ports/runtime-error.ts'
export type { RuntimeOptions } from './runtime/runtime-options.ts'
export type {
  AgentRuntime,
  RunOptions,
  RunStream,
  RuntimeRuns,
  StreamOptions,
  TypedRunRequest,
  TypedRunResult,
  TypedRunStream,
} from './runtime/runtime.ts'
export type { ScheduleHistoryQuery, ScheduleQuery, Schedules } from './schedules/schedules.ts'
export type { RuntimeSettings, SettingsUpdate } from './settings/runtime-settings.ts'
export type {
  LoadedSkill,
  SkillLibrary,
  SkillSnapshot,
  StoreRegistry,
  StoreSkillChoice,
} from './skills/skill-library.ts'
export { describeSandbox } from './tools/describe-sandbox.ts'
export type { ExecLimits } from './tools/exec/exec-limits.ts'
export type { TaskQuery, Tasks } from './tasks/tasks.ts'
export type { PriceBook } from './usage/price-book.ts'
export type { UsageReportQuery, UsageReports } from './usage/usage.ts'
export type {
  ExecToolDefinition,
  HttpToolAuth,
  HttpToolDefinition,
  ToolDefinition,
} from './skills/definitions/tool-definition.ts'
export type { SandboxKind, SandboxMode, SandboxState } from './tools/exec/sandbox.ts'
export type { ResolveHost } from '@homeward/kit/node'
export type {
  McpHttpServer,
  McpOAuth,
  McpServerConfig,
  McpStdioServer,
} from './tools/mcp/mcp-server-config.ts'
export type { WorkspaceLimits } from './tools/workspace/workspace.ts'
export type { Audit } from './audit/create-audit.ts'
export type { Tokens } from './tokens/create-tokens.ts'
export type { TriggerCall, TriggerReply, Triggers } from './triggers/triggers.ts'
export type { Webhooks } from './webhooks/webhooks.ts'
export type { AuditStore } from './store/ports/audit-store.ts'
export type { TokenStore } from './store/ports/token-store.ts'
