export { agentStoreConformance } from './agent-store-conformance.ts'
export { budgetStoreConformance } from './budget-store-conformance.ts'
export type { ChannelConformanceStore } from './channel-fixtures.ts'
export { channelStoreConformance } from './channel-store-conformance.ts'
export { channelConformance } from './channel-conformance.ts'
export type { ChannelHarness } from './channel-harness.ts'
export type { ConformanceCase, StoreHarness, StoreSetup } from './conformance-case.ts'
export { ConformanceError } from './conformance-expect.ts'
export { conversationStoreConformance } from './conversation-store-conformance.ts'
export type { CrashKitOptions, CrashReport } from './crash-kit.ts'
export { tryCrashes } from './crash-kit.ts'
export { crashScenarios } from './crash-scenarios.ts'
export type { CrashClient, CrashScenario } from './crashes/scenario.ts'
export type { CrashTool } from './crashes/world.ts'
export { graphStoreConformance } from './graph-store-conformance.ts'
export { journalConformance } from './journal-conformance.ts'
export { memoryStoreConformance } from './memory-store-conformance.ts'
export type { RetentionConformanceStore } from './retention-conformance.ts'
export { retentionConformance } from './retention-conformance.ts'
export type { JournaledRuns } from './run-conformance-store.ts'
export { runStoreConformance } from './run-store-conformance.ts'
export { runtimeStoreConformance } from './runtime-store-conformance.ts'
export type { ScheduleConformanceStore } from './schedule-store-conformance.ts'
export { scheduleStoreConformance } from './schedule-store-conformance.ts'
export type {
  ScriptedAnswer,
  ScriptedCall,
  ScriptedModel,
  ScriptedModelOptions,
  ScriptedStep,
  ScriptedToolCall,
} from './scripted-model.ts'
export { createScriptedModel } from './scripted-model.ts'
export type { JournaledTasks } from './task-fixtures.ts'
export { taskStoreConformance } from './task-store-conformance.ts'
export { usageStoreConformance } from './usage-conformance.ts'
