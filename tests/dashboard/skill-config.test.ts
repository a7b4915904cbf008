import { Readable } from 'node:stream'
import type { Locator, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { craftZip } from '../../packages/skill-store-client/src/testing/craft-zip.ts'
import { describeInBrowser } from './browser.ts'

const config = (page: Page) =>
  page.locator('section.card').filter({ has: page.getByRole('heading', { name: 'Config', exact: true }) })
const save = (page: Page) => config(page).getByRole('button', { name: 'Save config' }).click()

const schema = {
  type: 'object',
  properties: {
    base: { type: 'string', title: 'Address' },
    account: { type: 'object', properties: { user: { type: 'string', title: 'User' } } },
  },
}
const files = [
  { name: 'SKILL.md', content: '---\n{ "name": "Shared", "description": "d" }\n---\n' },
  { name: 'config.schema.json', content: JSON.stringify(schema) },
]

describeInBrowser('the config of a skill', {}, (world) => {
  it('keeps the focus on the page when an entry that had it is removed, or moved as far as it goes', async () => {
    const lists = {
      type: 'object',
      properties: { places: { type: 'array', title: 'Places', items: { type: 'string' } } },
      additionalProperties: { type: 'string' },
    }
    const { id } = await world.runtime().skills.uploadZip(
      Readable.from([
        craftZip([
          { name: 'SKILL.md', content: '---\n{ "name": "Lists", "description": "d" }\n---\n' },
          { name: 'config.schema.json', content: JSON.stringify(lists) },
        ]),
      ]),
    )
    const page = await world.openPage('agents', `/skills/${id}`)
    const places = config(page).getByRole('group', { name: 'Places', exact: true })
    const press = async (name: string) => {
      await config(page).getByRole('button', { name, exact: true }).focus()
      await page.keyboard.press('Enter')
    }
    await press('Add: Places')
    await press('Add: Places')
    await places.getByRole('textbox').nth(1).fill('Attic')
    await press('Move entry 2 up')
    await page.locator('main:focus, main button:focus:enabled').waitFor()
    expect(await places.getByRole('textbox').first().inputValue()).toBe('Attic')
    for (const left of [1, 0]) {
      await press('Remove entry 1')
      await page.locator('main:focus').waitFor()
      expect(await places.getByRole('textbox').count()).toBe(left)
    }
    await press('Add')
    await config(page).getByRole('textbox', { name: 'Name' }).waitFor()
    await config(page)
      .getByRole('button', { name: /^Remove/ })
      .focus()
    await page.keyboard.press('Enter')
    await page.locator('main:focus').waitFor()
    page.on('dialog', (dialog) => void dialog.accept())
  })

  it('goes to the first field that is wrong, of whichever kind', async () => {
    const wrong = {
      type: 'object',
      required: ['base', 'unit', 'days'],
      properties: {
        note: { type: 'string', title: 'Note' },
        unit: { type: 'string', title: 'Unit', enum: ['metric', 'imperial'] },
        account: {
          type: 'object',
          title: 'Account',
          properties: { user: { type: 'string', title: 'User', minLength: 3 } },
        },
        base: { type: 'string', title: 'Address' },
        days: { type: 'integer', title: 'Days' },
      },
    }
    const { id } = await world.runtime().skills.uploadZip(
      Readable.from([
        craftZip([
          { name: 'SKILL.md', content: '---\n{ "name": "Wrong", "description": "d" }\n---\n' },
          { name: 'config.schema.json', content: JSON.stringify(wrong) },
        ]),
      ]),
    )
    const page = await world.openPage('agents', `/skills/${id}`)
    const isFocused = (field: Locator) => field.evaluate((element) => element === document.activeElement)
    const user = config(page).getByLabel('User')
    await user.fill('ab')
    await save(page)
    const unit = config(page).getByRole('button', { name: /Unit/ })
    await expect.poll(() => isFocused(unit)).toBe(true)
    await unit.click()
    await page.getByRole('option', { name: 'imperial' }).click()
    await config(page).getByText('Please select').waitFor({ state: 'detached' })
    await save(page)
    await expect.poll(() => isFocused(user)).toBe(true)
    await user.fill('anna')
    await save(page)
    const address = config(page).getByRole('textbox', { name: 'Address' })
    await expect.poll(() => isFocused(address)).toBe(true)
    await address.fill('a')
    await address.press('Enter')
    await expect.poll(() => isFocused(config(page).getByRole('textbox', { name: 'Days' }))).toBe(true)
  })

  it('A15: who saves over a change of the same field in another tab is told before, and replaces it the next time', async () => {
    const { skills } = world.runtime()
    const { id } = await skills.uploadZip(Readable.from([craftZip(files)]))
    await skills.saveConfig(id, { base: 'begun', account: { user: 'begun' } })
    const mine = await world.openPage('agents', `/skills/${id}`)
    const theirs = await world.openPage('agents', `/skills/${id}`)
    const user = config(mine).getByLabel('User')
    await user.fill('mine')
    await config(mine).getByLabel('Address').fill('mine')
    await config(theirs).getByLabel('User').fill('theirs')
    await save(theirs)
    await theirs.getByText('The change applies to new runs.').waitFor()

    await save(mine)
    const told = 'account › user This was changed elsewhere since you started.'
    await config(mine).getByRole('alert').getByText(told).waitFor()
    await config(mine).getByText('Someone else changed the same settings.').waitFor()
    await expect.poll(() => user.evaluate((input) => input === document.activeElement)).toBe(true)
    expect(await user.getAttribute('aria-invalid')).toBe('true')
    expect(await skills.config(id)).toEqual({ base: 'begun', account: { user: 'theirs' } })

    await save(mine)
    await mine.getByText('The change applies to new runs.').waitFor()
    expect(await skills.config(id)).toEqual({ base: 'mine', account: { user: 'mine' } })
    await config(mine).getByRole('alert').waitFor({ state: 'detached' })
    expect(await user.getAttribute('aria-invalid')).not.toBe('true')
  })
})
