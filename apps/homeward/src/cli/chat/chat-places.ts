import type { Conversation } from '@homeward/contract/agent-platform'
import type { AgentsClient } from '../agents-client.ts'
import { cleanLine } from '../../terminal/clean-text.ts'
import { listAgentLines, listConversations, readConversation, toConversationLines } from './chat-lists.ts'
import type { ChatScreen } from './chat-screen.ts'
import type { ChatSession } from './chat-session.ts'
import type { ChatWorker } from './chat-worker.ts'

/** Goes from one conversation, or agent, to another. */
export interface ChatPlaces {
  /** `/agent`: lists agents, or talks to another one. */
  agent(id: string): Promise<void>
  /** `/history`: lists conversations, or continues one by its number. */
  history(number: string): Promise<void>
  /** `/new` */
  startNew(): void
  /** Continues a conversation, and the run that works in it. */
  open(conversationId: string): Promise<void>
}

/** What it works with. */
interface ChatPlacesOptions {
  readonly client: AgentsClient
  readonly session: ChatSession
  readonly screen: ChatScreen
  readonly worker: ChatWorker
  readonly now: () => number
}

/** Most turns of an earlier conversation that are shown. */
const shownTurns = 10

export function createChatPlaces({ client, session, screen, worker, now }: ChatPlacesOptions): ChatPlaces {
  let conversations: readonly Conversation[] = []

  function isFree(): boolean {
    if (session.isBusy) {
      screen.showNote('The agent is still working. Wait for its answer, or stop it with /stop.')
    }
    return !session.isBusy
  }

  function startWith(agentId: string): void {
    session.open(agentId)
    screen.showNote(`New conversation with ${agentId}.`)
  }

  async function open(id: string): Promise<void> {
    const { agentId, turns, run } = await readConversation(client, id)
    session.open(agentId, id)
    const asked = turns.filter((turn) => turn.task !== undefined)
    for (const turn of asked.slice(-shownTurns)) {
      const { task = '', files = [] } = turn
      const names = files.map(({ name }) => name)
      screen.showMessage(task, names, false)
      screen.endTurn(turn)
    }
    if (run === undefined) return
    screen.showMessage(run.task, [], false)
    worker.follow(run.id)
  }

  async function list(): Promise<void> {
    conversations = await listConversations(client, session.agentId)
    if (conversations.length === 0) return screen.showNote(`No conversations with ${session.agentId} yet.`)
    const lines = toConversationLines(conversations, session.conversationId, now())
    screen.showNote([...lines, 'Continue one with /history <number>.'].join('\n'))
  }

  return {
    open,
    startNew: () => void (isFree() && startWith(session.agentId)),
    async agent(id) {
      if (id === '') {
        const lines = await listAgentLines(client, session.agentId)
        return screen.showNote([...lines, 'Talk to another one with /agent <id>.'].join('\n'))
      }
      if (!isFree()) return
      await client.getAgent({ params: { id } })
      conversations = []
      startWith(id)
    },
    async history(number) {
      if (number === '') return await list()
      if (conversations.length === 0) conversations = await listConversations(client, session.agentId)
      const chosen = conversations[Number(number) - 1]
      if (chosen === undefined) screen.showNote(`The list has no number ${cleanLine(number)}. See /history.`)
      else if (isFree()) await open(chosen.id)
    },
  }
}
