import type { ApprovalDecision } from '@homeward/contract/agent-platform'
import { codeLength, toPairingCode } from '../access/pairing-code.ts'
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

/** What may stand between a code and a reason. */
const gap = /^[\s\p{Cf}\p{Pd}\p{Pf}"'.,:;]+/u

/**
 * Reads `/approve CODE`, `/deny CODE` and `/deny CODE because …`, with the code in any spelling that {@link toPairingCode} takes.
 * Any other text after the word goes to the agent.
 */
export function parseDecision(text: string): TypedDecision | undefined {
  const found = /^\/(approve|deny)(?:[\s\p{Cf}]+([^]+))?$/iu.exec(text.trim())
  if (!found) return undefined
  const decision = found[1]?.toLowerCase() === 'approve' ? 'approve' : 'deny'
  if (found[2] === undefined) return { decision, code: undefined, reason: undefined }
  const [code, after] = splitCode(found[2])
  if (code.length !== codeLength || /^[\p{L}\p{N}]/u.test(after)) return undefined
  const reason = after.replace(gap, '').slice(0, 2000).toWellFormed() || undefined
  if (reason !== undefined && decision === 'approve') return undefined
  return { decision, code, reason }
}

/** The code that a text begins with, and the rest of the text. A mistyped code of 8 plain characters is one, too. */
function splitCode(text: string): [code: string, after: string] {
  const plain = /^[a-z\d]{8}(?!\S)/i.exec(text)?.[0]
  if (plain !== undefined) return [plain.toUpperCase(), text.slice(codeLength)]
  let code = ''
  let length = 0
  for (const letter of text) {
    if (code.length >= codeLength) break
    code += toPairingCode(letter)
    length += letter.length
  }
  return [code, text.slice(length)]
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
