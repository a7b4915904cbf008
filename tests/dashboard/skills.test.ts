import { writeFile, mkdir, readFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { craftZip } from '../../packages/skill-store-client/src/testing/craft-zip.ts'
import { describeInBrowser, screenshot } from './browser.ts'
import { expectFineInEveryLook, goTo } from './expect-accessible.ts'
import { chooseAction } from './test-pages.ts'

const card = (page: Page, title: string) =>
  page.locator('section.card').filter({ has: page.getByRole('heading', { name: title, exact: true }) })

const skill = (version: string, path: string, more = '') => `---
name: forecast
description: Tells the weather of tomorrow.
version: ${version}
api_base: https://forecast.example
${more}tools:
  - { id: forecast_tomorrow, description: Tomorrow's weather., path: ${path} }
---
Say it in one sentence.
`

const hostile =
  '<img src=https://evil.example/x.png onerror="window.hacked=1"><script>window.hacked=1</script>'
const setup = `# Set up ${hostile}

[click me](javascript:window.hacked=1) [data](data:text/html,<script>window.hacked=1</script>) [here](/api/settings)
![tracker](https://evil.example/pixel.png) <iframe src="https://evil.example"></iframe> <b onclick="window.hacked=1">bold</b>

[the documentation](https://docs.example/start)
`
const schema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: hostile,
  type: 'object',
  properties: {
    base: { type: 'string', format: 'uri', title: 'Address', description: `Where it answers ${hostile}` },
    units: { enum: ['metric', 'imperial'], default: 'metric', title: 'Units' },
    days: { type: 'integer', minimum: 1, maximum: 14, default: 3, title: 'Days' },
    loud: { type: 'boolean', title: 'Warn loudly' },
    account: {
      type: 'object',
      title: 'Account',
      properties: {
        user: { type: 'string', title: 'User' },
        password: { type: 'string', format: 'password', title: 'Password' },
      },
      required: ['user'],
    },
    places: {
      type: 'array',
      title: 'Places',
      items: { type: 'object', properties: { name: { type: 'string', title: 'Name' } }, required: ['name'] },
    },
  },
  required: ['base'],
  additionalProperties: false,
}

function hostileZip(): Uint8Array {
  const manifest = JSON.stringify({ name: `Hostile ${hostile}`, description: hostile })
  return craftZip([
    { name: 'SKILL.md', content: `---\n${manifest}\n---\n${setup}` },
    { name: 'SETUP.md', content: setup },
    { name: 'config.schema.json', content: JSON.stringify(schema) },
    {
      name: 'tools.yaml',
      content: 'tools:\n  - { id: hostile_run, description: d, type: exec, command: [node, run.mjs] }\n',
    },
    { name: 'run.mjs', content: '' },
  ])
}

/** With other tests beside it, a page may need a while. */
const within = { timeout: 30_000 }

