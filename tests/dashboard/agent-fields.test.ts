import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { describeInBrowser, screenshot } from './browser.ts'
import { expectFineInEveryLook } from './expect-accessible.ts'

/** Buttons within a field have its name, too. */
const field = (page: Page, label: string) =>
  page.getByLabel(label, { exact: true }).and(page.locator('input, textarea'))

/** A rule of the form, from 1 on. */
const rule = (page: Page, number: number) => page.getByRole('group', { name: `Rule ${number}`, exact: true })

async function choose(page: Page, label: RegExp, option: string): Promise<void> {
  await page.getByRole('button', { name: label }).click()
  await page.getByRole('option', { name: option, exact: true }).click()
}

async function save(page: Page): Promise<void> {
  const saved = page.waitForResponse((response) => response.request().method() === 'PUT')
  await page.getByRole('button', { name: 'Save' }).click()
  expect((await saved).status()).toBe(200)
}

const schema = { type: 'object', properties: { city: { type: 'string' } } }
const stop = ['END', '\n\n']
const within = { timeout: 30_000 }

describeInBrowser('the settings of an agent that most agents do without', {}, (world) => {
  it('sets, keeps and clears the model settings and the output schema', async () => {
    const { agents } = world.runtime()
    await agents.create({ id: 'fields', model: 'test/echo' })
    const page = await world.openPage('agents', '/agents/fields')
    await page.getByRole('button', { name: 'Show all settings' }).click()
    await page.getByRole('button', { name: 'Model settings' }).click()
    await field(page, 'Randomness (temperature)').fill('0.25')
    await field(page, 'Share of likely words (top_p)').fill('0.123456')
    await field(page, 'Seed').fill('12345')
    await field(page, 'Stop texts').fill('END\n\\n\\n')
    await choose(page, /Reasoning effort/, 'High')
    await field(page, 'Provider options (JSON)').fill('{"openai": {"serviceTier": "flex"}}')
    await page.getByRole('button', { name: 'Structured output' }).click()
    await field(page, 'Output schema (JSON Schema)').fill(JSON.stringify(schema))
    await expectFineInEveryLook(page)
    await screenshot(page, 'agent-model-settings')
    await save(page)
    const model_settings = {
      temperature: 0.25,
      top_p: 0.123456,
      seed: 12345,
      stop,
      reasoning: 'high',
      provider_options: { openai: { serviceTier: 'flex' } },
    }
    expect(await agents.get('fields')).toMatchObject({ model_settings, output_schema: schema })

    await page.reload()
    await page.getByRole('button', { name: 'Show all settings' }).click()
    await field(page, 'Stop texts').waitFor()
    expect(await field(page, 'Stop texts').inputValue()).toBe('END\n\\n\\n')
    expect(await field(page, 'Share of likely words (top_p)').inputValue()).toBe('0.123456')
    await field(page, 'Seed').fill('')
    await field(page, 'Number of likely words (top_k)').fill('40')
    await save(page)
    const { seed: _seed, ...others } = model_settings
    expect((await agents.get('fields')).model_settings).toEqual({ ...others, top_k: 40 })

    for (const label of ['Randomness (temperature)', 'Share of likely words (top_p)'])
      await field(page, label).fill('')
    for (const label of ['Number of likely words (top_k)', 'Stop texts', 'Provider options (JSON)'])
      await field(page, label).fill('')
    await choose(page, /Reasoning effort/, "The model's default")
    await field(page, 'Output schema (JSON Schema)').fill('')
    await save(page)
    const cleared = await agents.get('fields')
    expect(cleared).not.toHaveProperty('model_settings')
    expect(cleared).not.toHaveProperty('output_schema')
    await agents.delete('fields')
  })

  it('does not send text that is not JSON, and shows what the server rejects at its field', async () => {
    const { agents } = world.runtime()
    await agents.create({ id: 'wrong', model: 'test/echo', output_schema: schema })
    const page = await world.openPage('agents', '/agents/wrong')
    await page.getByRole('button', { name: 'Show all settings' }).click()
    const schemaField = field(page, 'Output schema (JSON Schema)')
    await schemaField.fill('{"type": ')
    await page.getByText('The text is not valid JSON.').waitFor()
    await page.getByRole('button', { name: 'Save' }).click()
    await expect
      .poll(() => schemaField.evaluate((each) => each === document.activeElement), within)
      .toBe(true)
    await schemaField.fill('[]')
    await page.getByText('The text is not a JSON object.').waitFor()
    expect(await agents.get('wrong')).toMatchObject({ output_schema: schema })
    await schemaField.fill('{"type": "object"}')
    await page.getByRole('button', { name: 'Model settings' }).click()
    await field(page, 'Provider options (JSON)').fill('{"openai": {"apiKey": "x"}}')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText(/^Must be omitted: headers, keys/).waitFor()
    await field(page, 'Provider options (JSON)').fill('')
    await save(page)
    expect((await agents.get('wrong')).output_schema).toEqual({ type: 'object' })
    await agents.delete('wrong')
  })

  it('adds, orders and removes approval rules', async () => {
    const { agents } = world.runtime()
    const first = { tool: 'home_switch', decision: 'ask' } as const
    await agents.create({ id: 'ruled', model: 'test/echo', approvals: [first] })
    const page = await world.openPage('agents', '/agents/ruled')
    await page.getByRole('button', { name: 'Show all settings' }).click()
    await page.getByRole('button', { name: 'Add rule' }).click()
    const second = rule(page, 2)
    await second.getByLabel('Condition (JSON Schema of the arguments)').fill('{"required": ["on"]}')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Name the tool of this rule').waitFor()
    const tool = (number: number) => rule(page, number).getByRole('combobox', { name: 'Tool' })
    await tool(2).fill('home_switch')
    await page.keyboard.press('Escape')
    await second.getByRole('button', { name: /Decision/ }).click()
    await page.getByRole('option', { name: 'Allow', exact: true }).click()
    await page.getByRole('button', { name: 'Move rule 2 up' }).click()
    await expectFineInEveryLook(page)
    await save(page)
    const allow = { tool: 'home_switch', when: { required: ['on'] }, decision: 'allow' }
    expect((await agents.get('ruled')).approvals).toEqual([allow, first])

    await page.reload()
    await page.getByRole('button', { name: 'Show all settings' }).click()
    await rule(page, 2).waitFor()
    await page.getByRole('button', { name: 'Remove rule 1' }).click()
    await save(page)
    expect((await agents.get('ruled')).approvals).toEqual([first])
    await page.getByRole('button', { name: 'Remove rule 1' }).click()
    await save(page)
    expect(await agents.get('ruled')).not.toHaveProperty('approvals')
    await agents.delete('ruled')
  })
})
