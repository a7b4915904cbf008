import { join } from 'node:path'
import { writeFile } from 'node:fs/promises'
import { DatabaseSync } from 'node:sqlite'
import type { Locator, Page } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import { describeInBrowser, screenshot } from './browser.ts'

describeInBrowser('the numbers on Home', { environment: { DEMO_MODEL: 'test/echo' } }, (world) => {
  beforeAll(async () => {
    const prices = { 'test/echo': { inputPerMillion: 1000, outputPerMillion: 1000 } }
    await writeFile(join(world.home, 'data', 'prices.json'), JSON.stringify(prices))
    await world.restart()
    const { agents } = world.runtime()
    await agents.create({ id: 'parrot', model: 'test/echo' })
    await agents.create({ id: 'broken', model: 'test/echo' })
    for (const agent_id of ['parrot', 'broken']) await world.runtime().run({ agent_id, task: 'Say it' })
    for (let index = 0; index < 60; index += 1) {
      const name = `Till ${index}`
      await world.cloud().registerDevice({ userId: 'local' }, { name, type: 'iot', platform: 'linux' })
    }
  })

  /** Copies the two runs in the database until there are so many of each; those of one agent are failed ones. */
  function copyRuns(completed: number, failed: number): void {
    using database = new DatabaseSync(join(world.home, 'data', 'agents.db'))
    database.exec("update runs set status = 'failed' where agent_id = 'broken'")
    for (const [agent, count] of [
      ['parrot', completed],
      ['broken', failed],
    ] as const) {
      database
        .prepare(
          `with recursive n(i) as (select count(*) from runs where agent_id = ?1 union all select i + 1 from n where i < ?2 - 1),
           r as (select * from runs where agent_id = ?1 order by seq limit 1)
           insert into runs (seq, id, agent_id, source, status, created_at, finished_at, cancel_requested, has_steps, duration_ms,
             cost_micro_usd, run, result)
           select (select max(seq) from runs) + i, r.id || '-' || i, agent_id, source, status, created_at, finished_at, 0, 0,
             duration_ms, cost_micro_usd, replace(run, r.id, r.id || '-' || i), replace(result, r.id, r.id || '-' || i) from n, r`,
        )
        .run(agent, count)
    }
  }

  /** The number on Home, and the text of the page that it leads to. */
  async function follow(page: Page, name: string, shown: Locator): Promise<readonly [string, string]> {
    await page.goto(world.agentsUrl)
    const total = page.locator('.pulse-totals > div').filter({ has: page.getByText(name, { exact: true }) })
    const link = total.getByRole('link')
    const number = await link.innerText()
    await link.click()
    return [number, await shown.first().innerText()]
  }

  it.each([
    { completed: 40, failed: 10, runs: '50', failures: '10' },
    { completed: 9520, failed: 480, runs: '10,000+', failures: '480' },
  ])(
    'are those of the pages that they lead to: $runs runs',
    async ({ completed, failed, runs, failures }) => {
      copyRuns(completed, failed)
      const page = await world.openPage('agents', '/')
      expect(await follow(page, 'Runs', page.getByText(/\d\+? runs ·/))).toEqual([
        runs,
        expect.stringContaining(`${runs} runs · ${failures} failed`),
      ])
      expect(await follow(page, 'Failed', page.getByText(/^\d+ runs/))).toEqual([
        failures,
        expect.stringContaining(`${failures} runs`),
      ])
      const [cost, usage] = await follow(page, 'Cost', page.locator('.usage-totals dd').last())
      expect(usage).toBe(cost)
      expect(await follow(page, 'Devices online', page.getByText(/60 devices, /))).toEqual([
        '0 of 60',
        expect.stringContaining('60 devices, 0 online'),
      ])
      await page.goto(world.agentsUrl)
      await page.getByText(`${failures} runs failed`).waitFor()
      await screenshot(page, `home-${completed}`)
    },
  )
})
