import type { RunContext, RunIdentity } from '../ports/run-context.ts'
import type { NewAgentRun } from '../store/ports/run-store.ts'
import { askApp } from './ask-app.ts'
import type { RunsContext } from './runs-options.ts'

/** Builds the value that tools and instructions get for a run from its identifiers, in each process that works on the run. */
export type ContextFor = (run: RunIdentity, signal: AbortSignal) => unknown

type Identified = Pick<NewAgentRun, 'id' | 'agentId' | 'conversationId' | 'userId' | 'metadata'>

/** Builds the context of a run, after a restart too (D28). @throws {RuntimeError} as {@link askApp} */
export async function buildRunContext(
  context: Pick<RunsContext, 'contextFor' | 'redactor' | 'logger'>,
  run: Identified,
  signal?: AbortSignal,
): Promise<RunContext> {
  const { contextFor } = context
  const identity = toIdentity(run)
  if (!contextFor) return { ...identity, context: undefined }
  const ask = (over: AbortSignal) => contextFor(identity, over)
  const built = await askApp(context, 'Building the context of a run', 'contextFor', ask, signal)
  return { ...identity, context: built }
}

/** A copy of what is stored: your app may change what it gets. */
const toIdentity = ({ id, agentId, conversationId, userId, metadata }: Identified): RunIdentity => ({
  runId: id,
  agentId,
  conversationId,
  ...(userId !== undefined && { userId }),
  metadata: structuredClone(metadata ?? {}),
})
