import { randomBytes } from 'node:crypto'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readOutbox } from './agent-process.ts'
import { createTestDevice } from './test-device.ts'

const within = { code: 0, tookMs: expect.toSatisfy((ms: number) => ms < 3000) as number }

describe('SIGTERM ends the device agent within 3 s', { timeout: 60_000 }, () => {
  it.each([
    ['the request for work', 'held', '/work', 1],
    ['polls', 'poll', '/pending', 2],
  ] as const)('C22: with %s held by the cloud', async (_, work, path, count) => {
    const device = await createTestDevice()
    const held = Promise.withResolvers<void>()
    let requests = 0
    device.fault = (asked) => {
      if (asked.endsWith(path) && ++requests === count) held.resolve()
      return undefined
    }
    const agent = device.start({ environment: { DEVICE_WORK: work } })
    await Promise.all([agent.line('online'), held.promise])
    expect(await agent.terminate()).toEqual(within)
    expect(await readdir(join(device.stateFolder, 'outbox'))).toEqual([])
  })

  it('with a search under way, which stays pending', async () => {
    const device = await createTestDevice()
    const id = await device.search('no-file-has-this-name')
    const agent = device.start({ roots: ['/'] })
    await agent.line(`search ${id}: "`)
    expect(await agent.terminate()).toEqual(within)
    expect(await readOutbox(device.stateFolder)).toEqual([])
    expect(await device.searchOf(id)).toMatchObject({ status: 'pending' })
  })

  it('with an upload under way that nobody reads', async () => {
    const device = await createTestDevice()
    const filePath = join(device.root, 'large.bin')
    await writeFile(filePath, randomBytes(24 * 1024 * 1024))
    const id = await device.requestFile(filePath)
    device.fault = (path) => (path === '/api/devices/files/upload' ? 'hang' : undefined)
    const agent = device.start()
    await device.nextFault()
    expect(await agent.terminate()).toEqual(within)
    expect(await device.uploadOf(id)).toMatchObject({ status: 'pending' })
  })
})
