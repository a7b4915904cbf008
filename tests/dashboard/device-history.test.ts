import { createMemoryStore } from '@homeward/cloud-core/memory'
import { expect, it } from 'vitest'
import { describeInBrowser, screenshot } from './browser.ts'
import { expectAccessible } from './expect-accessible.ts'

const cloudStore = createMemoryStore()
const hourMs = 60 * 60 * 1000
const startMs = Date.now()
const hoursAgo = (hours: number) => new Date(startMs - hours * hourMs).toISOString()

describeInBrowser('the page of a device', { cloudStore }, (world) => {
  const local = { userId: 'local' }
  const registration = { name: 'NAS', type: 'server', platform: 'linux' }
  const register = async (metadata = {}) =>
    (await world.cloud().registerDevice(local, { ...registration, metadata })).device.id

  /** A heartbeat; with `hours` of silence before it, a gap. */
  const beat = (deviceId: string, ago: number, silentSince?: number) => {
    const returned = silentSince !== undefined && { at: hoursAgo(ago), silentBefore: hoursAgo(ago + 0.05) }
    const touch = { deviceId, lastSeenAt: hoursAgo(ago), ...(returned && { returned }) }
    return cloudStore.writeHeartbeats([touch], new Date().toISOString())
  }

  it('shows when the device was silent within the last seven days, as a strip and in words', async () => {
    const id = await register()
    await beat(id, 84)
    await beat(id, 60, 84)
    await beat(id, 2)
    const page = await world.openPage('devices', `/devices/${id}`)
    const strip = page.getByRole('img', { name: /Online \d+(\.\d)?% of the time since .*, 2 gaps/ })
    await strip.waitFor()
    // 24 h and 2 h of the 84 h that are known
    expect(await strip.getAttribute('aria-label')).toMatch(/Online 69% /)
    await page.getByRole('button', { name: '2 gaps without a heartbeat' }).press('Enter')
    const gaps = page.getByRole('listitem').filter({ hasText: / until now| to / })
    await gaps.nth(1).waitFor()
    expect(await gaps.allTextContents()).toEqual([
      expect.stringMatching(/ until now$/),
      expect.stringMatching(/ to .* · 24 h 0 min$/),
    ])
    await screenshot(page, 'device-history')
    await expectAccessible(page)
    for (const [width, colorScheme] of [
      [320, 'light'],
      [390, 'dark'],
    ] as const) {
      await page.setViewportSize({ width, height: 800 })
      await page.emulateMedia({ colorScheme })
      const isCut = await page.evaluate(
        () => document.documentElement.scrollWidth > document.documentElement.clientWidth,
      )
      expect(isCut).toBe(false)
      await screenshot(page, `device-history-${width}`)
    }
    await expectAccessible(page)
  })

  it('says so where the device was never seen, was not searched and announces no folders', async () => {
    const page = await world.openPage('devices', `/devices/${await register()}`)
    await page.getByText('No heartbeat yet. Times online appear here').waitFor()
    await page.getByText('No searches yet. Agents and people').waitFor()
    await page.getByText('not announced').waitFor()
  })

  it('lists the folders that the device opens, and who searched it, with links', async () => {
    const id = await register({ folders: ['/srv/photos', '/srv/music', 7] })
    const other = await register()
    const scope = ['files' as const]
    const group = { query: 'tax', scope, deviceIds: [id, other] }
    const { groupId } = await world.cloud().createSearches({ ...local, actor: 'ann@example.com' }, group)
    const asked = await fetch(new URL('/api/devices/search/query', world.cloudUrl), {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-homeward-agent': 'demo' },
      body: JSON.stringify({ query: 'invoice', scope, deviceIds: [id] }),
    })
    expect(asked.status).toBe(201)
    const page = await world.openPage('devices', `/devices/${id}`)
    await page.getByText('/srv/photos').waitFor()
    await page.getByText('/srv/music').waitFor()
    const rows = page
      .getByRole('main')
      .getByRole('listitem')
      .filter({ hasText: /device/ })
    await rows.nth(1).waitFor()
    expect(await rows.allTextContents()).toEqual([
      expect.stringMatching(/^invoice.*by Agent demo, on this device only/),
      expect.stringMatching(/^tax.*by ann@example\.com, on 2 devices/),
    ])
    expect(await rows.nth(0).getByRole('link', { name: 'demo' }).getAttribute('href')).toContain(
      '/agents/demo',
    )
    await screenshot(page, 'device-searched-by')
    await rows.nth(1).getByRole('link', { name: 'tax' }).click()
    await page.waitForURL(`**/searches/groups/${groupId}`)
    await page.getByRole('heading', { level: 1, name: /tax/ }).waitFor()
  })
})
