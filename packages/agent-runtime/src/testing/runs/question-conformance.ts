import type { RunSource } from '@homeward/contract/agent-platform'
import { type ConformanceCase, expectCode, expectSame } from '@homeward/kit/testing'
import { type StoreHarness, storeCase } from '../conformance-case.ts'
import {
  appendOf,
  at,
  finishOf,
  idsOf,
  journalOf,
  leaseOf,
  runOf,
  waitingStepOf,
} from '../conformance-fixtures.ts'
import { messagesOf, type JournaledRuns } from './run-conformance-store.ts'

const asking = (id: string, changes: Parameters<typeof runOf>[1] = {}) => ({
  ...runOf(id, { questionId: `${id}-q`, createdAt: at(1), ...changes }),
  question: appendOf([`${id}-q`], { title: 'T', now: at(1) }),
})

/** Promises about the question that is stored with its run, part of `runStoreConformance`. */
export const questionCases: readonly ConformanceCase<StoreHarness<JournaledRuns>>[] = [
  storeCase(
    'A12: keeps a question with its run, which begins the conversation or continues it',
    async (store) => {
      const first = await store.insertRun(asking('r1'), leaseOf(), [])
      const { question: _, ...run } = asking('r1')
      const wanted = { ...run, conversationCreatedAt: at(1), questionSeq: 1 }
      expectSame({ ...first.run, ...wanted }, first.run, 'the run as returned')
      expectSame(await store.findRun('r1'), first.run, 'the run as stored')
      const { activeRunId, title, messageCount } = (await store.findConversation('c1')) ?? {}
      expectSame([activeRunId, title, messageCount], ['r1', 'T', 1], 'the conversation')
      const second = await store.insertRun(asking('r2', { createdAt: at(2) }), leaseOf(), [])
      const { conversationCreatedAt, questionSeq } = { ...asking('x'), ...second.run }
      expectSame([conversationCreatedAt, questionSeq], [at(1), 2], 'where the second is')
      expectSame(await messagesOf(store), ['r1-q', 'r2-q'], 'the messages')
    },
  ),
  storeCase('A12: keeps the question of a run once, whichever repeat of its key comes', async (store) => {
    await store.insertRun(asking('r1', { idempotencyKey: 'k' }), leaseOf(), [])
    const again = await store.insertRun(asking('r2', { idempotencyKey: 'k' }), leaseOf(), [journalOf('r2')])
    expectSame([again.created, again.run.id], [false, 'r1'], 'the repeat')
    expectSame(await messagesOf(store), ['r1-q'], 'the messages')
    expectSame(await store.listEvents({ limit: 9 }), [], 'the journal')
  }),
  storeCase('A12: stores no run whose question is rejected, and no question whose run is', async (store) => {
    await store.insertRun(asking('r1'), leaseOf(), [])
    const foreign = { ...asking('r2'), question: appendOf(['r2-q'], { agentId: 'a2', now: at(2) }) }
    await expectCode(() => store.insertRun(foreign, leaseOf(), [journalOf('r2')]), 'not_found', 'of another')
    const taken = { ...asking('r2'), question: appendOf(['r1-q'], { now: at(2) }) }
    await expectCode(() => store.insertRun(taken, leaseOf(), [journalOf('r2')]), 'conflict', 'an id in use')
    const known = { ...asking('r1'), question: appendOf(['other'], { now: at(2) }) }
    await expectCode(() => store.insertRun(known, leaseOf(), []), 'conflict', 'a run that is there')
    expectSame(await store.findRun('r2'), undefined, 'the run')
    expectSame(await messagesOf(store), ['r1-q'], 'the messages')
    expectSame(await store.listEvents({ limit: 9 }), [], 'the journal')
  }),
  storeCase('A12: lists conversations by the sources of their runs', async (store) => {
    const begin = (id: string, conversationId: string, source: 'chat' | 'api') =>
      store.insertRun(
        {
          ...runOf(id, { conversationId, source, createdAt: at(1) }),
          question: appendOf([`${id}-q`], { conversationId, now: at(1) }),
        },
        leaseOf(),
        [],
      )
    await begin('r1', 'c1', 'api')
    await begin('r2', 'c2', 'chat')
    await begin('r3', 'c3', 'api')
    await begin('r4', 'c3', 'chat')
    await store.appendMessages(appendOf(['m'], { conversationId: 'c4', now: at(1) }))
    const list = async (sources: readonly RunSource[]) =>
      idsOf((await store.listConversations({ sources }, { limit: 9 })).rows).join(' ')
    expectSame(await list(['api', 'task']), 'c1 c3 c4', 'those of programs')
    expectSame(await list(['chat']), 'c2 c3 c4', 'those of people')
    expectSame(await list(['task']), 'c4', 'those without such a run')
  }),
  storeCase('A12: names the newest run of a conversation that has not ended', async (store) => {
    const active = async () => {
      const { rows } = await store.listConversations({}, { limit: 9 })
      return [
        (await store.findConversation('c1'))?.activeRunId,
        ...rows.map(({ activeRunId }) => activeRunId),
        rows[0]?.activeRunStatus,
      ]
    }
    await store.insertRun(asking('r1', { createdAt: at(1) }), leaseOf(), [])
    await store.insertRun(asking('r2', { createdAt: at(2) }), leaseOf(), [])
    await store.insertRun(runOf('r3', { conversationId: 'c2', createdAt: at(3) }), leaseOf(), [])
    expectSame(await active(), ['r2', 'r2', 'running'], 'of two')
    await store.saveRunStep(waitingStepOf('r2', ['p1']))
    expectSame(await active(), ['r2', 'r2', 'waiting'], 'of one that waits and one that works')
    const end = (id: string, owner?: string) => {
      const { conversation: _, ...finish } = finishOf(id, { owner })
      return store.finishRun(finish)
    }
    await end('r2')
    expectSame(await active(), ['r1', 'r1', 'running'], 'when the newest has ended')
    await end('r1', leaseOf().owner)
    expectSame(await active(), [undefined, undefined, undefined], 'when all have ended')
    expectSame(idsOf((await store.listConversations({}, { limit: 9 })).rows), ['c1'], 'the conversations')
  }),
]
