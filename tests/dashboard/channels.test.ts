import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeInBrowser, screenshot } from './browser.ts'
import { expectFineInEveryLook, goTo } from './expect-accessible.ts'
import { type StandInBridge, startStandInBridge } from './stand-in-bridge.ts'

const card = (page: Page, title: string) =>
  page.locator('section.card').filter({ has: page.getByRole('heading', { name: title, exact: true }) })

describeInBrowser('the pages of channels', {}, (world) => {
  let bridge: StandInBridge // there once the tests run
  beforeAll(async () => {
    bridge = await startStandInBridge()
  })
  afterAll(() => bridge?.[Symbol.asyncDispose]())

  async function post(id: string, text: string, more: object = {}): Promise<void> {
    const body = JSON.stringify({ id, sender: 'anna', text, ...more })
    const url = `${world.agentsUrl}/api/channels/channel_d/webhook`
    expect((await fetch(url, { method: 'POST', body })).status).toBe(200)
  }

  it('A1: leads from a channel that is not set up to one that works', async () => {
    await world.runtime().settings.update({ channel_d_bridge_url: null, channel_d_default_agent_id: null })
    const page = await world.openPage('agents', '/channels')
    for (const name of ['Telegram', 'Slack', 'Discord', 'Signal, WhatsApp and others', 'Viber']) {
      await card(page, name).getByText('Not set up').waitFor()
    }
    await screenshot(page, 'channels')
    await page.getByRole('link', { name: 'Set up Signal, WhatsApp and others' }).click()
    await card(page, 'State')
      .getByText(/Set "Address of the bridge"/)
      .waitFor()
    await card(page, 'Settings').getByLabel('Address of the bridge').fill(bridge.url)
    await card(page, 'Settings').getByRole('button', { name: 'Agent that answers' }).click()
    await page.getByRole('option', { name: 'Demo (demo)' }).click()
    await card(page, 'Settings').getByRole('button', { name: 'Save' }).click()
    await card(page, 'State').getByText('Works').waitFor()
    await card(page, 'State').getByRole('link', { name: 'demo' }).waitFor()

    await card(page, 'State').getByRole('button', { name: 'Check connection' }).click()
    await card(page, 'State')
      .getByText(/^Answer of the platform/)
      .waitFor()
    await page.goto(`${world.agentsUrl}/channels`)
    await card(page, 'Signal, WhatsApp and others').getByText('Works').waitFor()
  })

  it('A1: has one page for a channel, whichever of its names the address has', async () => {
    const page = await world.openPage('agents', '/channels/telegram')
    await page.getByRole('heading', { name: 'Setup' }).waitFor()
    expect(page.url()).toMatch(/\/channels\/channel_a$/)
    expect(await page.title()).toBe('Telegram · Homeward')
  })

  it('says plainly that there is no channel of a name, and asks once', async () => {
    const page = await world.openPage('agents', '/channels')
    const missing: string[] = []
    page.on('response', (response) => {
      if (response.status() === 404) missing.push(new URL(response.url()).pathname)
    })
    await page.goto(`${world.agentsUrl}/channels/a`)
    await page.getByText('Channel not found').waitFor()
    expect(await page.getByText(/^Not found/).count()).toBe(0)
    expect(missing).toEqual(['/agent-platform/api/channels/a/status'])
    await page.getByRole('link', { name: 'All channels' }).click()
    await card(page, 'Telegram').waitFor()
  })

  it('shows the guide of a channel, and offers a webhook where there is one', async () => {
    const page = await world.openPage('agents', '/channels/channel_a')
    await page.getByRole('button', { name: 'Full guide for Telegram' }).click()
    await page.getByText('From nothing to the first answer').waitFor()
    const address = page.getByText('Address for the platform')
    expect(await address.isVisible()).toBe(false)
    await page.getByRole('button', { name: 'Use a webhook instead of polling' }).click()
    await address.waitFor()
    const webhook = page.getByRole('main')
    await webhook.getByLabel('Public address of this server').fill('http://agents.example')
    await webhook.getByRole('button', { name: 'Set webhook' }).click()
    await webhook.getByText('Must be an https URL').waitFor()
    await webhook.getByLabel('Public address of this server').fill('https://agents.example')
    await webhook.getByRole('button', { name: 'Set webhook' }).click()
    await webhook
      .getByRole('alert')
      .getByText(/Set "Bot token"/)
      .waitFor()
    await page.goto(`${world.agentsUrl}/channels/channel_b`)
    await card(page, 'Settings').getByLabel('Signing secret').waitFor()
    expect(await card(page, 'Webhook').count()).toBe(0)
  })

  it('shows messages as they come, and has a person decide about an uncertain one', async () => {
    await world.runtime().agents.create({ id: 'echo', model: 'test/echo' })
    await world
      .runtime()
      .settings.update({ channel_d_bridge_url: bridge.url, channel_d_default_agent_id: 'echo' })
    await world.runtime().channels.setSender('channel_d', 'anna', { status: 'allowed' })
    const page = await world.openPage('agents', '/channels/channel_d')
    const item = (text: string) => page.getByRole('listitem').filter({ hasText: text })
    const hostile = '<img src=x onerror="window.hacked=1"> delivered'
    await post('m-1', hostile)
    await item(hostile).getByText('delivered', { exact: true }).waitFor()

    bridge.mode = 'breaks_off'
    await post('m-2', 'Did it arrive?')
    await item('Did it arrive?').getByText('uncertain', { exact: true }).waitFor()
    await screenshot(page, 'channel-uncertain')
    bridge.mode = 'sends'
    await item('Did it arrive?').getByRole('button', { name: 'Resend' }).click()
    await page
      .getByRole('alertdialog', { name: 'Send the answer again?' })
      .getByRole('button', { name: 'Resend' })
      .click()
    await item('Did it arrive?').getByText('delivered', { exact: true }).waitFor()
    expect(bridge.texts.filter((text) => text.includes('Did it arrive?'))).toHaveLength(2)

    bridge.mode = 'breaks_off'
    await post('m-3', 'Never mind')
    await item('Never mind').getByText('uncertain', { exact: true }).waitFor()
    await item('Never mind').getByRole('button', { name: 'Discard' }).click()
    await page
      .getByRole('alertdialog', { name: 'Discard this answer?' })
      .getByRole('button', { name: 'Discard' })
      .click()
    await item('Never mind').getByText('discarded', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Status' }).click()
    await page.getByRole('option', { name: 'Discarded' }).click()
    await item('Did it arrive?').waitFor({ state: 'detached' })
    await item('Never mind').waitFor()
    expect(await page.evaluate(() => Reflect.get(globalThis, 'hacked'))).toBeUndefined()
  })

  it('A1: lets a person in by the code, allows a group, and blocks both again', async () => {
    const { settings } = world.runtime()
    await settings.update({ channel_d_bridge_url: bridge.url, channel_d_default_agent_id: 'echo' })
    const page = await world.openPage('agents', '/channels/channel_d')
    const senders = card(page, 'People and groups')
    const section = (name: string) => senders.getByRole('region', { name })
    await post('s-1', 'Let me in', { sender: 'bert' })
    await post('s-2', 'And us', {
      sender: 'bert',
      conversation_id: 'family',
      is_group: true,
      mentioned: true,
    })
    const waiting = section('Waiting').getByRole('listitem')
    await waiting.filter({ hasText: 'family' }).getByText('Group', { exact: true }).waitFor()
    const code = await waiting.filter({ hasText: 'bert' }).locator('code').last().textContent()
    await screenshot(page, 'channel-senders')
    await expectFineInEveryLook(page)
    await goTo(page, '/', page.getByRole('heading', { name: 'bridge needs a decision' }))
    await page.getByRole('link', { name: 'Open the channel' }).click()
    await senders.getByLabel('Pairing code').fill('WRONGONE')
    await senders.getByRole('button', { name: 'Allow', exact: true }).first().click()
    await senders.getByText(/the code is wrong or has expired/).waitFor()
    await senders.getByLabel('Pairing code').fill(String(code))
    await senders.getByRole('button', { name: 'Allow', exact: true }).first().click()
    const bert = section('Allowed').getByRole('listitem').filter({ hasText: 'bert' })
    await bert.getByText('bridge:bert').waitFor()
    for (const [button, expected] of [
      ['Link', 'ann'],
      ['Own user', 'bridge:bert'],
    ] as const) {
      await bert.getByRole('button', { name: 'Change user' }).click()
      await bert.getByLabel('User of bert').fill('ann')
      await bert.getByRole('button', { name: button }).click()
      await bert.getByRole('button', { name: 'Change user' }).waitFor()
      await bert.getByText(expected, { exact: true }).waitFor()
    }
    const decide = async (what: 'Allow' | 'Block', who: string) => {
      await senders.getByRole('listitem').filter({ hasText: who }).getByRole('button', { name: what }).click()
      const dialog = page.getByRole('alertdialog', { name: `${what} ${who}?` })
      await dialog.getByRole('button', { name: what }).click()
    }
    await decide('Allow', 'family')
    await section('Allowed').getByRole('listitem').filter({ hasText: 'family' }).waitFor()
    for (const who of ['family', 'bert']) {
      await decide('Block', who)
      await section('Blocked').getByRole('listitem').filter({ hasText: who }).waitFor()
    }
    await card(page, 'Settings').getByRole('button', { name: 'More settings' }).click()
    const setting = card(page, 'Settings').getByRole('button', { name: /Private messages/ })
    await setting.click()
    await page.getByRole('option', { name: 'Everyone: strangers can use this agent' }).click()
    await card(page, 'Settings').getByRole('button', { name: 'Save' }).click()
    await card(page, 'State')
      .getByText(/Anyone can use this agent/)
      .waitFor()
    await settings.update({ channel_d_access: null })
  })

  it('is accessible and fits every window, light and dark', async () => {
    const page = await world.openPage('agents', '/channels')
    await card(page, 'Telegram').waitFor()
    await expectFineInEveryLook(page)
    for (const [path, name] of [
      ['/channels/channel_a', 'Telegram'],
      ['/channels/channel_d', 'Signal, WhatsApp and others'],
    ] as const) {
      const guide = page.getByRole('button', { name: `Full guide for ${name}` })
      await goTo(page, path, guide)
      await guide.click()
      await expectFineInEveryLook(page)
    }
  })
})