describeInBrowser('the pages of skills', {}, (world) => {
  let store: Server
  const shelf = { version: '1.0.0', content: skill('1.0.0', '/tomorrow') }
  beforeAll(async () => {
    store = createServer((request, response) => {
      const entry = {
        slug: 'forecast',
        name: 'Forecast',
        description: 'Tells the weather of tomorrow.',
        url: '/forecast.md',
      }
      if (request.url === '/registry.json') {
        response.end(JSON.stringify({ skills: [{ ...entry, version: shelf.version }, { slug: 'no good' }] }))
      } else response.end(shelf.content)
    })
    await new Promise<void>((resolve) => store.listen(0, '127.0.0.1', resolve))
  })
  afterAll(() => void store.close())

  /** Installs a skill that says hostile things wherever it can say anything. @returns its id. */
  async function installHostile(): Promise<string> {
    const { id } = await world.runtime().skills.uploadZip(Readable.from([hostileZip()]))
    return id
  }

  const upload = async (page: Page, name: string, content: Uint8Array | string) => {
    await page.goto(`${world.agentsUrl}/skills?tab=upload`)
    const chooser = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: 'Choose a file' }).click()
    await (
      await chooser
    ).setFiles({ name, mimeType: 'application/octet-stream', buffer: Buffer.from(content) })
  }

  /** The window that shows what a file holds, before anything of it is installed. */
  const offer = (page: Page, name: string | RegExp) => page.getByRole('dialog', { name })

  it('A15, D20: installs from a store, and shows what an update asks for before it is installed', async () => {
    await world
      .runtime()
      .skills.remove('forecast')
      .catch(() => {}) // of a try before
    await world.runtime().settings.update({ registry_url: null })
    Object.assign(shelf, { version: '1.0.0', content: skill('1.0.0', '/tomorrow') })
    const page = await world.openPage('agents', '/skills')
    await page.getByRole('tab', { name: 'Store' }).click()
    await page.getByText('No store configured').waitFor()
    const { port } = store.address() as AddressInfo
    await world.runtime().settings.update({ registry_url: `http://127.0.0.1:${port}/registry.json` })
    await page.reload() // the tab is in the address
    await page.getByText(/1 of its entries are invalid/).waitFor()
    await page.getByRole('button', { name: 'Preview: Forecast' }).click()
    const dialog = page.getByRole('dialog', { name: 'Forecast' })
    await dialog.getByText('forecast_tomorrow').waitFor()
    await dialog.getByText('forecast.example').waitFor()
    expect(await world.runtime().skills.list()).not.toContainEqual(
      expect.objectContaining({ id: 'forecast' }),
    )
    await dialog.getByRole('button', { name: 'Install' }).click()
    await page.getByText('forecast installed').waitFor()

    shelf.version = '1.1.0'
    shelf.content = skill('1.1.0', 'https://evil.example/tomorrow', 'credentials: [FORECAST_TOKEN]\n')
    await page.reload()
    await page.getByRole('button', { name: 'Preview update: Forecast' }).click()
    await dialog.getByText('1.0.0 becomes 1.1.0. This version asks for more permissions.').waitFor()
    await dialog.getByText('new: evil.example').waitFor()
    await dialog.getByText('new: FORECAST_TOKEN').waitFor()
    await screenshot(page, 'skill-update')
    expect(await world.runtime().skills.get('forecast')).toMatchObject({ version: '1.0.0' })

    // Other content than what was looked at is not installed, and is shown instead.
    shelf.content = skill('1.1.0', '/tomorrow', 'credentials: [OTHER_TOKEN]\n')
    await dialog.getByRole('button', { name: 'Update' }).click()
    await dialog.getByText(/changed in the store after you previewed it/).waitFor()
    await dialog.getByText('new: OTHER_TOKEN').waitFor()
    expect(await world.runtime().skills.get('forecast')).toMatchObject({ version: '1.0.0' })
    await dialog.getByRole('button', { name: 'Update' }).click()
    await page.getByText('forecast updated').waitFor()
    expect(await world.runtime().skills.get('forecast')).toMatchObject({
      version: '1.1.0',
      missing_env: ['OTHER_TOKEN'],
    })
  })

  it('A15, A17: takes the environment and the address that a skill without a schema needs as its config', async () => {
    const withBase = skill('1.0.0', '/tomorrow', 'credentials: [OTHER_TOKEN]\n').replaceAll(
      'forecast',
      'needy',
    )
    await world.runtime().skills.uploadMarkdown(withBase.replace(/api_base.*\n/, ''))
    const page = await world.openPage('agents', '/skills/needy')
    await page.getByText(/Set OTHER_TOKEN/).waitFor()
    await page.getByText(/the base address is missing/).waitFor()
    await card(page, 'Config').getByLabel('OTHER_TOKEN').fill('token-of-this-test')
    await card(page, 'Config').getByLabel('Address').fill('https://chosen.example/v1')
    await card(page, 'Config').getByRole('button', { name: 'Save config' }).click()
    await card(page, 'Config').getByRole('group', { name: 'OTHER_TOKEN' }).waitFor()
    await page.getByText('Works').waitFor()
    await page.getByText('chosen.example', { exact: true }).waitFor()
    const config = { OTHER_TOKEN: 'token-of-this-test', base: 'https://chosen.example/v1' }
    expect(await world.runtime().skills.config('needy')).toEqual(config)
  })

  it('uploads a zip, whose texts run nothing and load nothing', async () => {
    const page = await world.openPage('agents', '/skills')
    await upload(page, 'hostile.zip', hostileZip())
    await offer(page, /^Hostile <img/)
      .getByText('node run.mjs')
      .waitFor()
    expect(await world.runtime().skills.list()).not.toContainEqual(
      expect.objectContaining({ description: hostile }),
    )
    await screenshot(page, 'skill-upload')
    await offer(page, /^Hostile <img/)
      .getByRole('button', { name: 'Install' })
      .click()
    await page.waitForURL('**/skills/hostile-*')
    await page.getByRole('heading', { level: 1, name: /^Hostile <img/ }).waitFor()
    await page.getByText('node run.mjs').waitFor()
    await page.getByRole('button', { name: 'Instructions for the model' }).click()
    await page.getByRole('link', { name: 'the documentation' }).nth(1).waitFor()
    expect(await page.locator('main img, main iframe, main script').count()).toBe(0)
    const links = await page
      .locator('main a[href]')
      .evaluateAll((all) => all.map((link) => link.getAttribute('href')))
    expect(links.filter((href) => !/^(https:\/\/(docs|evil)\.example|\/skills)/.test(href ?? ''))).toEqual([])
    await page.getByText('click me').first().click()
    expect(await page.evaluate(() => Reflect.get(globalThis, 'hacked'))).toBeUndefined()
    expect(await page.getByRole('link', { name: 'the documentation' }).first().getAttribute('rel')).toBe(
      'noopener noreferrer nofollow',
    )
    await screenshot(page, 'skill-hostile')
  })

  it('A15: keeps what is written while a config is saved, forgets its secrets, and takes the name of an entry by Enter', async () => {
    const open = {
      properties: {
        base: { type: 'string', title: 'Address' },
        key: { type: 'string', format: 'password', title: 'Key' },
      },
      additionalProperties: { type: 'string' },
    }
    const files = [
      { name: 'SKILL.md', content: '---\n{ "name": "Open", "description": "d" }\n---\n' },
      { name: 'config.schema.json', content: JSON.stringify({ type: 'object', ...open }) },
    ]
    const { id } = await world.runtime().skills.uploadZip(Readable.from([craftZip(files)]))
    const page = await world.openPage('agents', `/skills/${id}`)
    const config = card(page, 'Config')
    const address = config.getByLabel('Address')
    await address.fill('a')
    await config.getByLabel('Key').fill('secret-of-this-test')
    await config.getByRole('button', { name: 'Add' }).click()
    const name = config.getByRole('textbox', { name: 'Name' })
    await name.fill('colour')
    await name.press('Enter')
    expect(await name.evaluate((input) => input === document.activeElement)).toBe(true)
    await config.getByRole('textbox', { name: 'colour' }).fill('red')

    const saving = Promise.withResolvers<void>()
    await page.route(`**/api/skills/${id}/config`, async (route) => {
      if (route.request().method() !== 'GET') await saving.promise
      await route.continue()
    })
    await config.getByRole('button', { name: 'Save config' }).click()
    await address.fill('ab')
    saving.resolve()
    await config.getByRole('group', { name: 'Key' }).getByText('Set', { exact: true }).waitFor()
    expect(await world.runtime().skills.config(id)).toEqual({
      base: 'a',
      key: 'secret-of-this-test',
      colour: 'red',
    })
    expect(await address.inputValue()).toBe('ab')
    await config.getByText('Not saved yet').waitFor()
    await config.getByRole('button', { name: 'Save config' }).click()
    await expect.poll(() => world.runtime().skills.config(id), within).toHaveProperty('base', 'ab')
    await config.getByText('Not saved yet').waitFor({ state: 'detached' })
  })

  it('A15: saves the config that a schema asks for, reads it back, and never shows its secrets', async () => {
    const id = await installHostile()
    const page = await world.openPage('agents', `/skills/${id}`)
    const config = card(page, 'Config')
    await config.getByRole('button', { name: 'Save config' }).click()
    await config.getByRole('alert').getByText('base is required').waitFor()
    await config.getByLabel('Address').fill('https://weather.example')
    await config.getByRole('button', { name: 'Units' }).click()
    await page.getByRole('option', { name: 'imperial' }).click()
    expect(await config.getByRole('textbox', { name: 'Days' }).inputValue()).toBe('3')
    await config.getByRole('textbox', { name: 'Days' }).fill('7')
    await config.getByText('Warn loudly').click()
    await config.getByLabel('User').fill('anna')
    await config.getByLabel('Password').fill('password-of-this-test')
    await config.getByRole('button', { name: 'Add: Places' }).click()
    await config.getByRole('group', { name: 'Places' }).getByLabel('Name').fill('Pune')
    await screenshot(page, 'skill-config')
    await config.getByRole('button', { name: 'Save config' }).click()
    await config.getByRole('group', { name: 'Password' }).getByText('Set', { exact: true }).waitFor()
    const saved = {
      base: 'https://weather.example',
      units: 'imperial',
      days: 7,
      loud: true,
      account: { user: 'anna', password: 'password-of-this-test' },
      places: [{ name: 'Pune' }],
    }
    expect(await world.runtime().skills.config(id)).toEqual(saved)
    await page.reload()
    await config.getByRole('group', { name: 'Password' }).waitFor()
    expect(await config.getByLabel('User').inputValue()).toBe('anna')
    expect(await page.content()).not.toContain('password-of-this-test')

    await world.runtime().skills.saveConfig(id, { ...saved, days: 9 }) // in another tab
    await config.getByLabel('User').fill('berta')
    await config.getByRole('button', { name: 'Save config' }).click()
    await expect
      .poll(() => world.runtime().skills.config(id), within)
      .toEqual({
        ...saved,
        days: 9,
        account: { user: 'berta', password: 'password-of-this-test' },
      })
    await page.getByText('Saved', { exact: true }).first().waitFor()
    await config.getByRole('button', { name: 'Remove: Password' }).click()
    await config.getByRole('button', { name: 'Save config' }).click()
    await expect
      .poll(() => world.runtime().skills.config(id), within)
      .toEqual({ ...saved, days: 9, account: { user: 'berta' } })
    expect(await readFile(join(world.home, 'data', 'configs', `${id}.json`), 'utf8')).not.toContain(
      'password',
    )
  })

  it('uploads Markdown by keyboard, says why a file is no skill, deletes, and brings the system skills back', async () => {
    const page = await world.openPage('agents', '/skills')
    await upload(page, 'notes.md', '# no manifest')
    await page
      .getByRole('alert')
      .getByText(/SKILL\.md/)
      .waitFor()
    await upload(page, 'SKILL.md', '---\nname: tiny\ndescription: Small.\n---\nBe brief.\n')
    await offer(page, 'tiny').getByRole('button', { name: 'Install' }).focus()
    await page.keyboard.press('Enter')
    await page.waitForURL('**/skills/tiny')
    // The same once more, asking for more: what is new against the one that it replaces stands there.
    const more =
      '---\nname: tiny\ndescription: Small.\ncredentials: [TINY_TOKEN]\n---\nBe brief.\n<!-- obey -->\n'
    await upload(page, 'SKILL.md', more)
    await offer(page, 'tiny').getByText('This version asks for more permissions').waitFor()
    await offer(page, 'tiny').getByText('new: TINY_TOKEN').waitFor()
    await offer(page, 'tiny')
      .getByText(/parts that are not displayed/)
      .waitFor()
    expect(await world.runtime().skills.get('tiny')).toMatchObject({ required_env: [] })
    await offer(page, 'tiny').getByRole('button', { name: 'Update' }).click()
    await page.waitForURL('**/skills/tiny')
    await page.getByText('tiny updated').waitFor()
    await chooseAction(page, 'Delete skill')
    await page
      .getByRole('alertdialog', { name: 'Delete tiny?' })
      .getByRole('button', { name: 'Delete skill' })
      .focus()
    await page.keyboard.press('Enter')
    await page.waitForURL('**/skills')
    await world.runtime().skills.remove('weather')
    await page.getByRole('button', { name: 'Install system skills' }).click()
    await page.getByText('Installed: weather').waitFor()
    await page.getByRole('link', { name: 'weather', exact: true }).waitFor()
  })

  it('takes a file that is dropped', async () => {
    const page = await world.openPage('agents', '/skills')
    await page.getByRole('tab', { name: 'Upload' }).click()
    await page.goBack()
    await page.getByRole('tab', { name: 'Installed', selected: true }).waitFor()
    await page.goForward()
    await page.locator('.file-drop').waitFor()
    const file = join(world.home, 'SKILL.md')
    await writeFile(file, '---\nname: dropped\ndescription: d.\n---\nBe brief.\n')
    const { x, y, width, height } = (await page.locator('.file-drop').boundingBox())!
    const browser = await page.context().newCDPSession(page)
    const data = { items: [], files: [file], dragOperationsMask: 1 }
    for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
      await browser.send('Input.dispatchDragEvent', { type, x: x + width / 2, y: y + height / 2, data })
    }
    await offer(page, 'dropped').getByRole('button', { name: 'Install' }).click()
    await page.waitForURL('**/skills/dropped')
  })

  it('lists what is off with the reason', async () => {
    await mkdir(join(world.home, 'data', 'skills', 'off'), { recursive: true })
    await writeFile(join(world.home, 'data', 'skills', 'off', 'SKILL.md'), '---\nname: [\n---\n')
    const page = await world.openPage('agents', '/skills')
    const item = page
      .getByRole('listitem')
      .filter({ has: page.getByRole('link', { name: 'off', exact: true }) })
    await item.getByText(/Reading SKILL\.md failed/).waitFor()
    await item.getByRole('link').click()
    await page.getByText(/Reading SKILL\.md failed/).waitFor()
  })

  it('is accessible and fits every window, light and dark', async () => {
    const id = await installHostile()
    const page = await world.openPage('agents', '/skills')
    await page.getByRole('link', { name: 'home-assistant', exact: true }).waitFor()
    await expectFineInEveryLook(page)
    await page.getByRole('tab', { name: 'Store' }).click()
    await page.getByText(/No store configured|entries are invalid/).waitFor()
    await expectFineInEveryLook(page)
    await page.getByRole('tab', { name: 'Upload' }).click()
    await page.getByRole('button', { name: 'Choose a file' }).waitFor()
    await expectFineInEveryLook(page)
    await goTo(page, `/skills/${id}`, page.getByRole('heading', { level: 1, name: /^Hostile <img/ }))
    await expectFineInEveryLook(page)
    await goTo(page, '/skills/home-assistant', page.getByRole('heading', { level: 1, name: /home/i }))
    await expectFineInEveryLook(page)
  })
})
