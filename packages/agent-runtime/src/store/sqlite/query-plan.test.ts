import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { useRuns } from '../../testing/use-store.ts'
import { createSqliteStore } from './index.ts'

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'homeward-plan-'))
})
afterEach(() => rm(folder, { recursive: true }))

it('reads and writes everything by an index, without sorting or scanning a table', async () => {
  const path = join(folder, 'agents.db')
  const seen = new Set<string>()
  const store = createSqliteStore({ path, onStatement: ({ sql }) => void seen.add(sql) })
  await useRuns(store)
  await store.close()

  const database = new DatabaseSync(path)
  const bad: string[] = []
  for (const sql of seen) {
    const steps = database.prepare(`explain query plan ${sql}`).all()
    const details = steps.map((step) => String(step['detail']))
    // `oldest` holds the few rows of a subquery, `counted` at most 10,000, and `memory_totals` one; a run has a few waits. Rows to insert are no table.
    // `min("seq")` is of the events that are removed at once.
    const small =
      /oldest|counted|memory_totals|chunk_totals|document_removals|document_pieces|CONSTANT ROW|ROW VALUES CLAUSE|waits|min\("seq"\)/
    const scans = details.filter((detail) => detail.startsWith('SCAN ') && !small.test(detail))
    const byIndex = scans.filter((detail) => !/INDEX|^SCAN journal$/.test(detail))
    const sorts = details.filter((detail) => detail.includes('TEMP B-TREE') && !small.test(sql))
    const status = /from "runs" where "status" = '(failed|cancelled)'/.exec(sql)?.[1]
    if (status !== undefined) expect(details.join()).toContain(`runs_${status}`)
    if (sql.includes('type <>')) expect(details.join()).toContain('journal_type')
    for (const detail of [...byIndex, ...sorts]) bad.push(`${detail}: ${sql}`)
  }
  database.close()
  expect(bad).toEqual([])
  expect(seen.size).toBeGreaterThan(60)
})
