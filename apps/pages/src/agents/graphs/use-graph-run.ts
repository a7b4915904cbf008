import { ClientError } from '@homeward/contract/client'
import { useCallback, useEffect, useState } from 'react'
import { platformToken } from '../../api/access-token.ts'
import { useConnection } from '../../api/live.ts'
import { useRunStream } from '../../api/use-run-stream.ts'
import { addRunEvent, type GraphRunState, newGraphRun, withoutDecided } from './graph-run-state.ts'
import { useDecidedApprovals } from './use-decided-approvals.ts'

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
  const { isNeeded: isSignedOut } = platformToken.useSignIn()
  const decided = useDecidedApprovals(state.status === 'running' ? state.approvals : [])

  const begin = useCallback(() => setState(newGraphRun), [])
  const follow = useCallback(
    (id: string) => {
      begin()
      start({ kind: 'run', runId: id }, (event) => setState((before) => addRunEvent(before, event)), begin)
    },
    [begin, start],
  )

  useEffect(() => {
    if (runId === undefined) return begin()
    follow(runId)
    return stop
  }, [runId, begin, follow, stop])

  // The stream gave up while the server was away, or took no token: all events are told again, so it begins again.
  const wasBegun = state.runId !== undefined || isUnreachable(error) || isRefused(error)
  const isLost = runId !== undefined && !isStreaming && wasBegun && state.status === 'running'
  useEffect(() => {
    if (isLost && connection === 'online' && !isSignedOut && runId !== undefined) follow(runId)
  }, [isLost, connection, isSignedOut, runId, follow])

  return { state: withoutDecided(state, decided), error: connection === 'online' ? error : undefined }
}

const isRefused = (error: Error | undefined) => ClientError.is(error) && error.status === 401
const isUnreachable = (error: Error | undefined) => ClientError.is(error) && error.code === 'UNREACHABLE'
