import type { Run, RunSourceInput } from '@homeward/contract/agent-platform'
import { ClientError } from '@homeward/contract/client'
import {
  isTurnOver,
  storedTurns,
  type Turn,
  foldRun,
  type FollowedRun,
  followRun,
  newTurn,
} from '@homeward/contract/runs'
import { useEffect, useMemo, useRef, useState, useCallback } from 'react'
import { usePlatformMutation, usePlatformPages, usePlatformQuery, platform } from '../api/platform.ts'
import { conversationPageOf } from '../api/rows-of.ts'
import { newId } from '../api/use-idempotency-key.ts'
import type { AttachedFile } from './files/chat-file.ts'
import { withReasoningOf } from './turn.ts'
import { useQueryClient } from '@tanstack/react-query'
import { refresh } from '../api/refresh.ts'

/** What a run is asked for. The key makes it one run, however often it is sent. */
type AgentRequest = Readonly<Record<'agent_id' | 'task' | 'conversation_id' | 'idempotency_key', string>> & {
  readonly files?: AttachedFile[]
  readonly regenerate?: true
}

/** Messages that are read at once. */
const pageSize = '100'

/** A conversation as the chat works with it. */
export interface Chat {
  /** Oldest first; the last one may still grow. */
  readonly turns: readonly Turn[]
  readonly isLoading: boolean
  readonly loadError: Error | undefined
  readonly reload: () => void
  /** Whether nobody has ever said anything here. */
  readonly isEmpty: boolean
  readonly title: string | undefined
  readonly hasOlder: boolean
  readonly isLoadingOlder: boolean
  readonly loadOlder: () => void
  /** Whether a run works or waits: then nothing can be sent. */
  readonly isWorking: boolean
  readonly isConnected: boolean
  /** The last message that did not get through. */
  readonly sendError: Error | undefined
  /** That message, where it has begun no run. */
  readonly unsent: string | undefined
  /** Whether it was the first one of all and was refused: then there is no conversation yet. */
  readonly isRefused: boolean
  readonly send: (task: string, files: readonly AttachedFile[]) => void
  /** Answers the newest question again, which this task repeats. */
  readonly regenerate: (task: string) => void
  /** Sends that message again; it counts once, should it have got through after all. */
  readonly sendAgain: () => void
  /** Stops the run; undefined as long as there is none, or it has no id yet. */
  readonly stop: (() => void) | undefined
  readonly isStopping: boolean
  readonly stopError: Error | null
}

