import { createHash, randomBytes } from 'node:crypto'
import { readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readOutbox } from './agent-process.ts'
import { createStallingBlobs } from './stalling-blobs.ts'
import { createTestDevice } from './test-device.ts'

const reportPath = '/api/devices/search'

/** Everything that lies in a folder, as text. */
async function readAll(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  const texts = await Promise.all(
    files.map(({ parentPath, name }) => readFile(join(parentPath, name), 'utf8')),
  )
  return texts.join()
}

const hashOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

describe('kill -9 of the device agent', { timeout: 120_000 }, () => {
  it('C17: fails a search that was running, once, and does not run it again', async () => {
    const device = await createTestDevice()
    const id = await device.search('no-file-has-this-name')
    // The whole disk: that search is under way for long after its first line.
    const first = device.start({ roots: ['/'] })
    await first.line(`search ${id}: "`)
    await first.kill()
    expect(await readOutbox(device.stateFolder)).toMatchObject([{ queryId: id, state: 'running' }])
    expect(await device.searchOf(id)).toMatchObject({ status: 'pending' })

    const second = device.start()
    await device.settlement(id)
    expect(await device.searchOf(id)).toMatchObject({
      status: 'failed',
      error: 'the agent restarted while it ran',
    })
    const next = await device.search('anything')
    await second.line(`search ${next}: reported, completed`)
    expect(second.lines.filter((line) => line.startsWith(`search ${id}: "`))).toEqual([])
    expect(device.settled.get(id)).toBe(1)
    expect(await readOutbox(device.stateFolder)).toEqual([])
  })

  it('C17: sends a report again whose answer it never saw, and the first outcome stays', async () => {
    const device = await createTestDevice()
    await writeFile(join(device.root, 'findme.txt'), 'content')
    device.fault = (path) => (path === reportPath ? 'withhold-answer' : undefined)
    const id = await device.search('findme')
    const first = device.start()
    await device.nextFault()
    await first.kill()
    expect(await readAll(device.stateFolder)).not.toContain(device.apiKey)
    const acknowledged = await device.searchOf(id)
    expect(acknowledged).toMatchObject({
      status: 'completed',
      results: { files: [{ name: 'findme.txt' }] },
    })
    expect(await readOutbox(device.stateFolder)).toMatchObject([{ queryId: id, state: 'ready' }])

    device.fault = () => undefined
    const second = device.start()
    await second.line(`search ${id}: reported, completed`)
    expect(await device.searchOf(id)).toEqual(acknowledged)
    expect(device.settled.get(id)).toBe(1)
    expect(second.lines.filter((line) => line.startsWith(`search ${id}: "`))).toEqual([])
    expect(await readOutbox(device.stateFolder)).toEqual([])
    expect([...first.lines, ...second.lines].join()).not.toContain(device.apiKey)
    expect(await readAll(device.stateFolder)).not.toContain(device.apiKey)
  })

  it('C17: keeps a result that never reached the cloud', async () => {
    const device = await createTestDevice()
    await writeFile(join(device.root, 'findme.txt'), 'content')
    device.fault = (path) => (path === reportPath ? 'hang' : undefined)
    const id = await device.search('findme')
    const first = device.start()
    await device.nextFault()
    await first.kill()
    expect(await device.searchOf(id)).toMatchObject({ status: 'pending' })

    // A search that ran again would find another name.
    await rename(join(device.root, 'findme.txt'), join(device.root, 'findme-later.txt'))
    device.fault = () => undefined
    device.start()
    await device.settlement(id)
    const { status, results } = await device.searchOf(id)
    expect({ status, results }).toMatchObject({
      status: 'completed',
      results: { files: [{ name: 'findme.txt' }] },
    })
  })

  it('C4: uploads a file again, whole, after half of it was sent', async () => {
    const stalling = createStallingBlobs()
    const device = await createTestDevice(stalling.blobs)
    const bytes = randomBytes(24 * 1024 * 1024)
    const filePath = join(device.root, 'large.bin')
    await writeFile(filePath, bytes)
    const id = await device.requestFile(filePath)
    const first = device.start()
    await stalling.begun
    expect(await device.uploadOf(id)).toMatchObject({ status: 'uploading' })
    await first.kill()
    await stalling.release()

    device.start()
    await device.settlement(id)
    expect(await device.uploadOf(id)).toMatchObject({ status: 'completed' })
    expect(hashOf(await device.fileOf(id))).toBe(hashOf(bytes))
    expect(device.settled.get(id)).toBe(1)
  })

  it('C4: uploads a file again, whole, when only the connection broke half way', async () => {
    const stalling = createStallingBlobs()
    const device = await createTestDevice(stalling.blobs)
    const bytes = randomBytes(24 * 1024 * 1024)
    const filePath = join(device.root, 'large.bin')
    await writeFile(filePath, bytes)
    const id = await device.requestFile(filePath)
    const agent = device.start()
    await stalling.begun
    device.cut()
    await stalling.release()
    await device.settlement(id)
    expect(await device.uploadOf(id)).toMatchObject({ status: 'completed' })
    expect(hashOf(await device.fileOf(id))).toBe(hashOf(bytes))
    expect(agent.lines.filter((line) => line.startsWith(`upload ${id} failed`))).toHaveLength(1)
  })

  it('C17: gives each of many searches one outcome, however often it is killed', async () => {
    const device = await createTestDevice()
    await writeFile(join(device.root, 'findme.txt'), 'content')
    const ids: string[] = []
    for (let round = 0; round < 5; round += 1) {
      for (let count = 0; count < 6; count += 1) ids.push(await device.search('findme'))
      const agent = device.start()
      // Killed at a moment that differs each time, somewhere in the work on these searches.
      const chosen = ids.at(-1 - Math.floor(Math.random() * 6)) ?? ''
      await agent.line(Math.random() < 0.5 ? `search ${chosen}: "` : `search ${chosen}: `)
      await agent.kill()
    }
    const last = device.start()
    await Promise.all(ids.map((id) => device.settlement(id)))
    const next = await device.search('findme')
    await last.line(`search ${next}: reported, completed`)

    for (const id of ids) {
      const { status, error, results } = await device.searchOf(id)
      if (status === 'failed') expect(error).toBe('the agent restarted while it ran')
      else expect({ status, results }).toMatchObject({ results: { files: [{ name: 'findme.txt' }] } })
      expect(device.settled.get(id)).toBe(1)
    }
    expect(await readOutbox(device.stateFolder)).toEqual([])
    expect(await readdir(join(device.stateFolder, 'outbox'))).toEqual(['outbox.lock'])
  })
})
