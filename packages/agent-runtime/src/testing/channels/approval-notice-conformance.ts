import { type ConformanceCase, expectAborts, expectSame, race } from '@homeward/kit/testing'
import type { ApprovalNoticeInput, StoredApprovalNotice } from '../../store/ports/approval-notice.ts'
import type { NewChannelMessage } from '../../store/ports/channel-store.ts'
import type { RunInputStore } from '../../store/ports/run-input-store.ts'
import type { RunStore } from '../../store/ports/run-store.ts'
import type { StoreHarness } from '../conformance-case.ts'
import { storeCase } from '../conformance-case.ts'
import {
  approvalOf,
  at,
  finishOf,
  journalOf,
  leaseOf,
  oddText,
  runOf,
  verdictOf,
  waitingStepOf,
} from '../conformance-fixtures.ts'
import type { ChannelConformanceStore } from './channel-fixtures.ts'
import { deliveryClaim, messageIds, messageOf } from './channel-fixtures.ts'

/** What announcements of calls reach. */
type NoticeConformanceStore = ChannelConformanceStore & RunStore & RunInputStore

/** A message of the platform about a call, of conversation `c1`. */
function noticeMessageOf(id: string, changes: Partial<NewChannelMessage> = {}): NewChannelMessage {
  const { taskId: _, ...message } = messageOf(id)
  const notice = { buttons: [{ label: oddText, command: '/approve CODE' }], replaces: 'm0' }
  return { ...message, text: '', answer: oddText, isGroup: true, notice, ...changes }
}

/** An announcement of a call of run `r1`, in conversation `c1`. */
export const announcementOf = (approvalId: string, code = `code ${approvalId}`): ApprovalNoticeInput => ({
  runId: 'r1',
  approvalId,
  notices: [{ notice: { code, isBlocking: true }, message: noticeMessageOf(`notice ${approvalId}`) }],
})

const noticeOf = (id: string): Omit<StoredApprovalNotice, 'wait'> => ({
  runId: 'r1',
  approvalId: id,
  channel: 'one',
  chat: 'c1',
  code: `code ${id}`,
  messageId: `notice ${id}`,
  isBlocking: true,
})

async function waitFor(store: NoticeConformanceStore, ids: readonly string[]): Promise<void> {
  await store.insertRun(runOf('r1'), leaseOf(), [])
  await store.saveRunStep(waitingStepOf('r1', ids))
}

const idsOf = (notices: readonly StoredApprovalNotice[]) =>
  notices.map(({ approvalId }) => approvalId).toSorted()

