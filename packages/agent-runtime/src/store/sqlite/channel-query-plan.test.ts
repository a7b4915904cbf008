import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it, onTestFinished } from 'vitest'
import { useChannels } from '../../testing/use-store.ts'
import { createSqliteStore } from './create-sqlite-store.ts'

it('A1: takes in, sends, lists and forgets messages by an index, without sorting or scanning a table', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'homeward-plan-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const path = join(folder, 'agents.db')
  const seen = new Set<string>()
  const store = createSqliteStore({ path, onStatement: ({ sql }) => void seen.add(sql) })
  await useChannels(store)
  await store.close()

  const database = new DatabaseSync(path)
  const bad: string[] = []
  const ofChannels = [...seen].filter((sql) => sql.includes('channel_'))
  for (const sql of ofChannels) {
    for (const step of database.prepare(`explain query plan ${sql}`).all()) {
      const detail = String(step['detail'])
      if ((detail.startsWith('SCAN') && !detail.includes('CONSTANT ROW')) || detail.includes('TEMP B-TREE'))
        bad.push(`${detail}: ${sql}`)
      // Those of a channel that failed, or wait, are few among all there were.
      if (/"channel" = \? and "status" = /.test(sql))
        expect(detail).toMatch(/INDEX channel_messages_(open|trouble)/)
    }
  }
  database.close()
  expect(bad).toEqual([])
  expect(ofChannels.length).toBeGreaterThan(20)
})
