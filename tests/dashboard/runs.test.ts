import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { describeInBrowser, screenshot } from './browser.ts'
import { expectFineInEveryLook, goTo } from './expect-accessible.ts'
import { useHandDrivenProvider } from './hand-driven-provider.ts'

const provider = useHandDrivenProvider()

describeInBrowser('runs', { environment: { DEMO_MODEL: 'test/echo' } }, (world) => {
  beforeAll(async () => {
    const { agents } = world.runtime()
    await agents.create({ id: 'parrot', model: 'test/echo' })
    await agents.create({ id: 'writer', model: 'openai/stand-in', approval_tools: ['write_file'] })
    await world.runtime().run({ agent_id: 'parrot', task: 'Say <b>hello</b>' })
  })

  it('are listed and narrowed by agent and status, and the address keeps it', async () => {
    const page = await world.openPage('agents', '/runs')
    await page.getByRole('row', { name: 'Say <b>hello</b>' }).waitFor()
    await page.getByRole('button', { name: /Status$/ }).click()
    await page.getByRole('option', { name: 'failed' }).click()
    await page.getByText('No run matches these filters').waitFor()
    expect(new URL(page.url()).searchParams.get('status')).toBe('failed')
    await page.reload()
    await page.getByText('No run matches these filters').waitFor()
    // A filter that came with a link and has no field is said, and can be taken away.
    await page.goto(`${world.agentsUrl}/runs?conversation_id=none`)
    await page.getByText('Only the runs of one conversation are listed.').waitFor()
    await page.getByRole('button', { name: 'Show all runs' }).click()
    await page.getByRole('row', { name: 'Say <b>hello</b>' }).waitFor()
  })

  it('are narrowed to one of thousands of agents, of which the page holds those in sight', async () => {
    const agents = Array.from({ length: 3000 }, (_, index) => ({
      id: `agent-${index}`,
      name: `Agent ${String(index).padStart(4, '0')}`,
      model: 'test/echo',
      skills: [],
      schedule_enabled: true,
      created_at: '2026-01-01T00:00:00.000Z',
      updated_at: '2026-01-01T00:00:00.000Z',
    }))
    const page = await world.openPage('agents', '/usage')
    await page.route('**/api/agents', (route) => route.fulfill({ json: { agents } }))
    await page.goto(`${world.agentsUrl}/runs`)
    await page.getByRole('button', { name: /Agent$/ }).click()
    await page.getByRole('option', { name: 'All agents' }).waitFor()
    await page.getByRole('option', { name: 'Agent 0000' }).waitFor()
    expect(await page.getByRole('option').count()).toBeLessThan(100)
    await page.locator('[role="option"]:focus, [role="listbox"]:focus').waitFor()
    await page.keyboard.type('Agent 2999')
    await page.getByRole('option', { name: 'Agent 2999' }).waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL('**/runs?agent_id=agent-2999')
  })

  it('show their steps as a tree, while they work and at their end, and lead to the runs they asked for', async () => {
    const { runId } = await world.runtime().stream({ agent_id: 'writer', task: 'Ask the parrot' })
    const page = await world.openPage('agents', `/runs/${runId}`)
    const first = await provider.nextCall('Ask the parrot')
    const tree = page.getByRole('tree', { name: 'Steps of the run' })
    const panel = page.getByRole('region', { name: 'Chosen step' })
    // What a model says shows before it has ended.
    first.say('Half a thought')
    await tree.getByRole('treeitem', { name: /^Model call, running: openai\/stand-in/ }).waitFor()
    await panel.getByText('Half a thought').waitFor()
    first.callTool('run_agent', { agent_id: 'parrot', task: 'Polly' })
    await tree.getByRole('treeitem', { name: /^Tool call, completed: run_agent/ }).waitFor()
    const second = await provider.nextCall('Ask the parrot')
    second.callTool('write_file', { path: 'a.md', content: 'Polly' })
    await page.getByRole('group', { name: 'Approval of write_file' }).waitFor()
    await tree.getByRole('treeitem', { name: /^Approval, waiting: write_file/ }).waitFor()
    await page.getByRole('button', { name: 'Approve' }).click()
    const third = await provider.nextCall('Ask the parrot')
    third.say('It is done.')
    third.end()
    await page.locator('.page-header').getByText('completed').waitFor()
    await tree.getByRole('treeitem', { name: /^Approval, completed: write_file/ }).waitFor()
    await expect.poll(() => tree.getByRole('treeitem', { name: /^Model call/ }).count()).toBe(3)
    await tree.getByRole('treeitem', { name: /^Tool call, completed: write_file/ }).click()
    await panel.getByRole('group', { name: 'Arguments' }).getByText('Polly').waitFor()
    // everything that the model was told, at the last call
    await tree
      .getByRole('treeitem', { name: /^Model call/ })
      .last()
      .click()
    await panel.getByRole('button', { name: 'Full prompt' }).click()
    await panel.getByRole('group', { name: 'Instructions' }).getByText('You are writer').waitFor()
    await panel.getByRole('button', { name: /^\d+ tools$/ }).waitFor()
    await panel.getByRole('button', { name: '5 messages' }).click()
    await panel.getByRole('group', { name: 'Messages: user' }).getByText('Ask the parrot').waitFor()
    await screenshot(page, 'run')
    await expectFineInEveryLook(page)
    await page.setViewportSize({ width: 390, height: 844 })
    await screenshot(page, 'run-390')
    await page.setViewportSize({ width: 1280, height: 800 })
    // By keyboard to the run that it asked for, which unfolds in place and opens.
    await tree.getByRole('treeitem', { name: /^Tool call, completed: run_agent/ }).click()
    await page.keyboard.press('ArrowDown')
    await page.locator('[role="treeitem"][aria-selected="true"]:focus', { hasText: 'parrot' }).waitFor()
    await page.keyboard.press('ArrowRight')
    await tree.getByRole('treeitem', { name: /^Model call, completed: test\/echo/ }).waitFor()
    await panel.getByRole('link', { name: 'Open the run' }).click()
    await page.getByRole('heading', { name: 'Polly', level: 1 }).waitFor()
    await page.getByRole('link', { name: 'another run' }).click()
    await page.getByRole('heading', { name: 'Ask the parrot', level: 1 }).waitFor()
  })

  it('run again from a step, and from the start with another task', async () => {
    const running = world.runtime().run({ agent_id: 'writer', task: 'Look at the clock' })
    const first = await provider.nextCall('Look at the clock')
    first.callTool('time', {})
    const second = await provider.nextCall('Look at the clock')
    second.say('Late')
    second.end()
    const { run_id: runId } = await running
    const page = await world.openPage('agents', `/runs/${runId}`)
    const tree = page.getByRole('tree', { name: 'Steps of the run' })
    await tree
      .getByRole('treeitem', { name: /^Model call/ })
      .last()
      .click()
    await page.getByRole('button', { name: 'Run again from here' }).click()
    // The first call is not made again: the next one has the result of the tool.
    const again = await provider.nextCall('Look at the clock')
    expect(again.prompt).toContain('"tool"')
    again.say('Later')
    again.end()
    await page.getByText('Later', { exact: true }).first().waitFor()
    await page.getByRole('link', { name: 'the run before' }).click()
    await page.waitForURL(`**/runs/${runId}`)
    await page.getByRole('button', { name: 'Run again', exact: true }).click()
    await page.getByRole('dialog').getByRole('textbox', { name: /^Task/ }).fill('Look at the sun')
    await page.getByRole('dialog').getByRole('button', { name: 'Run again' }).click()
    const other = await provider.nextCall('Look at the sun')
    other.say('Bright')
    other.end()
    await page.getByText('Bright', { exact: true }).first().waitFor()
  })

  it('show what was sent to the model, and its error, when they failed', async () => {
    const server = createServer((_, response) => {
      response.writeHead(400, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ error: { message: 'No such thing' } }))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    try {
      const { port } = server.address() as AddressInfo
      await fetch(`${world.agentsUrl}/api/models/providers/broken`, {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ api: 'openai-chat', base_url: `http://127.0.0.1:${port}/v1` }),
      })
      await world.runtime().agents.create({ id: 'unlucky', model: 'broken/model' })
      const { run_id: runId } = await world.runtime().run({ agent_id: 'unlucky', task: 'Try it' })
      const page = await world.openPage('agents', `/runs/${runId}`)
      const tree = page.getByRole('tree', { name: 'Steps of the run' })
      // the second call finds out whether the text was refused
      await tree
        .getByRole('treeitem', { name: /^Model call, failed: broken\/model/ })
        .first()
        .waitFor()
      const panel = page.getByRole('region', { name: 'Chosen step' })
      await panel.getByText('Try it').waitFor()
      await panel
        .getByText(/No such thing|400/)
        .first()
        .waitFor()
    } finally {
      server.close()
    }
  })

  it('are stopped, and say so', async () => {
    const { runId } = await world.runtime().stream({ agent_id: 'writer', task: 'Never end' })
    const page = await world.openPage('agents', `/runs/${runId}`)
    const call = await provider.nextCall('Never end')
    call.say('On and on')
    await page.getByRole('button', { name: 'Stop the run' }).click()
    await page.locator('.page-header').getByText('cancelled').waitFor()
    await page.getByRole('button', { name: 'Stop the run' }).waitFor({ state: 'hidden' })
    expect((await world.runtime().runs.find(runId))?.status).toBe('cancelled')
  })

  it('and what they used over time are accessible and fit every window, light and dark', async () => {
    const page = await world.openPage('agents', '/runs')
    await page.getByRole('row', { name: 'Say <b>hello</b>' }).waitFor()
    await expectFineInEveryLook(page)
    await goTo(page, '/usage', page.locator('.usage-plot svg'))
    await page.getByRole('columnheader', { name: 'test/echo' }).waitFor()
    await expectFineInEveryLook(page)
    await screenshot(page, 'usage')
  })

  it('used tokens that the page of usage counts, by model and by agent', async () => {
    const page = await world.openPage('agents', '/usage')
    const { usage } = await world.runtime().usage.report({ agentId: 'parrot' })
    const tokens = usage.reduce((sum, each) => sum + each.input_tokens + each.output_tokens, 0)
    await page.getByRole('button', { name: /Group$/ }).click()
    await page.getByRole('option', { name: 'By agent' }).click()
    const table = page.getByRole('region', { name: 'Usage in numbers' })
    await table.getByRole('columnheader', { name: 'parrot' }).waitFor()
    const shown = new Intl.NumberFormat('en-GB').format(tokens)
    expect(await table.getByRole('cell', { name: shown, exact: true }).count()).toBeGreaterThan(0)
    await page.getByRole('button', { name: /Time$/ }).click()
    await page.getByRole('option', { name: 'Last 24 hours' }).click()
    await table.getByRole('columnheader', { name: 'Hour' }).waitFor()
  })

  it('cost what the prices of the server say', async () => {
    const prices = { 'test/echo': { inputPerMillion: 1_000_000, outputPerMillion: 0 } }
    await writeFile(join(world.home, 'data', 'prices.json'), JSON.stringify(prices))
    await world.restart()
    // A run costs what the prices said when it ran.
    await world.runtime().run({ agent_id: 'parrot', task: 'Say a price' })
    const { usage } = await world.runtime().usage.report({ model: 'test/echo' })
    const cost = usage.reduce((sum, each) => sum + (each.cost_usd ?? 0), 0)
    expect(cost).toBeGreaterThan(0)
    const page = await world.openPage('agents', '/usage')
    await page.getByText('Cost', { exact: true }).waitFor()
    await page.getByRole('button', { name: /Count$/ }).click()
    await page.getByRole('option', { name: 'US dollars' }).click()
    const shown = new Intl.NumberFormat('en-GB', { style: 'currency', currency: 'USD' }).format(cost)
    await page.getByRole('region', { name: 'Usage in numbers' }).getByText(shown).first().waitFor()
  })
})
