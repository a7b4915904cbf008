import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { RuntimeStore } from '../ports/runtime-store.ts'
import {
  appendOf,
  at,
  finishOf,
  graphRunOf,
  intentOf,
  leaseOf,
  memoryOf,
  outcomeOf,
  runOf,
  stepOf,
  verdictOf,
  waitingStepOf,
} from '../testing/conformance-fixtures.ts'
import { createSqliteStore } from './index.ts'

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'homeward-plan-'))
})
afterEach(() => rm(folder, { recursive: true }))

const page = { limit: 1 }

async function useEverything(store: RuntimeStore): Promise<void> {
  for (const id of ['r1', 'r2', 'r3']) await store.insertRun(runOf(id, { idempotencyKey: id }), leaseOf(), [])
  await store.saveRunStep(stepOf('r1', { intents: [intentOf('k1')] }))
  await store.saveEffect({ runId: 'r1', owner: 'o1', outcome: outcomeOf('k1') })
  await store.listEffects('r1')
  await store.requestRunCancel('r1')
  await store.renewRuns(leaseOf(), ['r1', 'r2', 'r3'])
  await store.releaseRuns('o1', ['r1'])
  await store.claimRuns({ lease: leaseOf(), now: at(0), limit: 3 })
  await store.claimRuns({ lease: leaseOf(), now: at(0), limit: 1, id: 'r1' })
  await store.insertRun(graphRunOf('g1', { parentRunId: 'r1' }), leaseOf(), [])
  await store.reserveBudget({ id: 'b1', accounts: [{ key: 'run:r1' }], tokens: 1, microUsd: 1 })
  await store.settleBudget({ id: 'b1', tokens: 1, microUsd: 1 })
  await store.lastEventSeq()
  await store.saveRunStep(waitingStepOf('r2', ['p1']))
  await store.decideApproval(verdictOf('r2', 'p1'))
  await store.resumeRun('r2', leaseOf())
  await store.finishRun(finishOf('r1'))
  for (const id of ['c2', 'c3']) await store.appendMessages(appendOf(['m1', 'm2'], { conversationId: id }))
  for (const id of ['r1.0', 'r2.0']) {
    const [message] = appendOf([id]).messages
    const turn = message ? [{ ...message, runId: id.slice(0, 2) }] : []
    await store.appendMessages(appendOf([], { conversationId: 'c2', messages: turn }))
  }
  await store.appendMessages(appendOf(['r1.9'], { conversationId: 'c2' }))
  for (const id of ['m1', 'm2', 'm3'])
    await store.writeMemory(memoryOf(id, 'pear', { embedding: Float32Array.of(1) }))
  await readEverything(store)
  await store.deleteMemory('m3')
  await store.deleteConversation('c3')
}

async function readEverything(store: RuntimeStore): Promise<void> {
  for (const by of [
    {},
    { agentId: 'a1' },
    { conversationId: 'c1' },
    { graphId: 'g1' },
    { parentRunId: 'r1' },
  ]) {
    for (const status of [undefined, 'running', 'waiting'] as const) {
      const { nextCursor: cursor } = await store.listRuns({ ...by, status }, page)
      await store.listRuns({ ...by, status }, { ...page, cursor })
    }
  }
  for (const by of [{}, { agentId: 'a1' }, { userId: 'u1' }]) {
    const { nextCursor: cursor } = await store.listConversations(by, page)
    await store.listConversations(by, { ...page, cursor })
  }
  for (const by of [
    {},
    { type: 'tool.called' },
    { type: 'skill.changed' },
    { types: ['skill.changed', 'agent.started'] },
    { types: ['skill.changed', 'tool.called'] },
    { runId: 'r1' },
    { type: 'tool.called', runId: 'r1' },
  ]) {
    await store.listEvents({ ...by, limit: 9 })
    await store.listEvents({ ...by, since: 1, limit: 9 })
  }
  for (const by of [{}, { agentId: 'a1' }]) {
    const query = { ...by, text: 'pear', limit: 1, now: at(1) }
    await store.searchMemories(query)
    await store.searchMemories({ ...query, embedding: Float32Array.of(1) })
  }
  await store.listMessages('c2', page)
  await store.listRunEvents('r1', 0)
  await store.listRunMessages('r1')
  await store.listApprovals('r2')
  await store.insertRun(runOf('r9', { idempotencyKey: 'r1' }), leaseOf(), [])
}

it('reads and writes everything by an index, without sorting or scanning a table', async () => {
  const path = join(folder, 'agents.db')
  const seen = new Set<string>()
  const store = createSqliteStore({ path, onStatement: ({ sql }) => void seen.add(sql) })
  await useEverything(store)
  await store.close()

  const database = new DatabaseSync(path)
  const bad: string[] = []
  for (const sql of seen) {
    const steps = database.prepare(`explain query plan ${sql}`).all()
    const details = steps.map((step) => String(step['detail']))
    // `oldest` holds the few rows of a subquery and `memory_totals` one; a run has a few approvals. Rows to insert are no table.
    const small = /oldest|memory_totals|CONSTANT ROW|ROW VALUES CLAUSE|approvals/
    const scans = details.filter((detail) => detail.startsWith('SCAN ') && !small.test(detail))
    const byIndex = scans.filter((detail) => !/INDEX|^SCAN journal$/.test(detail))
    const sorts = details.filter((detail) => detail.includes('TEMP B-TREE') && !small.test(sql))
    if (sql.includes('type <>')) expect(details.join()).toContain('journal_type')
    for (const detail of [...byIndex, ...sorts]) bad.push(`${detail}: ${sql}`)
  }
  database.close()
  expect(bad).toEqual([])
  expect(seen.size).toBeGreaterThan(60)
})
