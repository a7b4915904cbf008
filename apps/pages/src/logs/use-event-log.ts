import { useCallback, useEffect, useEffectEvent, useState, useSyncExternalStore } from 'react'
import { platformToken } from '../api/access-token.ts'
import { useConnection, useLiveEvents } from '../api/live.ts'
import { platform } from '../api/platform.ts'
import { createEventLog, type EventLogView } from './event-log.ts'
import {
  createJournalFollower,
  type FollowerStatus,
  type JournalFollower,
  type JournalQuery,
} from './journal-follower.ts'

/** The journal as a component follows it. */
export interface FollowedJournal {
  readonly view: EventLogView
  readonly status: FollowerStatus
  /** Whether no older events fit in. */
  readonly isFull: boolean
  /** Whether the journal may hold older ones. */
  readonly hasOlder: boolean
  /** Reads older events. */
  readonly loadOlder: () => Promise<void>
  /** Tries again after an error. */
  readonly retry: () => void
}

/** Follows the part of the journal that has these kinds and this run; another part is another log. */
export function useEventLog(
  types: readonly string[] | undefined,
  runId: string | undefined,
): FollowedJournal {
  const key = JSON.stringify([types, runId])
  const [log, setLog] = useState(createEventLog)
  const [status, setStatus] = useState<FollowerStatus>('loading')
  const [follower, setFollower] = useState<JournalFollower>()
  const connection = useConnection()

  const follow = useEffectEvent(() => {
    const own = createEventLog()
    setLog(own)
    setStatus('loading')
    const started = createJournalFollower({
      log: own,
      filter: { types, runId },
      read: readJournal,
      onStatus: setStatus,
    })
    setFollower(started)
    return () => started.stop()
  })
  useEffect(() => follow(), [key])

  useLiveEvents({}, (event) => follower?.receive(event))
  const { isNeeded: isSignedOut } = platformToken.useSignIn()
  useEffect(() => {
    if (connection === 'online' && !isSignedOut) follower?.catchUp()
  }, [connection, isSignedOut, follower])

  return {
    view: useSyncExternalStore(log.subscribe, log.view),
    status,
    isFull: log.isFull,
    hasOlder: follower?.hasOlder() ?? false,
    loadOlder: useCallback(async () => follower?.loadOlder(), [follower]),
    retry: useCallback(() => follower?.catchUp(), [follower]),
  }
}

async function readJournal({ limit, since, types, runId }: JournalQuery, signal: AbortSignal) {
  const { events } = await platform.listLogs({
    query: {
      limit: String(limit),
      ...(since !== undefined && { since: String(since) }),
      ...(types && { types: types.join(',') }),
      ...(runId !== undefined && { run_id: runId }),
    },
    signal,
  })
  return events
}
