import { beforeAll, expect, it } from 'vitest'
import { reloadAsking } from './reload-asking.ts'
import { describeInBrowser, screenshot } from './browser.ts'
import { expectFineInEveryLook, expectNoSidewaysScroll } from './expect-accessible.ts'
import { loseAnswer } from './lose-answer.ts'
import { chooseAction } from './test-pages.ts'

describeInBrowser('memory', { environment: { DEMO_MODEL: 'test/echo' } }, (world) => {
  beforeAll(async () => {
    const { agents, memory } = world.runtime()
    await agents.create({ id: 'parrot', model: 'test/echo' })
    await agents.create({ id: 'other', model: 'test/echo' })
    await memory.write({
      agent_id: 'parrot',
      text: 'Roses like the south wall of the garden.',
      tags: ['garden'],
    })
    await memory.write({ agent_id: 'other', text: 'The roses were pruned.', user_id: 'ada' })
    const hostile = 'Roses <img src=x onerror="globalThis.hacked=1"> \u202Egnihton\u202C \u001B[31mred'
    await memory.write({ agent_id: 'parrot', text: hostile, tags: ['<script>globalThis.hacked=1</script>'] })
    await memory.write({ agent_id: 'parrot', text: `Roses ${'word '.repeat(18_000)}` })
  })

  it('is searched by words, agent, person and tag, and shows why something fits', async () => {
    const page = await world.openPage('agents', '/memory')
    const all = page.getByRole('list', { name: '4 memories' }).getByRole('listitem')
    await all.first().getByText('Roses word').waitFor() // the newest one
    expect(await all.last().innerText()).toContain('south wall')
    await page.getByLabel('Search for').fill('south roses')
    const first = page
      .getByRole('listitem')
      .filter({ has: page.getByText('Score') })
      .first()
    await first.getByText('south wall of the').waitFor()
    expect(await first.locator('mark').allInnerTexts()).toEqual(['Roses', 'south'])
    await screenshot(page, 'memory')

    await page.getByLabel('Tags').fill('garden')
    await page.getByRole('list', { name: '1 memories' }).waitFor()
    await page.getByLabel('Tags').fill('')
    await page.getByLabel('Person').fill('ada')
    await page.getByText('for ada').waitFor()
    await page.getByRole('status').getByText('Memories found: 1').waitFor()
    await page.getByLabel('Person').fill('')
    await page.getByLabel('Search for').fill('submarine')
    await page.getByText('No memories match').waitFor()
  })

  it('keeps what is looked for in the address, over a reload and the way back', async () => {
    const page = await world.openPage('agents', '/memory')
    await page.getByLabel('Search for').fill('south roses')
    await page.getByLabel('Tags').fill('garden')
    await page.getByRole('button', { name: 'Agent' }).click()
    await page.getByRole('option', { name: 'parrot' }).click()
    const found = page.getByRole('list', { name: '1 memories' })
    await found.waitFor()
    await page.reload()
    await found.waitFor()
    expect(await page.getByLabel('Search for').inputValue()).toBe('south roses')
    expect(await page.getByLabel('Tags').inputValue()).toBe('garden')
    await page.getByRole('link', { name: 'All agents', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'Agents' }).waitFor()
    await page.goBack()
    await found.waitFor()
    await page.getByRole('link', { name: 'Memory', exact: true }).click()
    await page.getByRole('list', { name: '4 memories' }).waitFor()
  })

  it('runs nothing of what a memory holds, however long it is', async () => {
    const page = await world.openPage('agents', '/memory')
    await page.getByLabel('Search for').fill('roses')
    await page.getByText('onerror="globalThis.hacked=1"').waitFor()
    expect(await page.evaluate(() => 'hacked' in globalThis)).toBe(false)
    expect(await page.locator('main img, main script').count()).toBe(0)
    await page.setViewportSize({ width: 360, height: 740 })
    await expectNoSidewaysScroll(page)
  })

  it('is written by hand, found, and deleted after a question', async () => {
    const page = await world.openPage('agents', '/memory')
    await page.getByRole('button', { name: 'Write a memory' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: /Agent/ }).click()
    await page.getByRole('option', { name: 'parrot' }).click()
    await dialog.getByLabel('Text').fill('The meter is behind the cellar door.')
    await dialog.getByLabel('Tags', { exact: true }).fill('house')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape') // one too many takes nothing away
    const forget = dialog.getByLabel('Expires at')
    await forget.pressSequentially('0101') // a day without a time is no time for the browser
    await dialog.getByRole('button', { name: 'Write' }).click()
    await dialog.getByText('Enter a day and a time in the future.').waitFor()
    await forget.fill('2099-01-01T08:00')
    await dialog.getByRole('button', { name: 'Write' }).click()
    await page.getByText('Memory written').waitFor()
    expect(await reloadAsking(page)).toBe(false)
    await page.getByRole('button', { name: 'Write a memory' }).click()
    await dialog.getByLabel('Text').fill('Half of it')
    expect(await reloadAsking(page)).toBe(true)

    await page.getByLabel('Search for').fill('meter')
    await page.locator('mark', { hasText: 'meter' }).waitFor()
    await page.getByText('house', { exact: true }).waitFor()
    await chooseAction(page, 'Delete', 'Actions of this memory')
    const asked = page.getByRole('alertdialog')
    await asked.getByText('This cannot be undone.').waitFor()
    await asked.getByRole('button', { name: 'Delete' }).click()
    await page.getByText('No memories match').waitFor()
    await page.locator('#content:focus').waitFor() // the button that asked is gone with its row
    const { agents, memory } = world.runtime()
    expect(await agents.find('parrot')).toBeDefined()
    expect(await memory.search({ q: 'meter' })).toEqual([])
  })

  it('is written once, also when the answer was lost and it is sent again', async () => {
    const page = await world.openPage('agents', '/memory')
    await page.getByRole('button', { name: 'Write a memory' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: /Agent/ }).click()
    await page.getByRole('option', { name: 'parrot' }).click()
    await dialog.getByLabel('Text').fill('The ladder stands in the barn.')
    await page.route('**/api/memory/write', loseAnswer, { times: 1 })
    await dialog.getByRole('button', { name: 'Write' }).click()
    await dialog.getByText('The server does not respond').waitFor()
    await dialog.getByRole('button', { name: 'Write' }).click()
    await page.getByText('Memory written').waitFor()
    expect(await world.runtime().memory.search({ q: 'ladder' })).toHaveLength(1)
  })

  it('fits every window and is accessible, light and dark', async () => {
    const page = await world.openPage('agents', '/memory')
    await page.getByLabel('Search for').fill('roses')
    await page.getByText('south wall of the').waitFor()
    await expectFineInEveryLook(page)
  })
})
