import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createUserClient } from '@homeward/device-sdk'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startAgentProcess } from './agent-process.ts'
import { type FaultyCloud, startFaultyCloud } from './faulty-cloud.ts'

const enrollmentsPath = '/api/devices/enrollments'

async function tempFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'homeward-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** A cloud, its dashboard, and a device without a key that is always started with the same state. */
async function createNewDevice() {
  const [cloud, root, stateFolder] = await Promise.all([startFaultyCloud(), tempFolder(), tempFolder()])
  const dashboard = createUserClient({ baseUrl: cloud.url })
  const start = (enrollmentToken?: string) =>
    startAgentProcess({
      cloudUrl: cloud.url,
      roots: [root],
      stateFolder,
      ...(enrollmentToken !== undefined && { enrollmentToken }),
    })
  const readKey = async () => (await readFile(join(stateFolder, 'device-key'), 'utf8')).trim()
  const approve = async (line: string) => {
    const code = /code ([A-Z0-9]{4}-[A-Z0-9]{4})/.exec(line)?.[1] ?? ''
    const { enrollment } = await dashboard.findEnrollment({ query: { code } })
    return dashboard.approveEnrollment({ params: { id: enrollment.id }, body: {} })
  }
  return { cloud, dashboard, start, readKey, approve }
}

/** Faults on the first request that enrolls, or on all of them. */
const failEnrollments = (cloud: FaultyCloud, fault: 'withhold-answer' | 'hang') => {
  cloud.fault = (path) => (path === enrollmentsPath ? fault : undefined)
}

describe('enrolling, with kill -9 at each step', { timeout: 120_000 }, () => {
  it('has the same key when it was killed before the cloud saw it, and before and after it was approved', async () => {
    const { cloud, dashboard, start, readKey, approve } = await createNewDevice()
    failEnrollments(cloud, 'hang')
    const unheard = start()
    await cloud.nextFault()
    await unheard.kill()
    const key = await readKey()
    expect(key).toMatch(/^hw_[\w-]{43}$/)

    cloud.fault = () => undefined
    const waiting = start()
    const line = await waiting.line('enter the code')
    await waiting.kill()
    const { device } = await approve(line)

    const approved = start()
    await approved.line('online')
    await approved.kill()
    const restarted = start()
    await restarted.line('online')
    const { devices } = await dashboard.listDevices()
    expect(devices.map(({ id }) => id)).toEqual([device?.id])
    expect(await readKey()).toBe(key)
    const lines = [unheard, waiting, approved, restarted].flatMap((agent) => agent.lines).join()
    expect(lines).not.toContain(key)
    expect(lines).not.toContain('refused the API key')
  })

  it('is one device when the response that let it in was lost', async () => {
    const { cloud, dashboard, start } = await createNewDevice()
    const body = { label: 'line 4', approval: 'auto', maxDevices: 1 } as const
    const { secret } = await dashboard.createEnrollmentToken({ body })
    failEnrollments(cloud, 'withhold-answer')
    const first = start(secret)
    await cloud.nextFault()
    await first.kill()
    const before = await dashboard.listDevices()
    expect(before.devices).toMatchObject([{ status: 'offline' }])

    cloud.fault = () => undefined
    const second = start(secret)
    await second.line('online')
    const after = await dashboard.listDevices()
    expect(after.devices).toMatchObject([{ id: before.devices[0]?.id, status: 'online' }])
    expect(await dashboard.listEnrollmentTokens()).toMatchObject({ tokens: [{ used: 1 }] })
    expect([...first.lines, ...second.lines].join()).not.toContain(secret)
  })

  it('is let in the moment a user approves it, and works', async () => {
    const { cloud, dashboard, start, approve } = await createNewDevice()
    const agent = start()
    const { device } = await approve(await agent.line('enter the code'))
    await agent.line('online')
    const { searchQueries } = await dashboard.createSearches({
      body: { query: 'x', scope: ['files'], deviceIds: [device?.id ?? ''] },
    })
    await cloud.settlement(searchQueries[0]?.id ?? '')
  })

  it('ends with the reason when a user denies it, or its token is revoked', async () => {
    const { dashboard, start } = await createNewDevice()
    const { token, secret } = await dashboard.createEnrollmentToken({
      body: { label: 'old', approval: 'auto' },
    })
    await dashboard.revokeEnrollmentToken({ params: { id: token.id } })
    const revoked = start(secret)
    expect(await revoked.line('403')).toContain('revoked')
    expect((await revoked.terminate()).code).toBe(1)

    const agent = start()
    const line = await agent.line('enter the code')
    const code = /code (\S+)/.exec(line)?.[1] ?? ''
    const { enrollment } = await dashboard.findEnrollment({ query: { code } })
    await dashboard.denyEnrollment({ params: { id: enrollment.id } })
    await agent.line('a user denied the device')
    expect((await agent.terminate()).code).toBe(1)
  })
})
