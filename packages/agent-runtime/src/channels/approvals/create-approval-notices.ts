import type { Approval, ApprovalDecision, WaitAnswer } from '@homeward/contract/agent-platform'
import type { Logger } from '../../ports/logger.ts'
import { reasonOf } from '../../ports/reason-of.ts'
import type { MessageButton } from '../../ports/channel.ts'
import { RuntimeError } from '../../ports/runtime-error.ts'
import { isElicitation, loginLinkMs } from '../../ports/user-logins.ts'
import type {
  ApprovalNotice,
  MessageNotice,
  StoredApprovalNotice,
} from '../../store/ports/approval-notice.ts'
import { isApproval, type StoredWait } from '../../store/ports/wait.ts'
import type { NewChannelMessage } from '../../store/ports/channel-store.ts'
import type { RuntimeStore } from '../../store/ports/runtime-store.ts'
import { toApproval } from '../../store/wait-view.ts'
import { createPairingCode } from '../access/pairing-code.ts'
import { findApprovalPlaces, type ApprovalPlace, type ApprovalPlacesContext } from './approval-places.ts'
import { announcementText, decidedText, endedText, loginEndedText, loginText } from './notice-text.ts'

/** Decides about a call, as `Runs.decideApproval` does. */
export type DecideApproval = (
  runId: string,
  approvalId: string,
  decision: ApprovalDecision,
  decidedBy: string,
) => Promise<unknown>

/** Answers a wait, as `Runs.answerWait` does. */
export type AnswerWait = (runId: string, waitId: string, answer: WaitAnswer) => Promise<unknown>

/** What {@link createApprovalNotices} is built from. */
interface ApprovalNoticesOptions extends ApprovalPlacesContext {
  readonly store: RuntimeStore
  readonly decide: DecideApproval
  readonly answer: AnswerWait
  readonly logger: Logger
  readonly now: () => number
  readonly createId: () => string
}

/** Calls that wait for a person, in the chats. */
export interface ApprovalNotices {
  /** Stores the announcements that are missing, and what was decided about the announced calls. Never rejects. */
  look(): Promise<void>
  /** Calls and logins for which the messages of a chat wait. A login whose link has expired gets a new one. */
  waitingIn(chat: string): Promise<readonly StoredApprovalNotice[]>
  /** Calls that wait in a chat; with a code also the call of that code, decided or not. */
  find(chat: string, code?: string): Promise<readonly StoredApprovalNotice[]>
  /** Questions that are open in a chat, oldest first. */
  questions(chat: string): Promise<readonly StoredApprovalNotice[]>
  /** Decides about a call. @returns the approval, and whether this decision is the one that counts */
  decide(
    notice: StoredApprovalNotice,
    decision: ApprovalDecision,
    decidedBy: string,
  ): Promise<{ readonly approval: Approval; readonly isOurs: boolean }>
}

type Place = Pick<ApprovalPlace, 'channel' | 'conversationId' | 'sender' | 'target' | 'isGroup'>

/** Calls that one look announces, and closes. */
const maxAtOnce = 50

