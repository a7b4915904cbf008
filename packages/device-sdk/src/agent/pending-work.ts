import type { ListedRequests, ListNotes } from '../client/create-device-client.ts'
import type { InvalidRequest } from '../client/pending-rows.ts'
import { DeviceCloudError } from '../device-cloud-error.ts'
import type { AgentContext } from './agent-context.ts'
import type { WorkKind } from './agent-events.ts'
import type { PollOutcome } from './poll-loop.ts'
import { createRecentIds } from './recent-ids.ts'

/** What is done with listed requests. */
export interface PendingWork<Request> {
  /**
   * Starts what is not known yet; gives how many that were.
   *
   * @param chunkBytes How large the cloud wants chunks of uploads to be; undefined where it does not offer them (C25).
   */
  take(requests: readonly Request[], signal: AbortSignal, chunkBytes: number | undefined): number
  /** Ids of what was started and not reported. */
  known(): readonly string[]
  /** Whether anything started is still under way. */
  isBusy(): boolean
  /** Resolves when nothing that was started runs any more. */
  whenIdle(): Promise<void>
  /** Calls `listener` whenever the cloud has what came of a request. */
  onDone(listener: () => void): void
}

/** More than any cloud lists at once (C11: 20). */
const maxListed = 100

/** Takes what a cloud listed of one kind: tells once of what is invalid, and starts what is new. */
export function createListTaker<Request>(
  { emit }: Pick<AgentContext, 'emit'>,
  kind: WorkKind,
  work: PendingWork<Request>,
) {
  const told = createRecentIds(1000)

  function tellOnce({ id, field }: InvalidRequest): void {
    if (told.has(id)) return
    told.add(id)
    const message = `Reading a listed request failed: field "${field}" is invalid.`
    emit('request:error', { kind, id, error: new DeviceCloudError('BAD_REPLY', message) })
  }

  return (
    { requests, invalid = [] }: ListedRequests<Request>,
    notes: ListNotes,
    signal: AbortSignal,
  ): PollOutcome => {
    invalid.slice(0, maxListed).forEach(tellOnce)
    const taken = work.take(requests.slice(0, maxListed), signal, notes.uploadChunkBytes)
    const listed = requests.length
    emit('poll:end', { kind, listed, taken, held: notes.waitApplied })
    return { ...notes, listed, taken }
  }
}