/** One conversation with an agent: what was said, the run under way, and what can be done. */
export function useChat(
  agentId: string,
  conversationId: string,
  beginsHere: boolean,
  startedBy: 'chat' | 'test' = 'chat',
): Chat {
  const { turn: live, isFollowing, isConnected, error, follow } = useLiveTurn()
  // One that begins here has its first run at once. A message that did not get through is sent
  // again, and counts once.
  const hasRuns = !beginsHere || live?.runId !== undefined
  const [isRead, setIsRead] = useState(!beginsHere)
  if (!isRead && hasRuns && !isFollowing) setIsRead(true)
  const pages = usePlatformPages(
    'getConversation',
    { params: { id: conversationId }, query: { limit: pageSize } },
    { select: conversationPageOf, enabled: isRead },
  )
  const runs = usePlatformQuery(
    'listRuns',
    { query: { conversation_id: conversationId, limit: '100' } },
    { enabled: hasRuns },
  )
  const unsent = error !== undefined && live?.runId === undefined ? live?.task : undefined
  // An answer may be lost on its way: then there may be a run, whatever is said of the next try.
  const [isBegun, setIsBegun] = useState(!beginsHere)
  if (!isBegun && (live?.runId !== undefined || (error !== undefined && !isRefusal(error)))) setIsBegun(true)
  const cancel = usePlatformMutation('cancelRun')
  const sent = useRef<AgentRequest>(undefined)
  useRunUnderWay(runs.data?.runs, isFollowing, live, follow)

  const replies = pages.data
  const turns = useMemo(() => {
    const messages = (replies ?? []).toReversed().flatMap((reply) => reply.messages)
    const kept = storedTurns(messages, runs.data?.runs)
    const isKept = live !== undefined && kept.some(({ runId }) => runId !== undefined && runId === live.runId)
    if (live === undefined) return kept
    const shown = error && isOpen(live) ? { ...live, status: 'failed' as const } : live
    if (!isKept) return [...kept, shown]
    return kept.map((turn) => {
      if (turn.runId !== live.runId) return turn
      // its question is kept when it begins, and its answer when it ends
      return turn.parts.length === 0
        ? { ...shown, task: turn.task, files: turn.files, createdAt: turn.createdAt }
        : withReasoningOf(turn, live)
    })
  }, [replies, runs.data, live, error])

  function start(body: AgentRequest): void {
    sent.current = body
    const { files, ...others } = body
    const sentFiles = files?.map(({ name, media_type, base64: data }) => ({ name, media_type, data }))
    const request = { ...others, ...(sentFiles && { files: sentFiles }) }
    // A question that is answered again stands above already.
    const task = body.regenerate ? undefined : body.task
    follow(request, { id: body.idempotency_key, task, files }, startedBy)
  }

  const isMissing = ClientError.is(pages.error) && pages.error.status === 404
  const isWorking = isFollowing || (live !== undefined && error === undefined && isOpen(live))
  const runId = isWorking ? live?.runId : undefined
  return {
    turns,
    isLoading: !beginsHere && ((pages.isPending && !isMissing) || runs.isPending),
    loadError: (isMissing ? null : pages.error) ?? runs.error ?? undefined,
    reload: () => void Promise.all([pages.refetch(), runs.refetch()]),
    isEmpty: turns.length === 0,
    title: replies?.[0]?.conversation.title,
    hasOlder: pages.loadMore !== undefined,
    isLoadingOlder: pages.isFetchingNextPage,
    loadOlder: () => pages.loadMore?.(),
    isWorking,
    isConnected,
    sendError: error,
    unsent,
    isRefused: !isBegun && unsent !== undefined,
    send(task, files) {
      const request = { agent_id: agentId, task, conversation_id: conversationId, idempotency_key: newId() }
      start(files.length > 0 ? { ...request, files: [...files] } : request)
    },
    regenerate(task) {
      const idempotency_key = newId()
      start({ agent_id: agentId, task, conversation_id: conversationId, idempotency_key, regenerate: true })
    },
    sendAgain() {
      if (live?.runId !== undefined)
        follow({ run_id: live.runId }, { runId: live.runId, task: live.task, files: live.files })
      else if (sent.current !== undefined) start(sent.current)
    },
    stop: runId === undefined ? undefined : () => cancel.mutate({ params: { id: runId } }),
    isStopping: cancel.isPending,
    stopError: cancel.error,
  }
}

/** Whether the server has taken nothing of what was sent. */
const isRefusal = (error: Error) =>
  ClientError.is(error) && error.status !== undefined && error.status >= 400 && error.status < 500

const isOpen = (turn: Pick<Turn, 'status'>) => !isTurnOver(turn)

/**
 * Follows a run of the conversation that is under way: after the page was loaded anew, or when it was begun elsewhere. Its
 * events come from the first on, so nothing is missing and nothing comes twice.
 */
function useRunUnderWay(
  runs: readonly Run[] | undefined,
  isFollowing: boolean,
  live: Turn | undefined,
  follow: ReturnType<typeof useLiveTurn>['follow'],
): void {
  const open = runs?.find(isOpen)
  const wasFollowed = open !== undefined && open.id === live?.runId
  const id = isFollowing || wasFollowed ? undefined : open?.id
  const task = open?.task
  useEffect(() => {
    if (id !== undefined) follow({ run_id: id }, { runId: id, task })
  }, [id, task, follow])
}

/** Text grows in steps that a reader does not notice: each one lays the answer out again. */
const showEveryMs = 80

/** What is known of a turn before its first event. */
type FirstTurn = Parameters<typeof newTurn>[0]

/** A run that is followed as it happens. */
interface LiveTurn {
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
function useLiveTurn(): LiveTurn {
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