/** Builds the announcements of calls that wait (A20). Each is stored once, with its message, whichever process looks. */
export function createApprovalNotices(options: ApprovalNoticesOptions): ApprovalNotices {
  const { store, logger, now, createId } = options
  let looking: Promise<void> | undefined

  function toMessage(place: Place, answer: string, notice: MessageNotice): NewChannelMessage {
    const { channel, conversationId, sender, target, isGroup } = place
    const chat = { channel, conversationId, target, ...(sender && { sender }), ...(isGroup && { isGroup }) }
    // a message with a sender goes to who has asked: nothing in it is the sender's
    return {
      id: createId(),
      ...chat,
      text: answer,
      answer,
      notice,
      receivedAt: new Date(now()).toISOString(),
    }
  }

  async function announce(wait: StoredWait): Promise<void> {
    const { runId, id: approvalId } = wait
    const write = await writerOf(wait)
    // a chat can neither make a call for a program nor bring an event about
    const places = write ? await findApprovalPlaces(options, wait) : []
    const notices = places.map((place) => {
      const code = createPairingCode()
      const { text = '', ...notice } = write?.(code, place) ?? {}
      return { notice: { code, isBlocking: place.isBlocking }, message: toMessage(place, text, notice) }
    })
    await store.announceApproval({ runId, approvalId, notices })
  }

  async function close({ runId, approvalId, chat, messageId, wait }: StoredApprovalNotice): Promise<void> {
    const announced = await store.findChannelMessage(messageId)
    const text = endOf(wait)
    const message = announced && toMessage(announced, text, { replaces: messageId })
    await store.closeNotice({ runId, approvalId, chat, ...(message && { message }) })
  }

  /** Gets a new link for a login whose link has expired, or ends the wait for what a server asked for. @returns whether it did */
  async function renewLogin({ runId, approvalId, wait }: StoredApprovalNotice): Promise<boolean> {
    if (!isElicitation(wait) && now() - Date.parse(wait.createdAt) <= loginLinkMs) return false
    await options.answer(runId, approvalId, { data: {} }).catch((error: unknown) => {
      if (!RuntimeError.is(error)) throw error
    })
    return true
  }

  /** One that fails does not hold up the others: the next look tries it again. */
  async function attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      logger.error('Sending a notice of a pending approval failed.', { reason: reasonOf(error) })
    }
  }

  async function lookOnce(): Promise<void> {
    await attempt(async () => {
      for (const one of await store.listUnannounced(maxAtOnce)) await attempt(() => announce(one))
      for (const one of await store.listClosableNotices(maxAtOnce)) await attempt(() => close(one))
    })
  }

  return {
    async look() {
      looking ??= lookOnce().finally(() => (looking = undefined))
      await looking
    },
    find: async (chat, code) =>
      (await store.findChatNotices(chat, code)).filter(({ wait }) => isApproval(wait)),
    questions: async (chat) => (await store.findChatNotices(chat)).filter(({ wait }) => isQuestion(wait)),
    async waitingIn(chat) {
      const { task } = await store.findChatWork(chat)
      if (!task) return []
      const find = async () => (await store.findChatNotices(chat)).filter(({ isBlocking }) => isBlocking)
      let announced = await find()
      if (announced.length === 0 && task.parked) {
        await lookOnce()
        announced = await find()
      }
      const waiting: StoredApprovalNotice[] = []
      for (const notice of announced) {
        const { wait } = notice
        // a question takes the message as its answer, or leaves it to the queue
        if (isApproval(wait) || (wait.kind === 'login' && !(await renewLogin(notice)))) waiting.push(notice)
      }
      return waiting
    },
    async decide(notice, decision, decidedBy) {
      const { runId, approvalId } = notice
      await options.decide(runId, approvalId, decision, decidedBy).catch((error: unknown) => {
        if (!RuntimeError.is(error) || error.code !== 'conflict') throw error
      })
      const approval = await findApproval(store, notice)
      return { approval, isOurs: approval.decided_by === decidedBy && matches(approval, decision) }
    },
  }
}

/** Whether a person answers it with a message, as its schema says. */
const isQuestion = ({ kind }: StoredWait) => kind === 'question' || kind === 'budget'

/** How an announced wait ended. */
function endOf(wait: StoredWait): string {
  if (isApproval(wait)) return decidedText(toApproval(wait))
  return wait.kind === 'login' ? loginEndedText(wait) : endedText(wait)
}

type Write = (code: string, place: ApprovalPlace) => MessageNotice & { readonly text: string }

/** Writes what announces a wait; undefined for one that has no announcement. */
async function writerOf(wait: StoredWait): Promise<Write | undefined> {
  if (isApproval(wait)) {
    const approval = toApproval(wait)
    return (code, { showsArguments }) => ({
      text: announcementText(approval, code, showsArguments),
      buttons: buttonsOf(code),
    })
  }
  if (wait.kind === 'login') return () => ({ text: loginText(wait) })
  if (!isQuestion(wait)) return undefined
  const { announceQuestion } = await import('../questions/question-form.ts')
  return (code) => announceQuestion(wait, code)
}

const buttonsOf = (code: string): readonly MessageButton[] => [
  { label: 'Approve', command: `/approve ${code}`, style: 'positive' },
  { label: 'Deny', command: `/deny ${code}`, style: 'negative' },
]

const matches = ({ status }: Approval, { decision }: ApprovalDecision) =>
  status === (decision === 'approve' ? 'approved' : 'denied')

async function findApproval(store: RuntimeStore, { runId, approvalId }: ApprovalNotice): Promise<Approval> {
  const found = (await store.listWaitsOf([runId])).find(({ id }) => id === approvalId)
  if (found && isApproval(found)) return toApproval(found)
  throw new RuntimeError('not_found', 'Deciding a tool call failed: its run was deleted. Start a new run.')
}
