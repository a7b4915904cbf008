import type { ChannelPeer, SenderLink, StoredSender } from '../../store/ports/channel-sender.ts'
import { codeLength, codeValidMs, createPairingCode, toPairingCode } from '../access/pairing-code.ts'
import type { TryCounter } from '../access/try-counter.ts'
import type { CommandContext, CommandOutcome } from './commands.ts'

/** What the commands about links know of the person. */
export interface LinkContext {
  readonly isPrivate: boolean
  readonly peer: ChannelPeer
  /** User id of the person without a link. */
  readonly own: string
  /** User that the messages of a person belong to. */
  readonly userOf: (sender: Pick<StoredSender, 'channel' | 'id' | 'userId'>) => string
  /** The user now. */
  readonly userId: string
  readonly find: (code: string) => Promise<StoredSender | undefined>
  readonly tries: TryCounter
  readonly receivedAt: string
}

type LinkChoice =
  | { readonly kind: 'offer' }
  | { readonly kind: 'leave' }
  | { readonly kind: 'take'; readonly code: string }

/** Reads `/link`, `/link CODE` and `/unlink`, with the code in any spelling. A longer text goes to the agent. */
export function parseLink(text: string): LinkChoice | undefined {
  const found = /^\/(link|unlink)(?:[\s\p{Cf}]+(.{1,40}))?$/iu.exec(text.trim())
  if (!found) return undefined
  const isLeave = found[1]?.toLowerCase() === 'unlink'
  if (found[2] === undefined) return { kind: isLeave ? 'leave' : 'offer' }
  return isLeave ? undefined : { kind: 'take', code: toPairingCode(found[2]) }
}

const groupText = 'Send this in a private chat with the agent.'
const notAllowed = 'You are not allowed to link chats. Ask the operator to allow you.'
const busyText =
  'The agent is still working here. Wait for its answer or send /stop, then send the code again.'
const wrongText = 'The code is wrong or has expired. Send /link on your other channel to get a new one.'

/** Carries out a command about links. Only an allowed person in a private chat changes something. */
export async function linkInChat(
  choice: LinkChoice,
  { person, links, findWork }: CommandContext,
): Promise<CommandOutcome> {
  const { isPrivate, peer, own } = links
  if (!isPrivate) return { answer: groupText }
  if (!person.isTrusted) return { answer: notAllowed }
  if (choice.kind === 'offer') return offerCode(links)
  if (choice.kind === 'leave') {
    const answer = 'This chat is not linked to another one now. Later messages belong to this chat alone.'
    return { answer, links: { peer, own, change: { userId: null } } }
  }
  return takeCode(choice.code, links, findWork)
}

function offerCode({ peer, own, receivedAt }: LinkContext): CommandOutcome {
  const code = createPairingCode()
  const until = new Date(Date.parse(receivedAt) + codeValidMs).toISOString()
  const answer = [
    `To link another chat of yours to this one, send there within one hour: \`/link ${code}\``,
    'From then on, both chats share your memories and conversations. Give the code to nobody else.',
  ].join('\n\n')
  return { answer, links: { peer, own, offer: { code, until } } }
}

async function takeCode(
  code: string,
  { peer, own, userId, userOf, find, tries }: LinkContext,
  findWork: CommandContext['findWork'],
): Promise<CommandOutcome> {
  const key = JSON.stringify([peer.channel, peer.id])
  const seconds = tries.secondsLeft(key)
  if (seconds > 0) return { answer: `Too many wrong codes. Wait ${seconds} seconds, then try again.` }
  const other = code.length === codeLength ? await find(code) : undefined
  if (!other) {
    tries.failed(key)
    return { answer: wrongText }
  }
  if (other.channel === peer.channel && other.id === peer.id)
    return { answer: 'This is the code of this chat. Send it on your other channel.' }
  const joined = userOf(other)
  if (joined === userId) return { answer: 'These chats are already linked.' }
  // what works here writes for the user that it began with
  if ((await findWork()).count > 0) return { answer: busyText }
  const change: SenderLink['change'] = { userId: joined, code: { text: code, sender: other } }
  const answer = 'Linked. Both chats now share your memories and conversations. /unlink undoes it.'
  return { answer, links: { peer, own, change } }
}
