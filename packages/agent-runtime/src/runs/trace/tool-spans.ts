import type { AgentRunState } from '../active-run.ts'

/** Adds a call of a tool that ends now to the run's spans. */
export function addToolSpan({ writer }: AgentRunState, callId: string, durationMs: number): void {
  const finishedAt = writer.now()
  const startedAt = new Date(Date.parse(finishedAt) - durationMs).toISOString()
  writer.spans.add({ kind: 'tool', at: writer.messages.length, callId, startedAt, finishedAt })
}
