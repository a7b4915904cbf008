import type { Conversation, Run } from '@homeward/contract/agent-platform'
import { ClientError } from '@homeward/contract/client'
import { CliError } from '../cli-error.ts'
import { exitCodes } from '../exit-codes.ts'
import type { AgentsClient } from '../agents-client.ts'
import { cleanLine } from '../../terminal/clean-text.ts'
import { storedTurns, type Turn } from '@homeward/contract/runs'

/** Most conversations of a list. */
const listLength = 20

/** The agents as lines: their ids and what they are for. */
export async function listAgentLines(client: AgentsClient, currentId: string): Promise<readonly string[]> {
  const { agents } = await client.listAgents()
  return agents.map(({ id, name, description }) => {
    const about = [name, description].filter((text) => text !== undefined && text !== '' && text !== id)
    return `${id === currentId ? '*' : ' '} ${id}${about.length > 0 ? `: ${cleanLine(about.join(', '))}` : ''}`
  })
}

/**
 * The agent to talk to: the one that was named, or the oldest.
 *
 * @throws {CliError} if there is none.
 */
export async function findAgent(client: AgentsClient, wanted: string | undefined): Promise<string> {
  const { agents } = await client.listAgents()
  const found = wanted === undefined ? agents[0] : agents.find(({ id }) => id === wanted)
  if (found) return found.id
  const attempt = 'Starting the chat failed'
  if (agents.length === 0) {
    throw new CliError(`${attempt}: the server has no agents. Create one on the page /agents of the server.`)
  }
  const known = agents.slice(0, 10).map(({ id }) => id)
  throw new CliError(
    `${attempt}: no agent has the id "${cleanLine(wanted ?? '')}". Use one of: ${known.join(', ')}.`,
    exitCodes.usage,
  )
}

/** The newest conversations of an agent. Those of messengers' users belong to them, and are left out. */
export async function listConversations(
  client: AgentsClient,
  agentId: string,
): Promise<readonly Conversation[]> {
  const query = { agent_id: agentId, limit: String(listLength * 5) }
  const reply = await client.listConversations({ query })
  if (!('conversations' in reply)) return []
  return reply.conversations.filter(({ user_id: userId }) => userId === undefined).slice(0, listLength)
}

/** A conversation as it is stored. */
interface StoredConversation {
  readonly agentId: string
  /** Oldest first. The first one has no task if its message is on an older page. */
  readonly turns: readonly Turn[]
  /** The run that works in it now. Its turn is stored when it has ended. */
  readonly run: Run | undefined
}

/**
 * Reads the newest turns of a conversation, and the run that works in it.
 *
 * @throws {ClientError} if there is no such conversation
 */
export async function readConversation(client: AgentsClient, id: string): Promise<StoredConversation> {
  const { runs } = await client.listRuns({ query: { conversation_id: id, limit: '1' } })
  const run = runs.find(({ status }) => status === 'running' || status === 'waiting')
  try {
    const { conversation, messages } = await client.getConversation({
      params: { id },
      query: { limit: '100' },
    })
    const turns = storedTurns(messages).filter(({ runId }) => run === undefined || runId !== run.id)
    return { agentId: conversation.agent_id, turns, run }
  } catch (error) {
    // it is stored with its first turn
    if (run?.agent_id === undefined || !ClientError.is(error) || error.status !== 404) throw error
    return { agentId: run.agent_id, turns: [], run }
  }
}

/** Conversations as numbered lines, with the age of each. */
export function toConversationLines(
  conversations: readonly Conversation[],
  currentId: string | undefined,
  now: number,
): readonly string[] {
  return conversations.map(({ id, title, summary, message_count: count, updated_at: updatedAt }, index) => {
    const name = cleanLine(title ?? summary ?? 'Untitled').slice(0, 60)
    const mark = id === currentId ? ' (this one)' : ''
    return `${index + 1}. ${name}${mark}, ${toAge(now - Date.parse(updatedAt))}, ${toCount(count)}`
  })
}

const toCount = (count: number) => (count === 1 ? '1 message' : `${count} messages`)

/** A duration as people read it. */
export function toAge(ms: number): string {
  const minutes = Math.floor(ms / 60_000)
  if (minutes < 1) return 'just now'
  if (minutes < 60) return `${minutes} min ago`
  const hours = Math.floor(minutes / 60)
  return hours < 48 ? `${hours} h ago` : `${Math.floor(hours / 24)} days ago`
}
