import { type ConformanceCase, expectAborts, expectSame, race } from '@homeward/kit/testing'
import type { RememberedCall } from '../../store/ports/remembered-call.ts'
import type { StoredApproval } from '../../store/ports/wait.ts'
import type { StoreHarness } from '../conformance-case.ts'
import { storeCase } from '../conformance-case.ts'
import {
  appendOf,
  approvalOf,
  at,
  leaseOf,
  oddText,
  rememberedOf,
  resultOf,
  runOf,
  stepOf,
  verdictOf,
} from '../conformance-fixtures.ts'
import type { JournaledRuns } from './run-conformance-store.ts'

const asked = (id: string, expiresAt?: string): StoredApproval => ({
  ...approvalOf('r1', id),
  callHash: `hash of ${id}`,
  ...(expiresAt !== undefined && { expiresAt }),
})

async function waitFor(store: JournaledRuns, opens: readonly StoredApproval[]): Promise<void> {
  await store.insertRun(runOf('r1'), leaseOf(), [])
  const result = resultOf('r1', { stop_reason: 'approval' })
  await store.saveRunStep(stepOf('r1', { opens, waitFor: { result } }))
}

/** Remembers these, each with a decision about an approval of its own. */
async function remember(store: JournaledRuns, calls: readonly RememberedCall[]): Promise<void> {
  const ids = calls.map((_, index) => `p${index}`)
  await waitFor(
    store,
    ids.map((id) => asked(id)),
  )
  for (const [index, call] of calls.entries()) {
    await store.settleWait({ ...verdictOf('r1', `p${index}`), remember: call })
  }
}

