import { type ConformanceCase, expectAborts, expectSame } from '@homeward/kit/testing'
import type { StoredResponse } from '../../store/ports/response-store.ts'
import type { RuntimeStore } from '../../store/ports/runtime-store.ts'
import { type StoreHarness, storeCase } from '../conformance-case.ts'
import { at, leaseOf, oddText, runOf } from '../conformance-fixtures.ts'
import { endRun, pruneAll } from '../retention-accounts.ts'

/** A response of the run `r1` and second 1. */
const responseOf = (id: string, changes: Partial<StoredResponse> = {}): StoredResponse => ({
  id,
  runId: 'r1',
  agentId: 'a1',
  createdAt: at(1),
  body: { text: oddText, list: [1, null] },
  ...changes,
})

const keptSince = at(0)

async function save(store: RuntimeStore, response: StoredResponse, since = keptSince): Promise<void> {
  await store.saveResponse({ ...response, keptSince: since })
}

/** Promises of `ResponseStore`. */
export const responseStoreConformance: readonly ConformanceCase<StoreHarness<RuntimeStore>>[] = [
  storeCase('stores a response in the place of one with its id, until it is deleted', async (store) => {
    await store.insertRun(runOf('r1'), leaseOf(), [])
    const first = responseOf('p1', { userId: oddText })
    const second = responseOf('p2', { body: {} })
    for (const each of [responseOf('p1'), first, second]) await save(store, each)
    expectSame(await store.findResponse('p1', keptSince), first, 'the newest with its id')
    expectSame(await store.findResponse('p2', keptSince), second, 'another one')
    expectSame(await store.findResponse('p3', keptSince), undefined, 'no response')
    expectSame(await store.deleteResponse('p1'), true, 'that it was deleted')
    expectSame(await store.deleteResponse('p1'), false, 'that it is not deleted twice')
    expectSame(await store.findResponse('p1', keptSince), undefined, 'the deleted one')
    expectSame(await store.findResponse('p2', keptSince), second, 'the one that stays')
  }),
  storeCase('does not find old responses, and forgets them as others are stored', async (store) => {
    await store.insertRun(runOf('r1'), leaseOf(), [])
    for (const second of [1, 2, 3]) await save(store, responseOf(`p${second}`, { createdAt: at(second) }))
    expectSame(await store.findResponse('p1', at(2)), undefined, 'one that is too old')
    expectSame((await store.findResponse('p2', at(2)))?.id, 'p2', 'one of that time')
    await save(store, responseOf('p4', { createdAt: at(9) }), at(3))
    const left = ['p1', 'p2', 'p3', 'p4'].map(async (id) => (await store.findResponse(id, at(0)))?.id)
    expectSame(await Promise.all(left), [undefined, undefined, 'p3', 'p4'], 'those that stay')
  }),
  storeCase('deletes responses with their run, and stores none of a run that is gone', async (store) => {
    await endRun(store, 'r1', 0)
    await save(store, responseOf('p1'))
    await pruneAll(store, { runsBefore: at(1000) })
    expectSame(await store.findRun('r1'), undefined, 'the run')
    expectSame(await store.findResponse('p1', keptSince), undefined, 'its response')
    await save(store, responseOf('p1'))
    expectSame(await store.findResponse('p1', keptSince), undefined, 'a response that comes after it')
  }),
  storeCase('verbs on responses give up when their signal has aborted', async (store) => {
    await store.insertRun(runOf('r1'), leaseOf(), [])
    await save(store, responseOf('p1'))
    await expectAborts({
      saveResponse: (signal) => store.saveResponse({ ...responseOf('p2'), keptSince }, signal),
      findResponse: (signal) => store.findResponse('p1', keptSince, signal),
      deleteResponse: (signal) => store.deleteResponse('p1', signal),
    })
    expectSame((await store.findResponse('p1', keptSince))?.id, 'p1', 'the response')
    expectSame(await store.findResponse('p2', keptSince), undefined, 'the one that was not stored')
  }),
]
