import { randomUUID } from 'node:crypto'
import type { ApprovalDecision } from '@homeward/contract/agent-platform'
import type { LoadedFile } from '../files/load-file.ts'
import {
  type ApprovalPart,
  closeApproval,
  foldRun,
  type FollowedRun,
  followRun,
  isTurnOver,
  newTurn,
  type Turn,
} from '@homeward/contract/runs'
import type { AgentsClient, RunInput } from '../agents-client.ts'

/** What a session tells while it reads a run. */
interface ChatListener {
  /** The turn has changed. */
  onTurn(turn: Turn): void
  /** The connection was lost, or is back. */
  onConnection(isConnected: boolean): void
}

/** One person's talk with one agent at a time. It knows nothing of a terminal. */
export interface ChatSession {
  readonly agentId: string
  /** Absent until the first message of a conversation is sent. */
  readonly conversationId: string | undefined
  /** The newest turn. */
  readonly turn: Turn | undefined
  /** Whether a run is being read. */
  readonly isBusy: boolean
  /** Whether {@link ChatSession.stop} was called for the run that is being read. */
  readonly isStopping: boolean
  /** Sends a message and reads the run until it has ended. @throws {ClientError} if no run could be started or read */
  send(text: string, files: readonly LoadedFile[]): Promise<Turn>
  /** Reads a run that was started before, until it has ended. */
  follow(runId: string): Promise<Turn>
  /** Cancels the run on the server. */
  stop(): Promise<void>
  /** Decides about a call that waits. */
  decide(call: Pick<ApprovalPart, 'id' | 'runId'>, decision: ApprovalDecision): Promise<void>
  /** Talks to an agent in a conversation, or in a new one. */
  open(agentId: string, conversationId?: string): void
  /** Stops reading. Runs continue. */
  close(): void
}

/** How to talk, and to whom. */
interface ChatSessionOptions {
  readonly client: AgentsClient
  readonly agentId: string
  readonly conversationId?: string | undefined
  readonly listener: ChatListener
  /** @default a random UUID */
  readonly newKey?: () => string
}

export function createChatSession(options: ChatSessionOptions): ChatSession {
  const { client, listener, newKey = randomUUID } = options
  let { agentId, conversationId } = options
  let turn: Turn | undefined
  let reading: AbortController | undefined
  let isStopping = false
  const decided = new Set<string>()

  function show(next: Turn): void {
    turn = next
    conversationId = next.conversationId ?? conversationId
    listener.onTurn(next)
  }

  async function cancel(runId: string): Promise<void> {
    await client.cancelRun({ params: { id: runId } })
  }

  async function read(run: FollowedRun): Promise<Turn> {
    const own = new AbortController()
    reading = own
    isStopping = false
    const first = newTurn('run_id' in run ? { runId: run.run_id } : {})
    show(first)
    const how = { reasoning: true, startedBy: 'chat', retriesStart: true, signal: own.signal } as const
    try {
      for await (const item of followRun(client, run, how)) {
        if (item.event === 'connection') {
          listener.onConnection(item.isConnected)
          continue
        }
        const next = foldRun(turn ?? first, item)
        const isDecided = item.event === 'approval' && decided.has(item.data.id)
        show(isDecided ? closeApproval(next, item.data.id) : next)
        // it was asked for before the run had an id
        if (item.event === 'start' && isStopping) await cancel(item.data.run_id)
      }
      return turn ?? first
    } finally {
      if (reading === own) reading = undefined
    }
  }

  return {
    get agentId() {
      return agentId
    },
    get conversationId() {
      return conversationId
    },
    get turn() {
      return turn
    },
    get isBusy() {
      return reading !== undefined
    },
    get isStopping() {
      return isStopping
    },
    send(text, files) {
      const request: RunInput = {
        agent_id: agentId,
        task: text,
        idempotency_key: newKey(),
        ...(conversationId !== undefined && { conversation_id: conversationId }),
        ...(files.length > 0 && { files: [...files] }),
      }
      return read(request)
    },
    follow: (runId) => read({ run_id: runId }),
    async stop() {
      if (reading === undefined || (turn !== undefined && isTurnOver(turn))) return
      isStopping = true
      if (turn?.runId !== undefined) await cancel(turn.runId)
    },
    async decide(call, decision) {
      await client.decideApproval({ params: { id: call.runId, approval_id: call.id }, body: decision })
      decided.add(call.id)
      if (turn !== undefined) show(closeApproval(turn, call.id))
    },
    open(nextAgent, nextConversation) {
      agentId = nextAgent
      conversationId = nextConversation
      turn = undefined
    },
    close: () => reading?.abort(),
  }
}
