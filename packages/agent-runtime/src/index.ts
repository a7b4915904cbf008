export { createRuntime } from './create-runtime.ts'
export type { Agents } from './agents/agents.ts'
export type {
  ConversationPage,
  ConversationQuery,
  Conversations,
  MessagePage,
} from './conversations/conversations.ts'
export { createInMemoryStore, type InMemoryStoreOptions } from './in-memory/create-in-memory-store.ts'
export type { RuntimeEvent, RuntimeEvents } from './journal/runtime-events.ts'
export type { Memories, MemoryWriteOptions } from './memory/memories.ts'
export type { AgentStore } from './ports/agent-store.ts'
export type {
  ConversationAppend,
  ConversationFilter,
  ConversationStore,
  NewMessage,
  StoredConversation,
  StoredMessage,
} from './ports/conversation-store.ts'
export type { Journal, JournalFilter, NewJournalEvent } from './ports/journal.ts'
export type { Logger } from './ports/logger.ts'
export type { MemoryQuery, MemoryStore, ScoredMemory, StoredMemory } from './ports/memory-store.ts'
export type { AssistantPart, ModelMessage, ProviderData, ToolCallPart, ToolResult } from './ports/message.ts'
export type { EmbeddingModel, Model, ModelProvider } from './ports/model.ts'
export type { Page, PageRequest } from './ports/page.ts'
export type {
  ApprovalOutcome,
  ApprovalVerdict,
  NewRun,
  RunEventBatch,
  RunFilter,
  RunFinish,
  RunProgress,
  RunStepWrite,
  RunStore,
  StoredApproval,
  StoredRun,
} from './ports/run-store.ts'
export type { RuntimeStore } from './ports/runtime-store.ts'
export type { Tool, ToolContext, ToolEffects, ToolSource } from './ports/tool.ts'
export type { NumberedRunEvent, RunHandle, RunStartOptions } from './runs/runs.ts'
export { RuntimeError, type RuntimeErrorCode, type RuntimeErrorOptions } from './runtime-error.ts'
export type { RuntimeOptions } from './runtime-options.ts'
export type { AgentRuntime, LogQuery, Logs, RunOptions, RunQuery, RunStream, RuntimeRuns } from './runtime.ts'
export type { RuntimeSettings } from './settings/runtime-settings.ts'
export type {
  DisabledTool,
  LoadedSkill,
  SkillLibrary,
  SkillSnapshot,
  StoreRegistry,
} from './skills/skill-library.ts'
export type { SandboxMode } from './tools/exec/sandbox.ts'
export type { McpHttpServer, McpServerConfig, McpStdioServer } from './tools/mcp/mcp-server-config.ts'
export type { WorkspaceLimits } from './tools/workspace/workspace.ts'
