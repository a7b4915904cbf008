import type { Agent } from '@homeward/contract/agent-platform'
import type { MessageAcceptance } from '../../store/ports/channel-acceptance.ts'
import type { RuntimeStore } from '../../store/ports/runtime-store.ts'
import type { InboundMessage, Channel } from '../../ports/channel.ts'
import { judgeSender, toPeers, type MessagePeers } from '../access/judge-sender.ts'
import { toUnansweredEvent } from '../channel-events.ts'
import type { ActiveChannel } from '../channel-set.ts'
import type { ApprovalNotices } from '../approvals/create-approval-notices.ts'
import { waitingText } from '../approvals/notice-text.ts'
import { findCommand, type CommandContext, type CommandOutcome } from '../commands/commands.ts'
import type { Answering, ChatAnswers, GivenAnswer } from '../questions/answer-question.ts'
import { parseDecision } from '../commands/decide-command.ts'
import type { LinkContext } from '../commands/link-command.ts'
import { createTryCounter } from '../access/try-counter.ts'
import type { ChannelPeer, StoredSender } from '../../store/ports/channel-sender.ts'
import { platformOf } from '../platform-of.ts'
import { toShortId } from '../short-id.ts'
import { findRoute, type MessageRoute } from '../routes/find-route.ts'
import {
  toChat,
  toClaim,
  toCommandAcceptance,
  toKnock,
  toSteeringAcceptance,
  toTaskAcceptance,
  toUserId,
  userOf,
} from './to-acceptance.ts'
import type { ChatRecord } from '../../store/ports/channel-chat.ts'

/**
 * What came of a message: `gated` ones are not for the agent, an `unanswered` one has no agent, and the sender of a
 * `refused` one may not write here.
 */
export type InboxOutcome = 'accepted' | 'duplicate' | 'gated' | 'unanswered' | 'refused'

/** What is to be kept of a message. */
export interface Judged {
  readonly acceptance?: MessageAcceptance
  /** What came of it, if it is kept. */
  readonly outcome: Exclude<InboxOutcome, 'duplicate'>
}

/** What {@link createJudge} is built from. */
export interface JudgeOptions {
  readonly store: RuntimeStore
  readonly findAgent: (id: string) => Promise<Pick<Agent, 'while_running'> | undefined>
  readonly listAgents: CommandContext['routes']['agents']
  readonly now: () => number
  readonly createId: () => string
  readonly approvals: ApprovalNotices
  readonly answers: ChatAnswers
}

/** Most routes of a channel, as the HTTP API accepts them. */
const maxRoutes = 1000

