import type { RunSourceInput } from '@homeward/contract/agent-platform'
import { foldRun, type FollowedRun, followRun, newTurn, type Turn } from '@homeward/contract/runs'
import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useRef, useState } from 'react'
import { refresh } from '../api/refresh.ts'
import { platform } from '../api/platform.ts'

/** Text grows in steps that a reader does not notice: each one lays the answer out again. */
const showEveryMs = 80

/** What is known of a turn before its first event. */
export type FirstTurn = Parameters<typeof newTurn>[0]

/** A run that is followed as it happens. */
export interface LiveTurn {
  /** The turn so far; it stays when the run has ended. */
  readonly turn: Turn | undefined
  readonly isFollowing: boolean
  /** False while a lost connection is tried again. */
  readonly isConnected: boolean
  /** Why the run could not be started, or read any further. */
  readonly error: Error | undefined
  /** Follows a run, and gives up the reading of the one before. */
  readonly follow: (run: FollowedRun, first: FirstTurn, startedBy?: RunSourceInput) => void
}

/** Follows one run at a time. What it changes in lists is read anew when it ends. */
export function useLiveTurn(): LiveTurn {
  const queries = useQueryClient()
  const reading = useRef<AbortController>(undefined)
  const [turn, setTurn] = useState<Turn>()
  const [isFollowing, setIsFollowing] = useState(false)
  const [isConnected, setIsConnected] = useState(true)
  const [error, setError] = useState<Error>()

  const follow = useCallback(
    (run: FollowedRun, first: FirstTurn, startedBy?: RunSourceInput) => {
      reading.current?.abort()
      const own = new AbortController()
      reading.current = own
      const shown = createShownTurn(newTurn(first), setTurn)
      setIsFollowing(true)
      setIsConnected(true)
      setError(undefined)
      const read = async () => {
        const how = { reasoning: true, signal: own.signal, ...(startedBy && { startedBy }) }
        for await (const item of followRun(platform, run, how)) {
          if (item.event === 'connection') setIsConnected(item.isConnected)
          shown.set(foldRun(shown.get(), item))
        }
      }
      const end = async () => {
        shown.close()
        if (own.signal.aborted) return
        setIsConnected(true)
        setIsFollowing(false)
        const changed = ['getConversation', 'listRuns', 'getRun', 'listConversations', 'listLogs']
        await Promise.all(changed.map((each) => refresh(queries, { queryKey: [each] })))
      }
      read()
        .catch((cause: unknown) => {
          if (!own.signal.aborted) setError(cause instanceof Error ? cause : new Error(String(cause)))
        })
        .then(end, end)
    },
    [queries],
  )

  useEffect(() => () => reading.current?.abort(), [])
  return { turn, isFollowing, isConnected, error, follow }
}

/** Shows a turn that changes often, now and then; the last one at the end. */
function createShownTurn(first: Turn, show: (turn: Turn) => void) {
  let current = first
  let timer: ReturnType<typeof setTimeout> | undefined
  const flush = () => {
    timer = undefined
    show(current)
  }
  show(first)
  return {
    get: () => current,
    set(turn: Turn) {
      // What a person has to answer, and what they have sent, shows at once.
      const isUrgent = turn.status !== current.status || turn.runId !== current.runId
      current = turn
      if (isUrgent) {
        clearTimeout(timer)
        flush()
      } else timer ??= setTimeout(flush, showEveryMs)
    },
    close() {
      if (timer === undefined) return
      clearTimeout(timer)
      flush()
    },
  }
}
