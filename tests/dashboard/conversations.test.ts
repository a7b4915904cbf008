import type { Page } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import { describeInBrowser, screenshot } from './browser.ts'
import { expectFineInEveryLook, goTo } from './expect-accessible.ts'
import { chooseAction } from './test-pages.ts'

const rowOf = (page: Page, title: string) => page.getByRole('row', { name: title })

describeInBrowser('conversations', { environment: { DEMO_MODEL: 'test/echo' } }, (world) => {
  beforeAll(async () => {
    const { agents, conversations } = world.runtime()
    await agents.create({ id: 'parrot', model: 'test/echo' })
    await agents.create({ id: 'other', model: 'test/echo' })
    for (let index = 0; index < 3; index += 1) {
      await conversations.append({ agent_id: 'parrot', title: `Garden ${index}`, content: 'Roses' })
    }
    await conversations.append({ agent_id: 'other', title: 'Kitchen', content: '<b>Knives</b>' })
  })

  it('are listed, found by title, and narrowed to an agent', async () => {
    const page = await world.openPage('agents', '/conversations')
    await rowOf(page, 'Kitchen').waitFor()
    await screenshot(page, 'conversations')
    await page.getByLabel('Find by title or id').fill('garden 2')
    await rowOf(page, 'Garden 2').waitFor()
    await rowOf(page, 'Kitchen').waitFor({ state: 'hidden' })
    await page.getByLabel('Find by title or id').fill('nothing like it')
    await page.getByText('No conversations match').waitFor()
    await page.getByLabel('Find by title or id').fill('')
    await page.getByRole('button', { name: /Agent$/ }).click()
    await page.getByRole('option', { name: 'other' }).click()
    await rowOf(page, 'Garden 2').waitFor({ state: 'hidden' })
    await rowOf(page, 'Kitchen').waitFor()
    expect(new URL(page.url()).searchParams.get('agent')).toBe('other')
    await page.getByLabel('Find by title or id').fill('garden')
    await page.getByText('No conversations match').waitFor()
    await page.reload()
    await page.getByText('No conversations match').waitFor()
    expect(await page.getByLabel('Find by title or id').inputValue()).toBe('garden')
  })

  it('are opened, renamed, added to and deleted, each with what it says', async () => {
    const page = await world.openPage('agents', '/conversations')
    await rowOf(page, 'Garden 0').click()
    await page.getByRole('heading', { name: 'Garden 0', level: 1 }).waitFor()

    await page.getByRole('button', { name: 'Rename' }).click()
    await page.getByLabel('Title').fill('Winter\u0007garden')
    await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click()
    await page.getByText('Must not hold control characters').waitFor()
    expect(await page.getByLabel('Title').getAttribute('aria-invalid')).toBe('true')
    await page.getByLabel('Title').fill('Winter garden')
    await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click()
    await page.getByRole('heading', { name: 'Winter garden', level: 1 }).waitFor()

    await page.getByRole('button', { name: 'Add a message' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Message').fill('The gate is open <script>globalThis.hacked = 1</script>')
    await dialog.getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByText('The gate is open <script>').waitFor()
    expect(await page.evaluate(() => 'hacked' in globalThis)).toBe(false)

    await chooseAction(page, 'Delete conversation')
    const asked = page.getByRole('alertdialog')
    await asked.getByText('All messages of “Winter garden” are deleted.').waitFor()
    await asked.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('heading', { name: 'Winter garden', level: 1 }).waitFor()
    await chooseAction(page, 'Delete conversation')
    await asked.getByRole('button', { name: 'Delete conversation' }).click()
    await page.waitForURL(new URL('/conversations', world.agentsUrl).href)
    await rowOf(page, 'Garden 1').waitFor()
    expect(await rowOf(page, 'Winter garden').count()).toBe(0)
  })

  it('are renamed over a title of somebody else only by who was told of it', async () => {
    const { conversations } = world.runtime()
    const { conversationId: id } = await conversations.append({
      agent_id: 'parrot',
      title: 'Shed',
      content: 'Tools',
    })
    const titleOf = async () => (await conversations.get(id)).conversation.title
    const page = await world.openPage('agents', `/conversations/${id}`)
    const dialog = page.getByRole('dialog')
    await page.getByRole('button', { name: 'Rename' }).click()
    await conversations.rename(id, 'Theirs')
    await dialog.getByLabel('Title').fill('Mine')
    await dialog.getByRole('button', { name: 'Rename' }).click()
    await dialog.getByText('This was changed elsewhere since you started.').waitFor()
    expect(await titleOf()).toBe('Theirs')
    await dialog.getByRole('button', { name: 'Rename' }).click()
    await page.getByRole('heading', { name: 'Mine', level: 1 }).waitFor()
    expect(await titleOf()).toBe('Mine')
    await conversations.delete(id)
  })

  it('begin without an answer, are summed up, and go on in the chat', async () => {
    const page = await world.openPage('agents', '/conversations')
    await page.getByRole('button', { name: 'Leave a message' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: /Agent/ }).click()
    await page.getByRole('option', { name: 'parrot' }).click()
    await dialog.getByLabel('Title').fill('Not\u0007es')
    await dialog.getByLabel('Message').fill('The boiler was serviced in May.')
    await dialog.getByRole('button', { name: 'Add', exact: true }).click()
    await dialog.getByText('Must not hold control characters').waitFor()
    await dialog.getByLabel('Title').fill('Notes')
    await dialog.getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByRole('heading', { name: 'Notes', level: 1 }).waitFor()
    await page.getByRole('button', { name: 'Sum up' }).click()
    await page.getByRole('button', { name: 'Sum up again' }).waitFor()
    await page.getByRole('link', { name: 'Continue' }).click()
    const log = page.getByRole('log', { name: 'Conversation with parrot' })
    await log.getByText('The boiler was serviced in May.').waitFor()
    const field = page.getByRole('textbox', { name: 'Message to parrot' })
    await field.fill('And in June?')
    await field.press('Enter')
    await log.locator('.chat-answer').getByText('And in June?').waitFor()
  })

  it('fit every window and are accessible, light and dark', async () => {
    const page = await world.openPage('agents', '/conversations')
    await page.getByText('Kitchen').waitFor()
    await expectFineInEveryLook(page)
    const id = await anyConversation()
    await goTo(page, `/conversations/${id}`, page.getByRole('heading', { level: 1, name: 'Garden 2' }))
    await expectFineInEveryLook(page)
  })

  async function anyConversation(): Promise<string> {
    const { conversations } = await world.runtime().conversations.list({ agentId: 'parrot' })
    return conversations.find(({ title }) => title === 'Garden 2')?.id ?? ''
  }
})
