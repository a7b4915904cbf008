import { createHash, randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { describeInBrowser, screenshot } from './browser.ts'
import { expectAccessible } from './expect-accessible.ts'
import { chooseAction } from './test-pages.ts'

interface Waiting {
  readonly id: string
  readonly userCode: string
  readonly deviceId?: string
  readonly headers: Readonly<Record<string, string>>
}

describeInBrowser('pairing', {}, (world) => {
  const send = async (path: string, body: object, headers: Readonly<Record<string, string>> = {}) => {
    const response = await fetch(world.cloudUrl + path, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json', ...headers },
    })
    return (await response.json()) as { readonly enrollment: Waiting }
  }

  async function enroll(name: string, more: object = {}): Promise<Waiting> {
    const apiKey = `hw_${randomBytes(32).toString('base64url')}`
    const keyHash = createHash('sha256').update(apiKey).digest('hex')
    const asked = { keyHash, keyHint: apiKey.slice(-4), name, type: 'iot', platform: 'linux', ...more }
    const { enrollment } = await send('/api/devices/enrollments', asked)
    return { ...enrollment, headers: { authorization: `Bearer ${apiKey}` } }
  }

  it('shows a waiting device before it is approved, and turns green with its first heartbeat', async () => {
    const { userCode, headers } = await enroll('Garage Pi', { metadata: { folders: ['/srv/garage'] } })
    const page = await world.openPage('devices', `/pair?code=${userCode}`)
    const main = page.getByRole('main')
    await main.getByText('Is this your device?').waitFor()
    for (const fact of ['Garage Pi', 'linux', '/srv/garage', '127.0.0.1'])
      await main.getByText(fact).first().waitFor()
    await screenshot(page, 'pair-device')
    await expectAccessible(page)
    await main.getByRole('textbox', { name: 'Name' }).fill('Garage')
    await main.getByRole('combobox', { name: 'Type' }).fill('server')
    await page.keyboard.press('Tab')
    await main.getByRole('button', { name: 'Approve' }).click()
    await main.getByText('Waiting for the first heartbeat').waitFor()
    await send('/api/devices/heartbeat', { metadata: {} }, headers)
    await main.getByText('Garage is online').waitFor()
    const found = await fetch(`${world.cloudUrl}/api/devices?type=server`)
    expect(await found.text()).toContain('Garage')
  })

  it('takes a code by hand, says when no device waits under it, and denies', async () => {
    const { id, userCode, headers } = await enroll('Stranger')
    const page = await world.openPage('devices', '/pair')
    const code = page.getByRole('textbox', { name: 'Code' })
    await code.fill('AAAA-AAAA')
    await code.press('Enter')
    await page.getByText('No device is waiting with this code').waitFor()
    await code.fill(userCode.toLowerCase().replace('-', ''))
    await code.press('Enter')
    await page.getByRole('button', { name: 'Deny' }).click()
    await page.getByText('Device denied').waitFor()
    const read = await fetch(`${world.cloudUrl}/api/devices/enrollments/${id}`, { headers })
    expect(await read.json()).toEqual({ enrollment: { id, status: 'denied' } })
  })

  it('leads from the list to the command, the code and the new device', async () => {
    const page = await world.openPage('devices', '/devices')
    await page.getByRole('link', { name: 'Add device' }).click()
    const command = await page.getByRole('group', { name: 'command' }).innerText()
    expect(command).toContain(`curl -fsSL ${world.cloudUrl}/install.sh | sh -s -- --root `)
    await page.getByRole('img', { name: /QR code/ }).waitFor()
    await page.getByText('Waiting for a device').waitFor()
    await screenshot(page, 'add-device')
    await expectAccessible(page)
    const { id, headers } = await enroll('Cellar')
    const approved = await send(`/api/devices/enrollments/${id}/approve`, {})
    await page.getByText('Waiting for the first heartbeat').waitFor({ timeout: 15_000 })
    await send('/api/devices/heartbeat', { metadata: { agentVersion: '0.0.9' } }, headers)
    await page.getByText('Cellar is online').waitFor({ timeout: 15_000 })
    await page.getByRole('button', { name: 'Search it' }).click()
    await page.getByText('Cellar').first().waitFor()
    const device = await world.openPage('devices', `/devices/${approved.enrollment.deviceId}`)
    await device.getByText('old version').waitFor()
  })

  it('creates a token whose secret is shown once, and revokes it', async () => {
    const page = await world.openPage('devices', '/tokens')
    await page.getByText('No enrollment tokens yet').waitFor()
    await page.getByRole('button', { name: 'Create token' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox', { name: /^Label(?!s)/ }).fill('Shop floor')
    await dialog.getByRole('button', { name: 'Create' }).click()
    const secret = await dialog.getByRole('group', { name: 'secret' }).innerText()
    expect(secret).toMatch(/^hwe_[\w-]{43}$/)
    await dialog.getByRole('button', { name: 'Copy secret' }).click()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(secret)
    await dialog.getByRole('button', { name: 'Done' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(await page.content()).not.toContain(secret)
    const admitted = await enroll('Till', { token: secret })
    expect(admitted).toMatchObject({ status: 'approved' })
    await page.reload()
    await page.getByText('1 of 10').waitFor()
    await screenshot(page, 'enrollment-tokens')
    await expectAccessible(page)
    await chooseAction(page, 'Revoke token', 'Actions of')
    await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke token' }).click()
    await page.getByText('No enrollment tokens yet').waitFor()
  })
})
