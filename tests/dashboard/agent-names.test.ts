import { expect, it } from 'vitest'
import { describeInBrowser } from './browser.ts'
import { startStandInBridge } from './stand-in-bridge.ts'

describeInBrowser('agents', {}, (world) => {
  it('are called by their names in facts, graphs, usage and memories too', async () => {
    const { agents, graphs, memory, settings, tasks } = world.runtime()
    await agents.create({ id: 'agent-7f', name: 'Gardener', model: 'test/echo' })
    await agents.create({ id: 'agent-8a', name: 'Gardener', model: 'test/echo' })
    const { task } = await tasks.create({ agent_id: 'agent-7f', task: 'Mow' })
    const page = await world.openPage('agents', `/tasks/${task.id}`)
    const main = page.getByRole('main')
    await main.getByRole('link', { name: 'Gardener' }).waitFor()

    await using bridge = await startStandInBridge()
    await settings.update({ channel_d_bridge_url: bridge.url, channel_d_default_agent_id: 'agent-7f' })
    await page.goto(`${world.agentsUrl}/channels/channel_d`)
    await main.getByRole('link', { name: 'Gardener' }).waitFor()

    await memory.write({ agent_id: 'agent-7f', text: 'The roses are white' })
    await page.goto(`${world.agentsUrl}/memory?q=roses`)
    await main.getByRole('listitem').getByText('Gardener', { exact: true }).waitFor()

    await graphs.create({ id: 'beds', nodes: [{ id: 'one', agent: 'agent-7f' }] })
    await page.goto(`${world.agentsUrl}/graphs/beds`)
    await page.locator('.graph-node').getByText('Gardener', { exact: true }).click()
    await main.getByRole('link', { name: 'Gardener' }).waitFor()
    await page.goto(`${world.agentsUrl}/graphs/beds/edit`)
    await page.locator('.graph-node').getByText('Gardener', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'one · Gardener' }).click()
    await page.getByRole('button', { name: /^Gardener Agent/ }).waitFor()

    for (const id of ['agent-7f', 'agent-8a']) await world.runtime().run({ agent_id: id, task: 'Water' })
    await page.goto(`${world.agentsUrl}/usage?group=agent`)
    const columns = page.getByRole('columnheader', { name: 'Gardener', exact: true })
    await expect.poll(() => columns.count()).toBe(2)
  })
})
