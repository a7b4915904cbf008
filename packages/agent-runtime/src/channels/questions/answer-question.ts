import type { Json, JsonObject } from '@homeward/contract/agent-platform'
import type { InboundMessage } from '../../ports/channel.ts'
import type { NoticeStep, StoredApprovalNotice } from '../../store/ports/approval-notice.ts'
import type { NewChannelMessage, StoredChannelMessage } from '../../store/ports/channel-store.ts'
import type { RuntimeStore } from '../../store/ports/runtime-store.ts'
import type { StoredWait, WaitSettlement } from '../../store/ports/wait.ts'
import { cut } from '../../json/to-json.ts'
import { createPairingCode } from '../access/pairing-code.ts'
import type { ActiveChannel } from '../channel-set.ts'
import { toShortId } from '../short-id.ts'
import type { CommandOutcome, CommandContext } from '../commands/commands.ts'
import {
  buttonsOf,
  fieldsOf,
  misfitText,
  type QuestionField,
  questionText,
  readAnswer,
} from './question-form.ts'

/** What the runs know of answers: see `RunAnswers`. */
export interface ChatAnswers {
  problemOf(wait: StoredWait, data: Json): Promise<string | undefined>
  toSettlement(
    wait: StoredWait,
    how: Pick<WaitSettlement, 'status' | 'data' | 'reason'>,
    settledBy: string | undefined,
  ): WaitSettlement
  resume(runId: string): void
}

/** What a person gives: a text, the number of an option, or nothing. */
export type GivenAnswer =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'option'; readonly code: string; readonly number: number }
  | { readonly kind: 'skip' }

/** What {@link answerQuestion} works with. */
export interface QuestionContext {
  readonly store: Pick<RuntimeStore, 'findChannelMessage'>
  readonly answers: ChatAnswers
  readonly now: () => number
  readonly createId: () => string
}

/** A message that may answer a question. */
export interface Answering {
  readonly active: ActiveChannel
  readonly message: InboundMessage
  readonly person: CommandContext['person']
  /** Questions that are open in the chat, oldest first. */
  readonly questions: readonly StoredApprovalNotice[]
}

/** A question that is open, with what is announced of it. */
interface OpenQuestion {
  readonly notice: StoredApprovalNotice
  readonly announced: StoredChannelMessage | undefined
}

const mayNot = 'You are not allowed to answer this question. Nothing has changed.'
const maxNamed = 200

/**
 * Lets a message of a person answer a question of its chat: in a group, that of the person who has asked the agent, or of one
 * whom the operator has allowed. Writes nothing.
 *
 * @returns undefined if the message is for the agent
 */
export async function answerQuestion(
  context: QuestionContext,
  answering: Answering,
  given: GivenAnswer,
): Promise<CommandOutcome | undefined> {
  const { message, questions } = answering
  const isNamed = ({ code }: StoredApprovalNotice) => given.kind !== 'option' || code === given.code
  const named = questions.filter(isNamed)
  const open = await Promise.all(
    named.map(async (notice) => ({
      notice,
      announced: await context.store.findChannelMessage(notice.messageId),
    })),
  )
  const [oldest] = open.filter(({ announced }) => mayAnswer(answering, announced))
  if (!oldest) {
    if (given.kind === 'text') return undefined
    return { answer: named.length > 0 ? mayNot : 'No question is waiting for this answer.' }
  }
  if (message.isQuoted && given.kind === 'text')
    return { answer: 'A forwarded message does not answer the question. Write the answer yourself.' }
  return give({ context, answering, question: oldest }, given)
}

/** Whether the person of a message may answer. */
export function mayAnswer(
  { message, person }: Pick<Answering, 'message' | 'person'>,
  announced: Pick<NewChannelMessage, 'sender'> | undefined,
): boolean {
  return message.group === undefined || person.isTrusted || announced?.sender?.id === message.sender.id
}

interface Work {
  readonly context: QuestionContext
  readonly answering: Answering
  readonly question: OpenQuestion
}

