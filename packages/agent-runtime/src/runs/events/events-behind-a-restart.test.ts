import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createSqliteStore } from '../../store/sqlite/create-sqlite-store.ts'
import type { NumberedRunEvent, Runs } from '../runs.ts'
import { createKit } from '../testing/run-kit.ts'

/** Reads until the assistant has said a text, in however many pieces. */
async function readUntil(runs: Runs, runId: string, sinceSeq: number, text: string) {
  const read: NumberedRunEvent[] = []
  let said = ''
  for await (const numbered of runs.events(runId, sinceSeq)) {
    read.push(numbered)
    if (numbered.event.event === 'assistant') said += numbered.event.data.delta
    if (said.endsWith(text)) break
  }
  return { said, last: read.at(-1)?.seq ?? 0 }
}

it('A6: what a run says after a restart is heard at once, by who begins to read and by who goes on', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'homeward-restart-'))
  const path = join(folder, 'agents.db')
  const before = createSqliteStore({ path })
  const first = createKit({ store: before, steps: [{ text: 'Half of it', hang: true }] })
  const { runId, result } = await first.runs.start({ agent_id: 'helper', task: 'Say it' })
  const { last } = await readUntil(first.runs, runId, 0, 'Half of it')
  await first.runs.close()
  await expect(result).rejects.toMatchObject({ code: 'closed' })
  await before.close()

  const after = createSqliteStore({ path })
  const second = createKit({ store: after, steps: [{ text: 'All of it', hang: true }] })
  await second.runs.recover()
  expect((await readUntil(second.runs, runId, 0, 'All of it')).said).toBe('All of it')
  expect(await readUntil(second.runs, runId, last, 'All of it')).toMatchObject({ said: 'All of it' })
  await second.runs.cancel(runId)
  await second.runs.close()
  await after.close()
  await rm(folder, { recursive: true })
})
