import { type ConformanceCase, expectSame } from '@homeward/kit/testing'
import type { StoredWait, WaitFilter } from '../../store/ports/wait.ts'
import type { StoreHarness } from '../conformance-case.ts'
import { storeCase } from '../conformance-case.ts'
import {
  approvalOf,
  at,
  finishOf,
  graphResultOf,
  graphRunOf,
  idsOf,
  leaseOf,
  oddText,
  readAll,
  resultOf,
  runOf,
  stepOf,
  verdictOf,
} from '../conformance-fixtures.ts'
import type { JournaledRuns } from './run-conformance-store.ts'

/** A wait of a run for an answer, an event or something else. */
export function waitOf(runId: string, id: string, changes: Partial<StoredWait> = {}): StoredWait {
  return { id, runId, kind: 'question', status: 'open', agentId: 'a1', createdAt: at(1), ...changes }
}

const question = waitOf('r1', 'w1', {
  userId: 'u1',
  callId: 'call-1',
  key: oddText,
  message: oddText,
  schema: { type: 'string', title: oddText },
  expiresAt: at(9),
})
const event = waitOf('r1', 'w2', {
  kind: 'event',
  event: 'paid',
  match: { required: ['id'] },
  url: 'https://sign.example/in',
})

async function open(store: JournaledRuns, opens: readonly StoredWait[]): Promise<void> {
  await store.insertRun(runOf('r1'), leaseOf(), [])
  await store.saveRunStep(
    stepOf('r1', { opens, waitFor: { result: resultOf('r1', { stop_reason: 'waiting' }) } }),
  )
}

/** Promises about waits of every kind, part of `runStoreConformance`. */
export const waitCases: readonly ConformanceCase<StoreHarness<JournaledRuns>>[] = [
  storeCase('waits: stores every field of questions and answers', async (store) => {
    await open(store, [question, event])
    expectSame(await store.listWaitsOf(['r1']), [question, event], 'what is asked')
    const answer = { status: 'answered', settledAt: at(2), settledBy: oddText, journal: [] } as const
    for (const data of [oddText, null, false, 0, [{ a: oddText }]]) {
      const id = `w-${JSON.stringify(data)}`
      await store.insertRun(runOf(id), leaseOf(), [])
      await store.saveRunStep(stepOf(id, { opens: [waitOf(id, 'w')], waitFor: { result: resultOf(id) } }))
      const outcome = await store.settleWait({ ...answer, runId: id, waitId: 'w', data })
      const { journal: _, ...how } = answer
      expectSame(
        outcome,
        { outcome: 'settled', wait: { ...waitOf(id, 'w'), ...how, data }, open: 0 },
        'the answer',
      )
    }
    const declined = { status: 'declined', reason: oddText, settledAt: at(3) } as const
    await store.settleWait({ runId: 'r1', waitId: 'w1', ...declined, journal: [] })
    expectSame(await store.listWaitsOf(['r1']), [{ ...question, ...declined }, event], 'what was declined')
  }),
  storeCase('waits: lists them newest first, by each filter, page by page', async (store) => {
    await open(store, [question, event, approvalOf('r1', 'p1')])
    await store.insertRun(graphRunOf('g1'), leaseOf(), [])
    const { agentId: _, ...ofGraph } = waitOf('g1', 'w3', { kind: 'event', event: 'paid', graphId: 'g1' })
    await store.saveRunStep(stepOf('g1', { opens: [ofGraph] }))
    await store.settleWait(verdictOf('r1', 'p1'))
    const list = async (filter: WaitFilter, limit = 9) =>
      idsOf(await readAll((cursor) => store.listWaits(filter, { limit, cursor })))
    const all = ['w3', 'p1', 'w2', 'w1']
    expectSame([await list({}), await list({}, 1)], [all, all], 'all')
    expectSame((await store.listWaits({}, { limit: 4 })).nextCursor, undefined, 'the cursor of a whole list')
    const filters: readonly (readonly [WaitFilter, readonly string[]])[] = [
      [{ status: 'open' }, ['w3', 'w2', 'w1']],
      [{ status: 'answered' }, ['p1']],
      [{ kind: 'event' }, ['w3', 'w2']],
      [{ agentId: 'a1' }, ['p1', 'w2', 'w1']],
      [{ runId: 'g1' }, ['w3']],
      [{ userId: 'u1' }, ['w1']],
      [{ id: 'w2' }, ['w2']],
      [{ id: 'w2', runId: 'g1' }, []],
      [{ kind: 'event', status: 'open', agentId: 'a1', runId: 'r1' }, ['w2']],
    ]
    for (const [filter, ids] of filters) expectSame(await list(filter), ids, JSON.stringify(filter))
    expectSame((await store.listWaits({ runId: 'g1' }, { limit: 1 })).rows, [ofGraph], 'a wait of a graph')
  }),
  storeCase('waits: a graph opens one and works on; it goes on while another is open', async (store) => {
    await store.insertRun(graphRunOf('g1'), leaseOf(), [])
    const opens = ['w1', 'w2'].map((id) => waitOf('g1', id, { graphId: 'g1', callId: id }))
    expectSame(await store.saveRunStep(stepOf('g1', { opens })), true, 'the step')
    expectSame((await store.findRun('g1'))?.status, 'running', 'the run with open waits')
    const result = { ...graphResultOf('g1'), stop_reason: 'waiting' } as const
    const next = { stream: { firstSeq: 3, events: [] } }
    await store.saveRunStep(stepOf('g1', { ...next, waitFor: { result } }))
    const settled = { status: 'answered', settledAt: at(2), journal: [] } as const
    const outcome = await store.settleWait({ runId: 'g1', waitId: 'w1', ...settled })
    expectSame(outcome.outcome === 'settled' && outcome.open, 1, 'what is still open')
    expectSame(await store.resumeRun('g1', leaseOf()), true, 'going on')
    await store.finishRun(
      finishOf('g1', { stream: { firstSeq: 3, events: [] }, result: graphResultOf('g1') }),
    )
    const ends = (await store.listWaitsOf(['g1'])).map(({ status }) => status)
    expectSame(ends, ['answered', 'cancelled'], 'the waits in the end')
  }),
]