/** Decides what a message is: for nobody, of a stranger, a command, or a task for the agent. Writes nothing. */
export function createJudge(options: JudgeOptions) {
  const { store, findAgent, listAgents, now, createId, approvals } = options
  const tries = createTryCounter(now)

  const isAddressed = createIsAddressed(options)

  /** The agent of a route that is gone leaves the chat to the default agent. */
  async function answering({ agentId }: MessageRoute, active: ActiveChannel): Promise<string | undefined> {
    return agentId !== undefined && (await findAgent(agentId)) ? agentId : active.agentId
  }

  async function hasRoom(channel: string, { agentId }: MessageRoute): Promise<boolean> {
    return agentId !== undefined || (await store.listChannelRoutes(channel)).length < maxRoutes
  }

  return async function judge(active: ActiveChannel, message: InboundMessage): Promise<Judged> {
    if (!(await isAddressed(message))) return { outcome: 'gated' }
    const channel = active.channel.id
    const peers = toPeers(channel, message)
    // the group first: an id that both have is the group's if nobody has said what it is
    const both = [...(peers.group ? [peers.group] : []), peers.person]
    const stored = await store.findChannelSenders(
      channel,
      both.map(({ id }) => id),
    )
    const judgement = judgeSender(peers, stored, active.policy)
    const senders = both.map((peer) => toJudgedSender(peer, stored))
    const arrival = { channel, message, receivedAt: new Date(now()).toISOString(), createId }
    const toJudged = (outcome: Judged['outcome'], acceptance: MessageAcceptance): Judged => ({
      outcome,
      acceptance: { ...acceptance, senders },
    })
    if (judgement.kind === 'refused') return toJudged('refused', { ...toClaim(arrival), journal: [] })
    if (judgement.kind === 'unknown') {
      // kept for the message that tells the person that it may write
      const chat = !peers.group && { chat: toSeenChat(active.channel, message, peers) }
      const outcome = judgement.getsCode ? 'accepted' : 'refused'
      return toJudged(outcome, { ...toKnock(arrival, judgement), ...chat })
    }
    const route = await findRoute(store, channel, message)
    const agentId = await answering(route, active)
    const problem = await agentProblem(channel, agentId, findAgent)
    if (agentId === undefined || problem !== undefined) {
      const reason = { code: 'no_agent', message: problem ?? '' }
      const journal = [toUnansweredEvent(channel, message, arrival.receivedAt, reason)]
      return toJudged('unanswered', { ...toClaim(arrival), journal })
    }
    const chat = toChat(message)
    const seen = toSeenChat(active.channel, message, peers)
    const person = toDecider(active, message, judgement.isTrusted)
    const routes = { agents: listAgents, hasRoom: () => hasRoom(channel, route) }
    const links = toLinkContext(peers, stored, { store, tries, receivedAt: arrival.receivedAt })
    const replied = await reply(options, { active, message, person, agentId, routes, links })
    if (replied) {
      const { routesTo } = replied
      const { conversation } = route
      return toJudged('accepted', {
        ...toCommandAcceptance(arrival, replied),
        chat: seen,
        ...(routesTo !== undefined && { routes: { channel, conversation, agentId: routesTo } }),
      })
    }
    const waiting = await approvals.waitingIn(chat)
    if (waiting.length > 0) {
      const outcome = { answer: waitingText(waiting) }
      return toJudged('accepted', { ...toCommandAcceptance(arrival, outcome), chat: seen })
    }
    const userId = userOf(channel, peers, stored)
    const conversationId = await findConversationOf(store, chat, { agentId, userId })
    const context = { agentId, userId, conversationId, isTrusted: judgement.isTrusted }
    const run = await findSteered(options, chat, message, context)
    if (run !== undefined) {
      const needsReply = active.channel.giveUp !== undefined
      const steering = toSteeringAcceptance(arrival, context, { run, needsReply })
      return toJudged('accepted', { ...steering, chat: { ...seen, conversationId } })
    }
    const accepted = await toTaskAcceptance(arrival, context)
    return toJudged('accepted', { ...accepted, chat: { ...seen, conversationId } })
  }
}

function toJudgedSender(peer: ChannelPeer, stored: readonly StoredSender[]) {
  const known = stored.find(({ id }) => id === peer.id)
  const { status, userId } = known ?? {}
  return { peer, status, ...(userId !== undefined && { userId }) }
}

/** A person as the commands about links know it. */
function toLinkContext(
  { person, group }: MessagePeers,
  stored: readonly StoredSender[],
  { store, ...rest }: Pick<LinkContext, 'tries' | 'receivedAt'> & Pick<JudgeOptions, 'store'>,
): LinkContext {
  const { channel } = person
  return {
    ...rest,
    isPrivate: !group,
    peer: person,
    own: toUserId(platformOf(channel), { person }),
    userId: userOf(channel, { person }, stored),
    userOf: (sender) => userOf(sender.channel, { person: { ...sender, kind: 'person' } }, [sender]),
    find: (code) => store.findSenderByCode(code, rest.receivedAt),
  }
}

/** Whether a message is for the agent. */
function createIsAddressed({ store, approvals }: JudgeOptions) {
  /** Whether a text decides about a call of its chat, as the announcement asks for it, or answers a question of the person. */
  async function repliesToNotice(message: InboundMessage): Promise<boolean> {
    const code = parseDecision(message.text)?.code
    if (code !== undefined)
      return (await approvals.find(toChat(message), code)).some((notice) => notice.code === code)
    // a command without the agent's name may be meant for another bot
    if (findCommand(message.text) && !/^\/(?:skip|answer)\b/i.test(message.text.trim())) return false
    for (const { messageId } of await approvals.questions(toChat(message)))
      if ((await store.findChannelMessage(messageId))?.sender?.id === message.sender.id) return true
    return false
  }

  return async (message: InboundMessage): Promise<boolean> => {
    const { isAddressed: yes, isFollowUp, conversationId, text, press, files = [] } = message
    if (text.trim() === '' && files.length === 0) return false
    if (press && !findCommand(text)) return false
    if (yes || (await repliesToNotice(message))) return true
    if (!isFollowUp) return false
    const inThread = { conversationId: toChat({ conversationId }) }
    const known = await store.listChannelMessages(inThread, { limit: 1 })
    return known.rows.length > 0
  }
}

