import type { RunRequest } from '@homeward/contract/agent-platform'
import { RuntimeError } from '../ports/runtime-error.ts'
import type { NewAgentRun, StoredAgentRun } from '../store/ports/run-store.ts'
import { isSameContext } from './given-context.ts'

/** The same key gives the same run, under way or over, and never the answer to another task or of another user. */
export function toSameRun(
  run: { readonly kind: string },
  request: RunRequest,
  asked: NewAgentRun,
): StoredAgentRun {
  const known = run as StoredAgentRun // asked for in the next line
  if (
    known.kind === 'agent' &&
    known.agentId === request.agent_id &&
    known.task === request.task &&
    known.userId === request.user_id &&
    isSameStart(known, asked) &&
    // a run that named none was given one
    (request.conversation_id ?? known.conversationId) === known.conversationId
  )
    return known
  throw new RuntimeError(
    'conflict',
    'Starting a run failed: this idempotency key was used for another run. Send a new key, or the same request as before.',
  )
}

/** What a rerun reads besides is that of the run before, as it was when it was first asked for. */
function isSameStart(known: NewAgentRun, asked: NewAgentRun): boolean {
  const [one, other] = [known.rerunOf, asked.rerunOf]
  if (one || other) return one?.runId === other?.runId && one?.step === other?.step
  return isSameContext(known, asked)
}
