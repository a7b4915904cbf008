import { beforeAll, it } from 'vitest'
import { describeInBrowser, screenshot } from './browser.ts'
import { expectFineInEveryLook } from './expect-accessible.ts'

describeInBrowser('runs of graphs', { environment: { DEMO_MODEL: 'test/echo' } }, (world) => {
  beforeAll(async () => {
    const { agents, graphs } = world.runtime()
    await agents.create({ id: 'echo', model: 'test/echo' })
    await agents.create({ id: 'fixable', model: 'anthropic/any-model' })
    await graphs.create({
      id: 'fixable',
      nodes: [
        { id: 'good', agent: 'echo' },
        { id: 'bad', agent: 'fixable', input: 'After {{good}}' },
      ],
      edges: [{ from: 'good', to: 'bad' }],
    })
  })

  it('run again from the failed node, with the results of the nodes before', async () => {
    const { agents, graphs } = world.runtime()
    await agents.update('fixable', { model: 'anthropic/any-model' })
    const { run_id: id } = await graphs.run({ graph_id: 'fixable', input: 'to be fixed' })
    await agents.update('fixable', { model: 'test/echo' })

    const page = await world.openPage('agents', `/runs/${id}`)
    const tree = page.getByRole('tree', { name: 'Steps of the run' })
    await tree.getByRole('treeitem', { name: /^Node, failed: bad/ }).click()
    const again = page.getByRole('button', { name: 'Run again from the failed node' })
    await again.focus()
    await expectFineInEveryLook(page)
    await screenshot(page, 'graph-failed-node')
    await again.press('Enter')
    await page.getByText('Run started again').waitFor()
    await page.getByRole('link', { name: 'the run before' }).waitFor()
    await page.locator('.page-header').getByText('completed').waitFor()
    await tree.getByRole('treeitem', { name: /^Node, completed: bad/ }).waitFor()
    await tree.getByRole('treeitem', { name: /^Node, completed: good/ }).click()
    await page.getByText('taken over').waitFor()
    await expectFineInEveryLook(page)
    await screenshot(page, 'graph-run-again')
  })
})