/** The run that a message goes to, instead of one of its own. Files are loaded with a task. */
async function findSteered(
  { store, findAgent }: JudgeOptions,
  chat: string,
  { files = [] }: InboundMessage,
  { agentId, conversationId }: { readonly agentId: string; readonly conversationId: string },
): Promise<string | undefined> {
  if (files.length > 0 || (await findAgent(agentId))?.while_running !== 'steer') return undefined
  const { task } = await store.findChatWork(chat)
  if (task?.runId === undefined || task.cancelRequested || task.conversationId !== conversationId)
    return undefined
  const run = await store.findRun(task.runId)
  return run?.kind === 'agent' && run.agentId === agentId && run.finishedAt === undefined ? run.id : undefined
}

type Replying = Pick<Answering, 'active' | 'message' | 'person'> &
  Pick<CommandContext, 'agentId' | 'routes' | 'links'>

/** Carries out a command, or takes the answer to a question of the chat. @returns undefined for a message to the agent */
async function reply(
  options: JudgeOptions,
  { active, message, person, agentId, routes, links }: Replying,
): Promise<CommandOutcome | undefined> {
  const { store, approvals } = options
  const chat = toChat(message)
  const questions = await approvals.questions(chat)
  const answer = async (given: GivenAnswer) => {
    if (questions.length === 0) return undefined
    const { answerQuestion } = await import('../questions/answer-question.ts')
    return answerQuestion(options, { active, message, person, questions }, given)
  }
  const command = findCommand(message.text)
  if (!command) return answer({ kind: 'text', text: message.text })
  return command({
    agentId,
    findWork: () => store.findChatWork(chat),
    chat,
    person,
    approvals,
    routes,
    links,
    answer: async (given) => (await answer(given)) ?? { answer: 'No question is open.' },
    hasQuestion: questions.length > 0,
  })
}

/** A person as the commands about approvals know it. */
function toDecider({ channel }: ActiveChannel, message: InboundMessage, isTrusted: boolean) {
  const { sender, press, isQuoted } = message
  const { person } = toPeers(channel.id, { sender })
  return {
    name: toShortId(`${platformOf(channel.id)}:${person.id}`),
    // what somebody else wrote is no decision of the person who passes it on
    isTrusted: isTrusted && !isQuoted,
    readsAnnouncement: press ? press.needsAnswer !== true : channel.canReplace !== true,
  }
}

/** Why nobody answers at a channel, and what to do; undefined when somebody does. */
export async function agentProblem(
  channel: string,
  agentId: string | undefined,
  findAgent: JudgeOptions['findAgent'],
): Promise<string | undefined> {
  if (agentId === undefined) {
    return `No agent answers here. Set ${channel}_default_agent_id to the id of an agent.`
  }
  if ((await findAgent(agentId)) !== undefined) return undefined
  return `The agent of ${channel}_default_agent_id does not exist. Create it, or use the id of another agent.`
}

/** The chat of a message as it is stored, so that the agent can write there first. */
function toSeenChat(
  channel: Channel,
  { conversationId, target }: InboundMessage,
  { person, group }: MessagePeers,
): ChatRecord {
  const { id, kind } = group ?? person
  return {
    id: toShortId(conversationId),
    channel: channel.id,
    target: channel.toChatTarget?.(target) ?? target,
    peer: { id, kind },
  }
}

type Store = Pick<RuntimeStore, 'findChatConversation' | 'findChatWork' | 'findConversation'>

/**
 * Finds the conversation of a chat. A conversation belongs to one agent and one user: if another agent answers from now on,
 * or the stored one has no user or another one, a conversation with an id of its own begins.
 */
export async function findConversationOf(
  store: Store,
  chat: string,
  { agentId, userId }: { readonly agentId: string; readonly userId: string },
): Promise<string> {
  let id = (await store.findChatConversation(chat)) ?? chat
  // a conversation is stored when its first run ends: until then it belongs to whoever is being answered
  let owner = (await store.findConversation(id)) ?? (await store.findChatWork(chat)).task
  while (owner !== undefined && (agentOf(owner) !== agentId || owner.userId !== userId)) {
    id = toShortId(`${id} ${agentId} ${userId}`)
    owner = await store.findConversation(id) // that may belong to another user by now: see `SenderLink`
  }
  return id
}

function agentOf(
  owner: { readonly agentId: string } | { readonly subject: { readonly id: string } },
): string {
  return 'agentId' in owner ? owner.agentId : owner.subject.id
}