/** Promises about what a decision holds, when one is due, and which are remembered; part of `runStoreConformance`. */
export const decisionCases: readonly ConformanceCase<StoreHarness<JournaledRuns>>[] = [
  storeCase('A20: keeps everything that a decision says', async (store) => {
    await waitFor(store, [asked('p1', at(7)), asked('p2', at(7))])
    expectSame(await store.listWaitsOf(['r1']), [asked('p1', at(7)), asked('p2', at(7))], 'what waits')
    const data = { decision: 'approve', args: { to: oddText, n: 1 } }
    await store.settleWait({ ...verdictOf('r1', 'p1'), data, settledBy: 'telegram:42' })
    const { settledBy: _, data: __, ...verdict } = verdictOf('r1', 'p2')
    await store.settleWait({ ...verdict, status: 'expired', reason: oddText })
    const settledAt = at(5)
    expectSame(
      await store.listWaitsOf(['r1']),
      [
        { ...asked('p1', at(7)), status: 'answered', data, settledAt, settledBy: 'telegram:42' },
        { ...asked('p2', at(7)), status: 'expired', reason: oddText, settledAt },
      ],
      'what was decided',
    )
  }),
  storeCase('A20: lists approvals that are due, and when the next one is', async (store) => {
    const times = { p1: at(7), p2: at(5), p3: at(6), p5: at(9) }
    await waitFor(store, [...Object.entries(times).map(([id, time]) => asked(id, time)), asked('p4')])
    const idsAt = async (now: string, limit: number) => {
      const { due, nextAt } = await store.listDueWaits(now, limit)
      return [due.map(({ id }) => id), nextAt]
    }
    expectSame(await idsAt(at(4), 9), [[], at(5)], 'before the first one')
    expectSame(await idsAt(at(6), 9), [['p2', 'p3'], at(7)], 'two of them')
    expectSame(await idsAt(at(6), 1), [['p2'], at(6)], 'one of two')
    const denied = verdictOf('r1', 'p2', 'deny')
    const outcomes = await race(() => store.settleWait(denied))
    expectSame(outcomes.filter(({ outcome }) => outcome === 'settled').length, 1, 'who denies it')
    expectSame(await idsAt(at(6), 9), [['p3'], at(7)], 'one less')
    for (const id of ['p1', 'p3', 'p5']) await store.settleWait(verdictOf('r1', id))
    expectSame(await idsAt(at(99), 9), [[], undefined], 'none')
  }),
  storeCase('A20: finds remembered decisions of a conversation and of the agent', async (store) => {
    const calls = [
      rememberedOf('m1'),
      rememberedOf('m2', { conversationId: 'c1', status: 'denied', reason: oddText }),
      rememberedOf('m3', { callHash: 'h2', status: 'responded', response: oddText }),
      rememberedOf('m4', { agentId: 'a2' }),
    ]
    await remember(store, calls)
    const find = async (conversationId: string, callHashes: readonly string[]) => {
      const found = await store.findRememberedCalls({ agentId: 'a1', conversationId, callHashes })
      return found.toSorted((one, other) => (one.id < other.id ? -1 : 1))
    }
    expectSame(await find('c1', ['h1', 'h2', 'h3']), calls.slice(0, 3), 'in the conversation')
    expectSame(await find('c2', ['h1']), calls.slice(0, 1), 'in another one')
    expectSame(await find('c1', []), [], 'of no call')
    expectSame(await store.listRememberedCalls({ agentId: 'a1' }), calls.slice(0, 3).toReversed(), 'the list')
  }),
  storeCase('A20: keeps the remembered decisions of users apart', async (store) => {
    const ann = rememberedOf('m1', { userId: 'ann' })
    const bob = rememberedOf('m2', { userId: 'bob', status: 'denied' })
    const nobody = rememberedOf('m3', { status: 'responded', response: oddText })
    const all = [ann, bob, nobody]
    await remember(store, all)
    const find = async (userId?: string) =>
      store.findRememberedCalls({ agentId: 'a1', userId, conversationId: 'c1', callHashes: ['h1'] })
    expectSame(
      await Promise.all([find('ann'), find('bob'), find(), find('carl')]),
      [[ann], [bob], [nobody], []],
      'for a run of each',
    )
    const list = (userId?: string) => store.listRememberedCalls({ agentId: 'a1', userId })
    expectSame(await Promise.all([list('ann'), list()]), [[ann], all.toReversed()], 'the lists')
    expectSame(
      await store.forgetRememberedCalls({ agentId: 'a1', userId: 'bob', id: 'm1' }),
      0,
      "Ann's by Bob",
    )
    expectSame(
      await store.forgetRememberedCalls({ agentId: 'a1', userId: 'ann', id: 'm1' }),
      1,
      "Ann's by Ann",
    )
    expectSame(await store.forgetRememberedCalls({ agentId: 'a1', userId: 'bob' }), 1, 'all of Bob')
    expectSame(await list(), [nobody], 'in the end')
  }),
  storeCase('A20: replaces and forgets remembered decisions', async (store) => {
    const other = rememberedOf('m3', { callHash: 'h2' })
    const ofOther = rememberedOf('m4', { agentId: 'a2' })
    await remember(store, [rememberedOf('m1'), rememberedOf('m2', { status: 'denied' }), other, ofOther])
    const ids = async (agentId: string) => (await store.listRememberedCalls({ agentId })).map(({ id }) => id)
    expectSame(await ids('a1'), ['m3', 'm2'], 'the list')
    expectSame(await store.forgetRememberedCalls({ agentId: 'a1', id: 'm4' }), 0, 'that of another agent')
    expectSame(await store.forgetRememberedCalls({ agentId: 'a1', id: 'm2' }), 1, 'one')
    expectSame(await ids('a1'), ['m3'], 'the rest')
    expectSame(await store.forgetRememberedCalls({ agentId: 'a1' }), 1, 'all')
    expectSame([await ids('a1'), await ids('a2')], [[], ['m4']], 'in the end')
  }),
  storeCase(
    'A20: the end of a conversation forgets the decisions that were remembered for it',
    async (store) => {
      await store.appendMessages(appendOf(['m1'], { conversationId: 'c1' }))
      const ofAgent = rememberedOf('m1')
      await remember(store, [ofAgent, rememberedOf('m2', { conversationId: 'c1' })])
      expectSame(await store.deleteConversation('c1'), true, 'the end')
      expectSame(await store.listRememberedCalls({ agentId: 'a1' }), [ofAgent], 'the list')
    },
  ),
  storeCase('A20: verbs on decisions give up when their signal has aborted', async (store) => {
    await remember(store, [rememberedOf('m1')])
    await expectAborts({
      listDueWaits: (signal) => store.listDueWaits(at(9), 9, signal),
      findRememberedCalls: (signal) =>
        store.findRememberedCalls({ agentId: 'a1', conversationId: 'c1', callHashes: ['h1'] }, signal),
      listRememberedCalls: (signal) => store.listRememberedCalls({ agentId: 'a1' }, signal),
      forgetRememberedCalls: (signal) => store.forgetRememberedCalls({ agentId: 'a1', id: 'm1' }, signal),
    })
    expectSame(await store.listRememberedCalls({ agentId: 'a1' }), [rememberedOf('m1')], 'the list')
  }),
  storeCase('A20: a decision that comes too late remembers nothing', async (store) => {
    await waitFor(store, [asked('p1')])
    await store.settleWait(verdictOf('r1', 'p1', 'deny'))
    await store.settleWait({ ...verdictOf('r1', 'p1'), remember: rememberedOf('m1') })
    expectSame(await store.listRememberedCalls({ agentId: 'a1' }), [], 'the list')
  }),
]
