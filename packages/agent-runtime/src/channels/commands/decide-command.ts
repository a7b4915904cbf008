import type { ApprovalDecision } from '@homeward/contract/agent-platform'
import { decidedText, listText } from '../approvals/notice-text.ts'
import type { CommandContext, CommandOutcome } from './commands.ts'

const notAllowed = 'You are not allowed to decide this. Nothing has changed. Ask the operator to allow you.'

/** A decision as a person types it. */
interface TypedDecision {
  readonly decision: 'approve' | 'deny'
  /** In upper case; undefined if the person typed none. */
  readonly code: string | undefined
  readonly reason: string | undefined
}

/** Reads `/approve CODE`, `/deny CODE` and `/deny CODE because …`. Any other text after the word goes to the agent. */
export function parseDecision(text: string): TypedDecision | undefined {
  const found = /^\/(approve|deny)(?:\s+([a-z\d]{8})(?:\s+([^]+))?)?$/i.exec(text.trim())
  if (!found) return undefined
  const [, word = '', code, reason] = found
  const decision = word.toLowerCase() === 'approve' ? 'approve' : 'deny'
  if (reason !== undefined && decision === 'approve') return undefined
  return { decision, code: code?.toUpperCase(), reason: reason?.slice(0, 2000).toWellFormed() }
}

/** Carries out a decision of a person in a chat. A person who may not decide changes nothing. */
export async function decideInChat(
  { decision, code, reason }: TypedDecision,
  { chat, person, approvals }: CommandContext,
): Promise<CommandOutcome> {
  if (!person.isTrusted) return { answer: notAllowed }
  const notices = await approvals.find(chat, code)
  const open = notices.filter(({ wait }) => wait.status === 'open')
  const waiting =
    open.length === 0 ? 'No call is waiting for approval.' : `Waiting calls:\n\n${listText(open)}`
  if (code === undefined) return { answer: waiting }
  const notice = notices.find((one) => one.code === code)
  if (!notice) return { answer: `No call of this chat has the code ${code}. ${waiting}` }
  const given: ApprovalDecision = { decision, ...(reason !== undefined && { reason }) }
  const { approval, isOurs } = await approvals.decide(notice, given, person.name)
  if (!isOurs)
    return { answer: `This call has already been decided. Nothing has changed. ${decidedText(approval)}` }
  // the announcement says it: it is replaced, or a message of its own follows
  return person.readsAnnouncement ? {} : { answer: decidedText(approval) }
}
