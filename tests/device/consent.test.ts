import { chmod, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { recordCli } from '../../apps/homeward/src/cli/testing/recorded-cli.ts'
import { createTestDevice, type TestDevice } from './test-device.ts'

const reportPath = '/api/devices/search'

/** A device whose owner is asked, and the commands of its owner. */
async function createWorld(environment: Record<string, string> = {}) {
  const device = await createTestDevice()
  await writeFile(join(device.root, 'findme.txt'), 'content')
  const command = async (...args: string[]) => {
    const variables = {
      DEVICE_STATE: device.stateFolder,
      CLOUD_URL: device.url,
      DEVICE_API_KEY: device.apiKey,
    }
    const result = await recordCli(['device', ...args], { environment: variables })
    return { ...result, json: () => JSON.parse(result.stdout) as unknown }
  }
  const start = () => device.start({ environment: { DEVICE_CONSENT: 'ask', ...environment } })
  const waiting = async () =>
    ((await command('requests', '--json')).json() as { id: string }[]).map(({ id }) => id).toSorted()
  const untilWaiting = (...ids: string[]) =>
    vi.waitFor(async () => expect(await waiting()).toEqual(ids.toSorted()), {
      timeout: 20_000,
      interval: 200,
    })
  return { device, command, start, waiting, untilWaiting }
}

const removeLine = async ({ stateFolder }: TestDevice, id: string) => {
  const file = join(stateFolder, 'audit.jsonl')
  const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => !line.includes(id))
  await writeFile(file, lines.join('\n'))
}

describe('a device that asks its owner', { timeout: 120_000 }, () => {
  it('lets nothing go before a yes, over kill -9, and by a decision while it runs or is off', async () => {
    const { device, command, start, untilWaiting } = await createWorld()
    const reported: string[] = []
    device.fault = (path) => {
      if (path === reportPath) reported.push(path)
      return undefined
    }
    const [a, b] = [await device.search('findme'), await device.search('find*')]
    const first = start()
    await untilWaiting(a, b)
    expect((await command('requests')).stdout).toContain(`${a}  search  owner  "findme" in files`)
    await first.kill()
    expect(reported).toEqual([])
    expect((await command('allow', a)).exitCode).toBe(0)
    const second = start()
    await device.settlement(a)
    expect(await device.searchOf(a)).toMatchObject({
      status: 'completed',
      results: { files: [{ name: 'findme.txt' }] },
    })
    await untilWaiting(b)
    expect((await command('deny', b)).exitCode).toBe(0)
    await device.settlement(b)
    expect(await device.searchOf(b)).toMatchObject({ status: 'failed', error: 'consent_denied' })
    expect([device.settled.get(a), device.settled.get(b)]).toEqual([1, 1])
    expect(await command('allow', b)).toMatchObject({ exitCode: 1 })
    expect(await command('allow', b, '--for', '2h')).toMatchObject({ exitCode: 2 })
    await second.terminate()
  })

  it('allows later searches of the same actor, and shows and compares what was sent', async () => {
    const { device, command, start, untilWaiting } = await createWorld()
    const first = await device.search('findme')
    const agent = start()
    await untilWaiting(first)
    expect((await command('allow', first, '--for', '1h')).stdout).toContain('owner may ask for searches: 1h')
    await device.settlement(first)
    const second = await device.search('other words')
    await device.settlement(second)
    expect(await device.searchOf(second)).toMatchObject({ status: 'completed' })
    const log = (await command('log', '--json', '--since', '1h')).json()
    expect(log).toEqual([
      expect.objectContaining({ id: first, kind: 'search', actor: 'owner', query: 'findme', rows: 1 }),
      expect.objectContaining({ id: second, rows: 0, outcome: 'allowed' }),
    ])
    expect((await command('log', '--json', '--since', '2999-01-01T00:00:00Z')).json()).toEqual([])
    expect((await command('log', '--compare')).exitCode).toBe(0)
    await agent.terminate()
    const third = await device.search('not fetched')
    const same = await command('log', '--compare', '--json')
    expect([same.exitCode, same.json()]).toEqual([0, expect.objectContaining({ same: 2 })])
    expect(same.json()).toMatchObject({ unanswered: { pending: 1 } })
    await removeLine(device, second)
    const differs = await command('log', '--compare')
    expect([differs.exitCode, differs.stdout]).toEqual([1, expect.stringContaining(`only in the cloud:`)])
    expect(differs.stdout).toContain(second)
    expect(differs.stdout).not.toContain(third)
    await device.cloud.deleteSearch(device.user, first)
    const erased = (await command('log', '--compare', '--json')).json()
    expect(erased).toMatchObject({ onlyInCloud: [{ requestId: second }], onlyOnDevice: [{ id: first }] })
  })

  it('asks a program, and takes silence for a no', async () => {
    const { device, start } = await createWorld({ DEVICE_CONSENT_TIMEOUT_MS: '3000' })
    const silent = await device.search('findme')
    const first = start()
    await device.settlement(silent)
    expect(await device.searchOf(silent)).toMatchObject({ status: 'failed', error: 'consent_timeout' })
    await first.terminate()
    const program = join(device.root, 'decide')
    await writeFile(program, '#!/bin/sh\ngrep -q findme\n')
    await chmod(program, 0o700)
    const second = device.start({ environment: { DEVICE_CONSENT_COMMAND: program } })
    const [yes, no] = [await device.search('findme'), await device.search('secret')]
    await Promise.all([device.settlement(yes), device.settlement(no)])
    expect(await device.searchOf(yes)).toMatchObject({ status: 'completed' })
    expect(await device.searchOf(no)).toMatchObject({ status: 'failed', error: 'consent_denied' })
    await second.terminate()
  })

  it('does not start with a catalog, or with a program that would not be asked', async () => {
    const device = await createTestDevice()
    for (const [environment, name] of [
      [{ DEVICE_CONSENT: 'ask', DEVICE_CATALOG: 'on' }, 'DEVICE_CATALOG'],
      [{ DEVICE_CONSENT_COMMAND: '/bin/true', DEVICE_CATALOG: 'on' }, 'DEVICE_CATALOG'],
      [{ DEVICE_CONSENT: 'off', DEVICE_CONSENT_COMMAND: '/bin/true' }, 'DEVICE_CONSENT_COMMAND'],
    ] as const) {
      const agent = device.start({ environment })
      await expect(agent.line(`${name}: must be`)).resolves.toBeDefined()
      expect(agent.lines.filter((line) => line === 'online')).toEqual([])
      await agent.kill()
    }
  })
})
