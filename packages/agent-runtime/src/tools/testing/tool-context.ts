import type { RunContext } from '../../ports/run-context.ts'
import type { ToolContext } from '../../ports/tool.ts'

/** A run, for a test. */
export const runOfTest: RunContext = {
  runId: 'run',
  agentId: 'agent',
  conversationId: 'conversation',
  metadata: {},
  context: undefined,
}

/** What a tool call gets, with what a test says about it. */
export const toolContextOf = (fields: Partial<ToolContext> = {}): ToolContext => ({
  ...runOfTest,
  idempotencyKey: 'key',
  workspace: '/nowhere',
  tainted: false,
  depth: 0,
  progress() {},
  writeData() {},
  ask: async () => Promise.reject(new Error('Nobody answers in this test')),
  signal: new AbortController().signal,
  ...fields,
})
