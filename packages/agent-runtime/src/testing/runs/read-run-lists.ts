import type { RuntimeStore } from '../../store/ports/runtime-store.ts'
import { at } from '../conformance-fixtures.ts'

/** Reads lists of runs in every order, for tests of query plans. */
export async function readRunLists(store: RuntimeStore): Promise<void> {
  const page = { limit: 1 }
  await store.listRuns({ source: 'chat' }, page)
  for (const filter of [{}, { from: at(0), to: at(9) }, { text: 'pear' }, { agentId: 'a1' }] as const)
    for (const verb of ['countRunSources', 'countRunTimes', 'countFailures'] as const)
      await store[verb](filter)
  for (const sort of ['created_at', '-cost', '-duration'] as const) {
    const { nextCursor: cursor } = await store.listRuns({ sort, text: 'pear' }, page)
    await store.listRuns({ sort, text: 'pear' }, { ...page, cursor })
    await store.listRuns({ sort, from: at(0), to: at(9), minMicroUsd: 0 }, page)
  }
  await store.listRunSpans('r1')
}