async function give(work: Work, given: GivenAnswer): Promise<CommandOutcome> {
  const { context, answering, question } = work
  const { wait } = question.notice
  const { person, message } = answering
  if (given.kind === 'skip') {
    const settles = context.answers.toSettlement(wait, { status: 'declined' }, person.name)
    return toOutcome(work, { settles }, 'Declined.')
  }
  const fields = fieldsOf(wait)
  const before = question.announced?.notice?.given ?? {}
  const field = fields.find(({ name }) => name === undefined || !Object.hasOwn(before, name)) ?? fields[0]
  const read =
    field && (given.kind === 'text' ? readAnswer(field, given.text) : field.options[given.number - 1])
  const problem =
    field && read && (await context.answers.problemOf({ ...wait, schema: field.schema }, read.value))
  if (!field || !read || problem !== undefined) {
    // what somebody writes in a group without naming the agent may be meant for others
    return message.isAddressed && field ? { answer: misfitText(field, problem) } : {}
  }
  const shown = `Answer: ${toShown(field, read.value)}`
  if (field.name === undefined) return settleWith(work, read.value, shown)
  const values: JsonObject = { ...before, [field.name]: read.value }
  const next = fields.find(({ name = '' }) => !Object.hasOwn(values, name))
  if (next) return toOutcome(work, { next: toNext(work, next, values) }, shown)
  const whole = await context.answers.problemOf(wait, values)
  if (whole === undefined) return settleWith(work, values, shown)
  const [first = field] = fields
  const problemText = `These answers do not fit together: ${whole}. The questions begin again.`
  return toOutcome(work, { next: toNext(work, first, {}, problemText) }, shown)
}

function settleWith(work: Work, data: Json, shown: string): CommandOutcome {
  const { context, answering, question } = work
  const how = { status: 'answered', data } as const
  const settles = context.answers.toSettlement(question.notice.wait, how, answering.person.name)
  return toOutcome(work, { settles }, shown)
}

function toNext(
  { context, answering, question: { notice, announced } }: Work,
  field: QuestionField,
  given: JsonObject,
  problem?: string,
): NonNullable<NoticeStep['next']> {
  const code = createPairingCode()
  const buttons = buttonsOf(field, code)
  const question = questionText(notice.wait, field, problem !== undefined)
  const text = problem === undefined ? question : `${problem}\n\n${question}`
  const message = toMessage(context, answering, text, announced)
  return { code, message: { ...message, notice: { ...(buttons && { buttons }), given } } }
}

/** A message to the chat, which belongs to the person who has asked the agent. */
function toMessage(
  { now, createId }: QuestionContext,
  { active, message }: Answering,
  text: string,
  announced: StoredChannelMessage | undefined,
): NewChannelMessage {
  const { sender } = announced ?? {}
  return {
    id: createId(),
    channel: active.channel.id,
    conversationId: toShortId(message.conversationId),
    ...(sender && { sender }),
    target: message.target,
    ...(message.group && { isGroup: true as const }),
    text,
    answer: text,
    receivedAt: new Date(now()).toISOString(),
  }
}

function toOutcome(work: Work, what: Pick<NoticeStep, 'settles' | 'next'>, shown: string): CommandOutcome {
  const { context, answering, question } = work
  const { notice, announced } = question
  const { active, message, questions } = answering
  const { runId, approvalId, chat, code, messageId } = notice
  const name = cut(notice.wait.message ?? '', maxNamed)
  const replacement =
    active.channel.canReplace && announced
      ? {
          ...toMessage(context, answering, `${name}\n\n${shown}`, announced),
          target: announced.target,
          notice: { replaces: messageId },
        }
      : undefined
  const step: NoticeStep = {
    runId,
    approvalId,
    chat,
    code,
    ...what,
    ...(replacement && { replacement }),
  }
  if (questions.length > 1) return { step, answer: `Your answer belongs to the question: ${name}` }
  // where the platform shows that a reply is being written, one has to come
  const needsReply = message.press ? message.press.needsAnswer : active.channel.giveUp !== undefined
  return { step, ...(needsReply && { answer: shown }) }
}

const toShown = ({ options }: QuestionField, value: Json) =>
  options.find((option) => option.value === value)?.label ??
  cut(typeof value === 'string' ? value : JSON.stringify(value), maxNamed)
