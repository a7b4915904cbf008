import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, it, onTestFinished, vi } from 'vitest'
import { describeInBrowser, screenshot } from './browser.ts'
import { expectFineInEveryLook } from './expect-accessible.ts'

const card = (page: Page, title: string) =>
  page.locator('section.card').filter({ has: page.getByRole('heading', { name: title, exact: true }) })

/** Everything that the document holds, values of fields included. */
const wholePage = (page: Page) =>
  page.evaluate(() => {
    const values = [...document.querySelectorAll('input, textarea')].map(
      (field) => (field as HTMLInputElement).value,
    )
    return (
      document.documentElement.outerHTML +
      values.join('\n') +
      JSON.stringify({ ...sessionStorage, ...localStorage })
    )
  })

const secret = 'sk-secret-of-this-test-0123456789'

/** With other tests beside it, a page may need a while. */
const within = { timeout: 30_000 }

describeInBrowser('the settings page', {}, (world) => {
  const config = async () =>
    JSON.parse(await readFile(join(world.home, 'data', 'config.json'), 'utf8')) as object

  it('A13: sets a secret, and never has it in the page again; replaces it, and removes it', async () => {
    const page = await world.openPage('agents', '/settings')
    const models = card(page, 'OpenAI')
    await models.getByLabel('OpenAI API key').fill(secret)
    await models.getByRole('button', { name: 'Save' }).click()
    await models.getByRole('group', { name: 'OpenAI API key' }).getByText('Set', { exact: true }).waitFor()
    expect(await config()).toMatchObject({ openai_api_key: secret })
    expect(await wholePage(page)).not.toContain(secret)
    await screenshot(page, 'settings')
    await page.reload()
    await models.getByRole('group', { name: 'OpenAI API key' }).waitFor()
    expect(await wholePage(page)).not.toContain(secret)

    await models.getByRole('button', { name: 'Replace: OpenAI API key' }).click()
    // Nothing was written: nothing is to be saved, and what is there stays.
    expect(await models.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true)
    await models.getByLabel('OpenAI API key').fill(`${secret}-new`)
    await models.getByRole('button', { name: 'Save' }).click()
    await models.getByRole('group', { name: 'OpenAI API key' }).waitFor()
    expect(await config()).toMatchObject({ openai_api_key: `${secret}-new` })
    expect(await wholePage(page)).not.toContain(secret)

    await models.getByRole('button', { name: 'Remove: OpenAI API key' }).click()
    await models.getByText('Removed when you save').waitFor()
    await models.getByRole('button', { name: 'Save' }).click()
    await models.getByLabel('OpenAI API key').and(page.locator('input')).waitFor()
    expect(await config()).not.toHaveProperty('openai_api_key')
  })

  it('saves plain settings, says at the field what is wrong, and clears them', async () => {
    const page = await world.openPage('agents', '/settings/advanced')
    const store = card(page, 'Skill store')
    await store.getByLabel('Registry').fill('ftp://skills.example')
    await store.getByRole('button', { name: 'Save' }).click()
    await store.getByText('Must be an http or https URL').waitFor()
    await store.getByLabel('Registry').fill('https://skills.example/registry.json')
    await store.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved', { exact: true }).waitFor()
    expect(await config()).toEqual({ registry_url: 'https://skills.example/registry.json' })
    await store.getByLabel('Registry').fill('')
    await store.getByRole('button', { name: 'Save' }).click()
    await expect.poll(config, within).toEqual({})
  })

  it('A13: says when the environment says otherwise', async () => {
    vi.stubEnv('GOOGLE_API_KEY', 'from-the-environment')
    await world.restart()
    const page = await world.openPage('agents', '/settings')
    const models = card(page, 'Google')
    await models.getByRole('button', { name: 'Remove: Google API key' }).click()
    await models.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved, but an environment variable overrides it').waitFor()
    vi.unstubAllEnvs()
    await world.restart()
  })

  it('asks before what was written is left', async () => {
    const page = await world.openPage('agents', '/settings/advanced')
    await card(page, 'Skill store').getByLabel('Registry').fill('https://a.example')
    await card(page, 'Platform').getByLabel('Folder of agents').fill('/x')
    await page.getByRole('link', { name: 'Agents', exact: true }).click()
    await page
      .getByRole('alertdialog', { name: 'Leave without saving?' })
      .getByRole('button', { name: 'Cancel' })
      .click()
    expect(await page.getByRole('alertdialog', { name: 'Leave without saving?' }).count()).toBe(0)
    expect(new URL(page.url()).pathname).toBe('/settings/advanced')
    expect(await card(page, 'Skill store').getByLabel('Registry').inputValue()).toBe('https://a.example')
  })

  it('A13: who saves a setting over a change of the same in another tab is told before', async () => {
    const mine = await world.openPage('agents', '/settings/advanced')
    const theirs = await world.openPage('agents', '/settings/advanced')
    const form = (page: Page) => card(page, 'Skill store')
    const registry = (page: Page) => form(page).getByLabel('Registry')
    const save = (page: Page) => form(page).getByRole('button', { name: 'Save' }).click()
    await registry(mine).fill('https://mine.example/registry.json')
    await registry(theirs).fill('https://theirs.example/registry.json')
    await save(theirs)
    await theirs.getByText('Saved', { exact: true }).first().waitFor()

    await save(mine)
    await form(mine).getByText('This was changed elsewhere since you started.').waitFor()
    await form(mine).getByText('Someone else changed the same settings.').waitFor()
    expect(await config()).toMatchObject({ registry_url: 'https://theirs.example/registry.json' })
    await save(mine)
    await mine.getByText('Saved', { exact: true }).first().waitFor()
    expect(await config()).toMatchObject({ registry_url: 'https://mine.example/registry.json' })
    await form(mine).getByText('Someone else changed the same settings.').waitFor({ state: 'detached' })
    await registry(mine).fill('')
    await save(mine)
    await expect.poll(config, within).not.toHaveProperty('registry_url')
  })

  it('sets a channel by keyboard alone', async () => {
    await world.runtime().agents.create({ id: 'answers', name: 'Answers', model: 'test/echo' })
    const page = await world.openPage('agents', '/channels/channel_a')
    await page.getByLabel('Bot token').focus()
    await page.keyboard.type('123:telegram-token')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByRole('option', { name: 'Answers (answers)' }).waitFor()
    await page.keyboard.type('Answers')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    await page.getByRole('button', { name: 'Save' }).last().focus()
    await page.keyboard.press('Enter')
    await expect
      .poll(config, within)
      .toEqual({ channel_a_bot_token: '123:telegram-token', channel_a_default_agent_id: 'answers' })
    await world.runtime().settings.update({ channel_a_bot_token: null, channel_a_default_agent_id: null })
  })

  it('A19: goes on working with the access token that it sets', async () => {
    onTestFinished(async () => {
      await world.runtime().settings.update({ api_token: null })
    })
    const page = await world.openPage('agents', '/settings/advanced')
    const platform = card(page, 'Platform')
    await platform.getByLabel('Access token').fill('a-token-of-this-test')
    await platform.getByRole('button', { name: 'Save' }).click()
    await platform.getByRole('group', { name: 'Access token' }).waitFor()
    expect((await fetch(`${world.agentsUrl}/api/settings`)).status).toBe(401)
    await page.getByRole('link', { name: 'Agents', exact: true }).click()
    await page.getByRole('row', { name: /Demo/ }).waitFor()
  })

  it('A13, A19: keeps the token that it works with when that of the environment wins over a saved one', async () => {
    onTestFinished(async () => {
      vi.unstubAllEnvs()
      await world.runtime().settings.update({ api_token: null })
      await world.restart()
    })
    vi.stubEnv('API_TOKEN', 'of-the-environment')
    await world.restart()
    const page = await world.openPage('agents', '/settings/advanced')
    await page.getByRole('textbox', { name: 'Access token' }).fill('of-the-environment')
    await page.keyboard.press('Enter')
    const platform = card(page, 'Platform')
    await platform.getByRole('button', { name: 'Replace: Access token' }).click()
    await platform.getByLabel('Access token').fill('saved-in-vain')
    await platform.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved, but an environment variable overrides it').waitFor()
    await page.getByRole('link', { name: 'Agents', exact: true }).click()
    await page.getByRole('row', { name: /Demo/ }).waitFor()
  })

  it('is accessible and fits every window, light and dark', async () => {
    const page = await world.openPage('agents', '/settings')
    await card(page, 'OpenAI').waitFor()
    await card(page, 'OpenAI').getByLabel('OpenAI API key').fill('x')
    await expectFineInEveryLook(page)
  })
})
