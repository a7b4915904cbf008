import { mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createUserClient, createDeviceClient } from '@homeward/device-sdk'
import { expect, it } from 'vitest'
import { startAgentProcess } from '../../device/agent-process.ts'
import { describeInBrowser } from '../browser.ts'

const within = { timeout: 30_000 }
const modified = '2026-01-01T00:00:00Z'

describeInBrowser('what people tried with devices', {}, (world) => {
  const client = () => createUserClient({ baseUrl: world.cloudUrl })

  /** Adds a device that has sent one heartbeat, and answers searches when it is told to. */
  async function addDevice(name: string, labels: string[]) {
    const body = { name, type: 'iot', platform: 'linux', labels }
    const { device, apiKey } = await client().registerDevice({ body })
    const agent = createDeviceClient({ baseUrl: world.cloudUrl, apiKey })
    await agent.sendHeartbeat({ body: { metadata: {} } })
    return {
      id: device.id,
      async answer(names: readonly string[]) {
        const files = names.map((each) => ({ path: `/home/${each}`, name: each, size: 10, modified }))
        for (const { id } of (await agent.listPendingSearches()).requests)
          await agent.reportSearch({ queryId: id, results: { files } })
      },
    }
  }

  const addSilent = async (count: number, prefix: string, labels: string[]) => {
    for (let index = 0; index < count; index += 1) {
      const device = { name: `${prefix} ${index}`, type: 'iot', platform: 'linux', labels }
      await world.cloud().registerDevice({ userId: 'local' }, device)
    }
  }

  it('finding 12: a new search is on all devices, and can be begun on the first screen', async () => {
    for (const name of ['Attic', 'Bath', 'Cabin']) await addDevice(name, ['first'])
    const page = await world.openPage('devices')
    await page.getByPlaceholder('Search files on all 3 devices').waitFor()
    await page.getByRole('link', { name: 'More options' }).click()
    await page.getByRole('heading', { name: 'On all 3 devices' }).waitFor()
    await page.getByRole('textbox', { name: 'Search for' }).fill('invoice')
    await page.getByRole('button', { name: 'Search on 3 devices' }).click()
    await page.getByText('0 of 3 devices answered').waitFor()
  })

  it('finding 1: a device joins by one line and a code, turns green, and is searched', async () => {
    const shared = join(world.home, 'pi')
    await mkdir(shared, { recursive: true })
    await writeFile(join(shared, 'recipe.txt'), 'Two eggs')
    const page = await world.openPage('devices', '/add')
    const command = await page.getByRole('group', { name: 'command' }).innerText()
    expect(command.split('\n')).toHaveLength(1)
    expect(command).toContain(world.cloudUrl)
    await page.getByText(/CLOUD_HOST=0\.0\.0\.0/).waitFor()
    const device = startAgentProcess({
      cloudUrl: world.cloudUrl,
      name: 'Raspberry Pi kitchen',
      roots: [shared],
      stateFolder: await mkdtemp(join(world.home, 'pi-state-')),
      intervalMs: 200,
    })
    const [, code = ''] = /enter the code (\S+) at/.exec(await device.line('enter the code')) ?? []
    await page.getByRole('link', { name: 'Enter code' }).click()
    await page.getByRole('textbox', { name: 'Code' }).fill(code)
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.getByText('Raspberry Pi kitchen is online').waitFor()
    await page.getByRole('button', { name: 'Search it' }).click()
    await page.getByRole('textbox', { name: 'Search for' }).fill('recipe')
    await page.getByRole('button', { name: 'Search', exact: true }).click()
    await page
      .getByRole('row', { name: /recipe\.txt.*Raspberry Pi kitchen/ })
      .first()
      .waitFor()
  })

  it('finding 1: the page of a device does not offer a key that the server has not stored', async () => {
    const { id } = await addDevice('Porch', [])
    const page = await world.openPage('devices', `/devices/${id}`)
    await page.getByText('The server stores no keys.').waitFor()
    await page.getByRole('button', { name: 'New key' }).waitFor()
    expect(await page.getByRole('button', { name: 'Show key' }).count()).toBe(0)
  })

  it('finding 2: a search on many devices is one list with the devices that answered, and one row', async () => {
    const nas = await addDevice('NAS workshop', ['fleet'])
    const desk = await addDevice('Desk', ['fleet'])
    await addSilent(28, 'Asleep', ['fleet'])
    const before = (await client().listSearchGroups()).groups.length
    const page = await world.openPage('devices', '/searches/new?label=fleet&q=invoice')
    await page.getByRole('button', { name: 'Search on 30 devices' }).click()
    await page.getByText('0 of 30 devices answered').waitFor()
    await nas.answer(['invoice-2.pdf', 'invoice-10.pdf'])
    await desk.answer(['old-invoice.txt'])
    await page.getByText('2 of 30 devices answered').first().waitFor()
    const results = page.getByRole('grid', { name: 'Results' })
    await results.getByRole('row', { name: /old-invoice\.txt.*Desk/ }).waitFor()
    await results.getByRole('row', { name: /invoice-2\.pdf.*NAS workshop/ }).waitFor()
    // Finding 9: a press on a header sorts, numbers as numbers.
    await page.getByRole('button', { name: 'Name', exact: true }).click()
    const names = () => results.getByRole('rowheader').allInnerTexts()
    await expect.poll(names, within).toEqual(['invoice-2.pdf', 'invoice-10.pdf', 'old-invoice.txt'])
    expect(new URL(page.url()).searchParams.get('sort')).toBe('name')
    expect((await client().listSearchGroups()).groups).toHaveLength(before + 1)
    await page.getByRole('button', { name: 'Search again' }).click()
    await page.getByText('0 of 30 devices answered').waitFor()
  })

  it('finding 9: devices that are online come first, however late they are in the list, and orders have a name', async () => {
    const page = await world.openPage('devices')
    const rows = page.getByRole('grid', { name: 'Devices' }).getByRole('row')
    await rows.nth(1).getByText('online', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Status', exact: true }).first().click()
    await page.waitForURL('**/devices?sort=status')
    await rows.nth(1).getByText('online', { exact: true }).waitFor()
    expect(new URL(page.url()).searchParams.get('sort')).toBe('status')
    await page.reload()
    await rows.nth(1).getByText('online', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Name', exact: true }).click()
    await expect.poll(() => rows.nth(1).getByRole('rowheader').innerText(), within).toBe('Asleep 0')
    await page.getByRole('button', { name: 'Save view' }).click()
    await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).fill('By name')
    await page.getByRole('dialog').getByRole('button', { name: 'Save view' }).click()
    const views = page.getByRole('navigation', { name: 'Views' })
    await page.goto(`${world.cloudUrl}/devices?status=offline`)
    await views.getByRole('link', { name: 'By name' }).click()
    await page.waitForURL('**/devices?sort=name')
  })

  it('finding 13: a device is renamed and labeled, and the label finds it', async () => {
    const { id } = await addDevice('laptop', [])
    const page = await world.openPage('devices', `/devices/${id}`)
    await page.getByRole('button', { name: 'Edit' }).click()
    const dialog = page.getByRole('dialog', { name: 'Edit device' })
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Pi in the kitchen')
    await dialog.getByRole('combobox', { name: 'Labels' }).fill('kitchen')
    await dialog.getByRole('combobox', { name: 'Labels' }).press('Enter')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { level: 1, name: 'Pi in the kitchen' }).waitFor()
    await page.getByRole('link', { name: 'kitchen', exact: true }).click()
    await page.getByText(/^1 of \d+ devices/).waitFor()
  })
})
