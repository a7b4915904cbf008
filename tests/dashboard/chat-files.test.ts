import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import type { Page } from 'playwright-core'
import { describeInBrowser, screenshot } from './browser.ts'
import { expectFineInEveryLook } from './expect-accessible.ts'
import { useHandDrivenProvider } from './hand-driven-provider.ts'

const provider = useHandDrivenProvider()
const within = { timeout: 30_000 }

/** One red pixel. */
const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=='
const png = Buffer.from(pixel, 'base64')

const composer = (page: Page) => page.getByRole('textbox', { name: /^Message to/ })
const attached = (page: Page) => page.getByRole('list', { name: 'Attached files' })
const picture = (page: Page) => page.getByRole('img', { name: 'red.png' })

async function attach(page: Page, files: { name: string; mimeType: string; buffer: Buffer }[]) {
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    page.getByRole('button', { name: 'Attach files' }).click(),
  ])
  await chooser.setFiles(files)
}

const isShown = (page: Page) =>
  picture(page).evaluate(
    (image: HTMLImageElement) => image.naturalWidth === 1 && image.src.startsWith('blob:'),
  )

describeInBrowser('files in the chat', { environment: { DEMO_MODEL: 'test/echo' } }, (world) => {
  beforeEach(async () => {
    const { agents } = world.runtime()
    if (await agents.find('seer')) return
    await agents.create({ id: 'seer', name: 'Seer', model: 'openai/stand-in' })
  })

  it('sends what was chosen with the message, and shows the picture, also after a reload', async () => {
    const page = await world.openPage('agents', '/chat/seer')
    await attach(page, [
      { name: 'red.png', mimeType: 'image/png', buffer: png },
      { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('the notes') },
    ])
    await attached(page).getByText('red.png').waitFor()
    await page.getByText('Write what the agent should do with the files.').waitFor()
    await expectFineInEveryLook(page)
    await screenshot(page, 'chat-attached')
    await composer(page).fill('Describe these files')
    await composer(page).press('Enter')
    const call = await provider.nextCall('Describe these files')
    expect(call.prompt).toContain(`data:image/png;base64,${pixel}`)
    expect(call.prompt).toContain('the notes')
    await expect.poll(() => isShown(page), within).toBe(true)
    expect(await attached(page).count()).toBe(0)
    call.say('A red pixel, and notes.')
    call.end()
    await page.getByRole('button', { name: 'Send' }).waitFor()
    await page.getByText('A red pixel, and notes.', { exact: true }).waitFor()

    await page.reload()
    await page.getByText('A red pixel, and notes.', { exact: true }).waitFor()
    await expect.poll(() => isShown(page), within).toBe(true)
    await screenshot(page, 'chat-files')
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: /notes\.txt/ }).click(),
    ])
    expect(download.suggestedFilename()).toBe('notes.txt')
  })

  it('shows the picture that a tool returned, where its call is folded', async () => {
    const page = await world.openPage('agents', '/chat/seer')
    const workspace = join(world.home, 'data', 'workspaces', 'seer')
    await mkdir(workspace, { recursive: true, mode: 0o700 })
    await writeFile(join(workspace, 'red.png'), png)
    await composer(page).fill('Look into the folder')
    await composer(page).press('Enter')
    const first = await provider.nextCall('Look into the folder')
    first.callTool('read_file', { path: 'red.png' })
    const second = await provider.nextCall('Look into the folder')
    expect(second.prompt).toContain(`data:image/png;base64,${pixel}`)
    second.say('Red.')
    second.end()
    await page.getByRole('button', { name: 'Send' }).waitFor()
    for (const isAnew of [false, true]) {
      if (isAnew) await page.reload()
      await page.getByRole('button', { name: /read_file/ }).click()
      await expect.poll(() => isShown(page), within).toBe(true)
    }
  })

  it('takes files that are pasted or dropped, and lets go of them', async () => {
    const page = await world.openPage('agents', '/chat/seer')
    await composer(page).waitFor()
    for (const kind of ['paste', 'drop']) {
      await page.evaluate((kind) => {
        const transfer = new DataTransfer()
        transfer.items.add(new File(['text'], `${kind}.txt`, { type: 'text/plain' }))
        const event =
          kind === 'paste'
            ? new ClipboardEvent('paste', { clipboardData: transfer, bubbles: true, cancelable: true })
            : new DragEvent('drop', { dataTransfer: transfer, bubbles: true, cancelable: true })
        document.querySelector('.chat-composer textarea')?.dispatchEvent(event)
      }, kind)
    }
    await attached(page).getByText('paste.txt').waitFor()
    await attached(page).getByText('drop.txt').waitFor()
    await page.getByRole('button', { name: 'Remove paste.txt' }).click()
    await expect.poll(() => attached(page).getByText('paste.txt').count(), within).toBe(0)
    expect(await attached(page).getByText('drop.txt').count()).toBe(1)
  })

  it('says why a file is not attached', async () => {
    const page = await world.openPage('agents', '/chat/seer')
    await composer(page).waitFor()
    await attach(page, [
      { name: 'empty.txt', mimeType: 'text/plain', buffer: Buffer.alloc(0) },
      { name: 'film.mov', mimeType: 'video/quicktime', buffer: Buffer.alloc(21 * 1024 * 1024) },
    ])
    await page.getByText('empty.txt was not attached: the file is empty.').waitFor()
    await page
      .getByText('film.mov was not attached: a file may have at most 21 MB, this one has 22 MB.')
      .waitFor()
    expect(await attached(page).count()).toBe(0)
  })
})