/** What a `ChannelStore` promises about announcements of calls that wait for a person. */
export const approvalNoticeConformance: readonly ConformanceCase<StoreHarness<NoticeConformanceStore>>[] = [
  storeCase('A20: a call is announced once, with its message, however many announce it', async (store) => {
    await waitFor(store, ['p1', 'p2', 'p3'])
    const ids = async (limit: number) => (await store.listUnannounced(limit)).map(({ id }) => id)
    expectSame(
      [await ids(2), await ids(9)],
      [
        ['p1', 'p2'],
        ['p1', 'p2', 'p3'],
      ],
      'what is to be announced',
    )
    const raced = await race(() => store.announceApproval(announcementOf('p1')))
    expectSame(raced.filter(Boolean).length, 1, 'how many announced it')
    expectSame(
      await store.announceApproval({ ...announcementOf('p2'), notices: [] }),
      true,
      'one without a chat',
    )
    expectSame(await ids(9), ['p3'], 'what is left')
    await store.settleWait(verdictOf('r1', 'p3'))
    expectSame(await store.announceApproval(announcementOf('p3')), false, 'one that was decided')
    expectSame(await ids(9), [], 'what is left then')
    const expected = { ...noticeOf('p1'), wait: approvalOf('r1', 'p1') }
    expectSame(await store.findChatNotices('c1'), [expected], 'the notices of the chat')
    const deliveries = await store.claimDeliveries(deliveryClaim())
    expectSame(messageIds(deliveries), ['notice p1'], 'what is delivered')
    const { notice, isGroup, answer } = deliveries[0]?.message ?? {}
    const { notice: given } = noticeMessageOf('notice p1')
    expectSame({ notice, isGroup, answer }, { notice: given, isGroup: true, answer: oddText }, 'the message')
  }),
  storeCase('A20: a notice is closed once, after the decision, with its message', async (store) => {
    await waitFor(store, ['p1', 'p2'])
    for (const id of ['p1', 'p2']) await store.announceApproval(announcementOf(id))
    expectSame(await store.listClosableNotices(9), [], 'before')
    await store.settleWait(verdictOf('r1', 'p1'))
    expectSame(idsOf(await store.listClosableNotices(9)), ['p1'], 'after a decision')
    expectSame(idsOf(await store.findChatNotices('c1')), ['p2'], 'what waits')
    const message = noticeMessageOf('closed', { conversationId: 'c2' })
    const close = () => store.closeNotice({ runId: 'r1', approvalId: 'p1', chat: 'c1', message })
    expectSame((await race(close)).filter(Boolean).length, 1, 'how many closed it')
    expectSame(await store.listClosableNotices(9), [], 'then')
    const deliveries = await store.claimDeliveries(deliveryClaim())
    expectSame(messageIds(deliveries), ['notice p1', 'closed'], 'what is delivered')
    await store.finishRun(finishOf('r1', { owner: undefined, status: 'cancelled' }))
    expectSame(idsOf(await store.listClosableNotices(9)), ['p2'], 'after the end of the run')
    expectSame(
      await store.closeNotice({ runId: 'r1', approvalId: 'p2', chat: 'c1' }),
      true,
      'without a message',
    )
  }),
  storeCase('A20: a notice is found by its code in its own chat, decided or not', async (store) => {
    await waitFor(store, ['p1', 'p2'])
    for (const id of ['p1', 'p2']) await store.announceApproval(announcementOf(id))
    await store.settleWait(verdictOf('r1', 'p1', 'deny'))
    const find = async (chat: string, code?: string) => idsOf(await store.findChatNotices(chat, code))
    expectSame(await find('c1', 'code p1'), ['p1', 'p2'], 'with the code of one that was decided')
    expectSame(await find('c1', 'code p2'), ['p2'], 'with the code of one that waits')
    expectSame(
      [await find('c1', 'other'), await find('c2', 'code p1')],
      [['p2'], []],
      'with another code or chat',
    )
  }),
  storeCase('A1: an answer settles its question in the write that takes the message, once', async (store) => {
    await waitFor(store, ['p1', 'p2'])
    for (const id of ['p1', 'p2']) await store.announceApproval(announcementOf(id))
    const answer = (key: string, id = 'p1') => {
      const head = { runId: 'r1', approvalId: id, chat: 'c1', code: `code ${id}` }
      const replacement = noticeMessageOf(`answered ${id} by ${key}`)
      const step = { ...head, settles: { ...verdictOf('r1', id), journal: [] }, replacement }
      return { keys: [key], keysUntil: at(60), step, journal: [journalOf('r1')] }
    }
    const take = (key: string, id?: string) =>
      store.acceptMessages({ now: at(2), acceptances: [answer(key, id)] })
    const countEvents = async () => (await store.listEvents({ limit: 99 })).length
    const before = await countEvents()
    const raced = await race((index) => take(`k${index % 2}`))
    const kept = raced.filter((one) => one !== 'changed' && one?.[0]?.kind === 'kept')
    expectSame(kept.length, 1, 'how many were taken')
    const [wait] = await store.listWaitsOf(['r1'])
    expectSame([wait?.status, wait?.data], ['answered', verdictOf('r1', 'p1').data ?? null], 'the wait')
    expectSame(await countEvents(), before + 1, 'events')
    expectSame(idsOf(await store.findChatNotices('c1')), ['p2'], 'what is open')
    expectSame(await store.listClosableNotices(9), [], 'what is to be closed')
    const key = raced.findIndex((one) => one !== 'changed' && one?.[0]?.kind === 'kept') % 2
    expectSame(await take(`k${key}`, 'p2'), [{ kind: 'duplicate' }], 'a copy of it, judged later')
    expectSame(idsOf(await store.findChatNotices('c1')), ['p2'], 'what is open then')
    const { rows } = await store.listChannelMessages({ conversationId: 'c1' }, { limit: 9 })
    const expected = [`answered p1 by k${key}`, 'notice p2', 'notice p1']
    expectSame(
      rows.map(({ id }) => id),
      expected,
      'the messages',
    )
  }),
  storeCase('A1: an answer to a field asks the next one, and is not taken after it', async (store) => {
    await waitFor(store, ['p1'])
    await store.announceApproval(announcementOf('p1'))
    const step = (code: string, next: string, number: number) => ({
      keys: [`k${number}`],
      keysUntil: at(60),
      step: {
        runId: 'r1',
        approvalId: 'p1',
        chat: 'c1',
        code,
        next: {
          code: next,
          message: noticeMessageOf(`field ${number}`, { notice: { given: { name: oddText } } }),
        },
      },
      journal: [],
    })
    const take = (...given: Parameters<typeof step>) =>
      store.acceptMessages({ now: at(2), acceptances: [step(...given)] })
    expectSame(await take('code p1', 'second', 1), [{ kind: 'kept' }], 'the first field')
    expectSame(await take('code p1', 'third', 2), 'changed', 'the first field again')
    const expected = { ...noticeOf('p1'), code: 'second', messageId: 'field 1', wait: approvalOf('r1', 'p1') }
    expectSame(await store.findChatNotices('c1'), [expected], 'the notice')
    const { notice } = (await store.findChannelMessage('field 1')) ?? {}
    expectSame(notice, { given: { name: oddText } }, 'what the message knows')
    await store.settleWait(verdictOf('r1', 'p1'))
    expectSame(await take('second', 'third', 3), 'changed', 'one whose question has an answer by now')
    expectSame(await store.findChannelMessage('field 3'), undefined, 'its message')
  }),
  storeCase(
    'A1: a message that steers a run is stored with its keys, once, and not after the end',
    async (store) => {
      await store.insertRun(runOf('r1'), leaseOf(), [])
      const take = (key: string) => {
        const input = { runId: 'r1', id: `of ${key}`, mode: 'steer', text: oddText } as const
        const steers = { ...input, createdAt: at(1), journal: [] }
        const acceptance = { keys: [key], keysUntil: at(60), steers, journal: [] }
        return store.acceptMessages({ now: at(2), acceptances: [acceptance] })
      }
      const raced = await race(() => take('k1'))
      const kept = raced.filter((one) => one !== 'changed' && one?.[0]?.kind === 'kept')
      expectSame(kept.length, 1, 'how many were taken')
      const listed = async () => (await store.listRunInputs(['r1'])).map(({ id }) => id)
      expectSame(await listed(), ['of k1'], 'the messages of the run')
      await store.finishRun(finishOf('r1', { status: 'cancelled' }))
      expectSame(await take('k2'), 'changed', 'one after the end')
      expectSame(await take('k1'), 'changed', 'a copy after the end')
      expectSame(await listed(), ['of k1'], 'the messages of the run then')
    },
  ),
  storeCase('A20: verbs on announcements give up when their signal has aborted', async (store) => {
    await waitFor(store, ['p1', 'p2'])
    await store.announceApproval(announcementOf('p1'))
    await store.settleWait(verdictOf('r1', 'p1'))
    const closing = { runId: 'r1', approvalId: 'p1', chat: 'c1' }
    await expectAborts({
      listUnannounced: (signal) => store.listUnannounced(9, signal),
      announceApproval: (signal) => store.announceApproval(announcementOf('p2'), signal),
      listClosableNotices: (signal) => store.listClosableNotices(9, signal),
      closeNotice: (signal) => store.closeNotice(closing, signal),
      findChatNotices: (signal) => store.findChatNotices('c1', 'code p1', signal),
    })
    expectSame((await store.listUnannounced(9)).length, 1, 'what is to be announced')
    expectSame((await store.listClosableNotices(9)).length, 1, 'what is to be closed')
  }),
]
