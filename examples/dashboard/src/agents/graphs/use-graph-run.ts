import { ClientError } from '@homeward/contract/client'
import { useEffect, useState } from 'react'
import { useConnection } from '../../api/live.ts'
import { useRunStream } from '../../api/use-run-stream.ts'
import { addRunEvent, type GraphRunState, newGraphRun } from './graph-run-state.ts'

/** A graph's run as a component follows it. */
export interface FollowedGraphRun {
  readonly state: GraphRunState
  /** Why it cannot be followed. */
  readonly error: Error | undefined
}

/**
 * Follows a run from its first event on: also one that ended long ago, one that was begun elsewhere, and one that goes on
 * after a restart of the server.
 */
export function useGraphRun(runId: string | undefined): FollowedGraphRun {
  const [state, setState] = useState(newGraphRun)
  const { start, stop, error, isStreaming } = useRunStream()
  const connection = useConnection()

  useEffect(() => {
    setState(newGraphRun)
    if (runId === undefined) return
    start({ kind: 'run', runId }, (event) => setState((before) => addRunEvent(before, event)))
    return stop
  }, [runId, start, stop])

  // The stream gave up while the server was away: all events are told again, so it begins again.
  const wasBegun = state.runId !== undefined || isUnreachable(error)
  const isLost = runId !== undefined && !isStreaming && wasBegun && state.status === 'running'
  useEffect(() => {
    if (!isLost || connection !== 'online' || runId === undefined) return
    setState(newGraphRun)
    start({ kind: 'run', runId }, (event) => setState((before) => addRunEvent(before, event)))
  }, [isLost, connection, runId, start])

  return { state, error: connection === 'online' ? error : undefined }
}

const isUnreachable = (error: Error | undefined) => ClientError.is(error) && error.code === 'UNREACHABLE'
