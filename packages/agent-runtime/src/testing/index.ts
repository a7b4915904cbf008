export { agentStoreConformance } from './agent-store-conformance.ts'
export type { ConformanceCase, StoreHarness, StoreSetup } from './conformance-case.ts'
export { ConformanceError } from './conformance-expect.ts'
export { conversationStoreConformance } from './conversation-store-conformance.ts'
export { journalConformance } from './journal-conformance.ts'
export { memoryStoreConformance } from './memory-store-conformance.ts'
export type { JournaledRuns } from './run-conformance-store.ts'
export { runStoreConformance } from './run-store-conformance.ts'
export { runtimeStoreConformance } from './runtime-store-conformance.ts'
export type {
  ScriptedAnswer,
  ScriptedCall,
  ScriptedModel,
  ScriptedModelOptions,
  ScriptedStep,
  ScriptedToolCall,
} from './scripted-model.ts'
export { createScriptedModel } from './scripted-model.ts'
