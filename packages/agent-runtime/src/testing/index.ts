export { auditStoreConformance, tokenStoreConformance } from './access/access-store-conformance.ts'
export { agentStoreConformance } from './agent-store-conformance.ts'
export { budgetStoreConformance } from './budget-store-conformance.ts'
export type { ChannelConformanceStore } from './channels/channel-fixtures.ts'
export { channelStoreConformance } from './channels/channel-store-conformance.ts'
export { channelConformance } from './channels/channel-conformance.ts'
export type { ChannelHarness } from './channels/channel-harness.ts'
export type { StoreHarness, StoreSetup } from './conformance-case.ts'
export { type ConformanceCase, ConformanceError } from '@homeward/kit/testing'
export { conversationStoreConformance } from './conversations/conversation-store-conformance.ts'
export type { CrashKitOptions, CrashReport } from './crash-kit.ts'
export { crashConformance } from './crash-kit.ts'
export { crashScenarios } from './crash-scenarios.ts'
export type { CrashClient, CrashScenario } from './crashes/scenario.ts'
export type { CrashTool } from './crashes/crash-fixtures.ts'
export { createTestStore } from './create-test-store.ts'
export type { FileConformanceStore } from './file-store-conformance.ts'
export { fileStoreConformance } from './file-store-conformance.ts'
export { graphStoreConformance } from './graph-store-conformance.ts'
export { journalConformance } from './journal-conformance.ts'
export { memoryStoreConformance } from './memories/memory-store-conformance.ts'
export type { RetentionConformanceStore } from './retention-conformance.ts'
export { createMockAnthropicProvider } from './providers/mock-anthropic-provider.ts'
export type { MockChatProviderOptions } from './providers/mock-chat-provider.ts'
export { createMockChatProvider } from './providers/mock-chat-provider.ts'
export { createMockGoogleProvider } from './providers/mock-google-provider.ts'
export type {
  MockProvider,
  MockProviderResponse,
  MockProviderCall,
  MockProviderSearch,
  MockProviderOptions,
  MockProviderRequest,
  MockProviderUsage,
} from './providers/mock-provider.ts'
export { createPrefixCache, type PrefixCache } from './providers/prefix-cache.ts'
export { createMockResponsesProvider } from './providers/mock-responses-provider.ts'
export { retentionConformance } from './retention-conformance.ts'
export type { JournaledRuns } from './runs/run-conformance-store.ts'
export { runStoreConformance } from './runs/run-store-conformance.ts'
export { runtimeStoreConformance } from './runtime-store-conformance.ts'
export type { ScheduleConformanceStore } from './schedules/schedule-store-conformance.ts'
export { scheduleStoreConformance } from './schedules/schedule-store-conformance.ts'
export type {
  ScriptedResponse,
  ScriptedCall,
  ScriptedModel,
  ScriptedModelOptions,
  ScriptedStep,
  ScriptedToolCall,
} from './scripted-model.ts'
export { createScriptedModel } from './scripted-model.ts'
export type { JournaledTasks } from './tasks/task-fixtures.ts'
export { taskStoreConformance } from './tasks/task-store-conformance.ts'
export { usageStoreConformance } from './usage-conformance.ts'
