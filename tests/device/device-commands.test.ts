import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createUserClient } from '@homeward/device-sdk'
import { createFileOutbox } from '@homeward/device-sdk/node'
import { expect, it, onTestFinished } from 'vitest'
import { recordCli } from '../../apps/homeward/src/cli/testing/recorded-cli.ts'
import { startFaultyCloud } from './faulty-cloud.ts'

async function tempFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'homeward-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** A cloud with a token that lets devices in, and the commands of a device of it. */
async function createWorld() {
  const [cloud, parent] = await Promise.all([startFaultyCloud(), tempFolder()])
  const state = join(parent, 'state')
  const dashboard = createUserClient({ baseUrl: cloud.url })
  const { secret } = await dashboard.createEnrollmentToken({ body: { label: 'test', approval: 'auto' } })
  const device = (...args: string[]) =>
    recordCli(['device', ...args], { environment: { DEVICE_STATE: state } })
  const pair = (...more: string[]) => device('pair', '--cloud', cloud.url, '--token', secret, ...more)
  return { cloud, state, secret, dashboard, device, pair }
}

interface Findings {
  readonly findings: readonly { level: string; problem: string; fix: string }[]
}

it('pairs once by a token, keeps the key to its owner, and shows neither key nor token', async () => {
  const { cloud, state, secret, dashboard, device, pair } = await createWorld()
  const first = await pair('--name', 'Till 7', '--json')
  const again = await pair('--json')
  expect(again).toEqual(first)
  expect(JSON.parse(first.stdout)).toMatchObject({ status: 'approved', cloud: cloud.url, name: 'Till 7' })
  const { devices } = await dashboard.listDevices()
  expect(devices).toMatchObject([
    { name: 'Till 7', metadata: { agentVersion: expect.any(String) as string } },
  ])
  expect((await stat(join(state, 'device-key'))).mode & 0o777).toBe(0o600)
  const status = await device('status', '--json')
  expect(JSON.parse(status.stdout)).toMatchObject({ paired: true, deviceId: devices[0]?.id, running: false })
  const key = (await readFile(join(state, 'device-key'), 'utf8')).trim()
  for (const { stdout, stderr } of [first, status, await device('doctor')]) {
    expect(stdout + stderr).not.toContain(key)
    expect(stdout + stderr).not.toContain(secret)
  }
})

it('shows a code, and gives up with exit code 4 when a user denies it', async () => {
  const { cloud, dashboard, device } = await createWorld()
  const pairing = device('pair', '--cloud', cloud.url, '--json')
  const ids: string[] = []
  cloud.fault = (path) => {
    const id = /enrollments\/([\w-]+)$/.exec(path)?.[1]
    if (id !== undefined && ids.push(id) === 1) void dashboard.denyEnrollment({ params: { id } })
    return undefined
  }
  const { exitCode, stdout, stderr } = await pairing
  expect(JSON.parse(stdout.split('\n')[0] ?? '')).toMatchObject({
    status: 'pending',
    userCode: expect.stringMatching(/^[A-Z0-9]{4}-[A-Z0-9]{4}$/) as string,
  })
  expect(stderr).toContain('a user denied the device')
  expect(exitCode).toBe(4)
})

it('D41: never gives the key of one cloud to another', async () => {
  const { state, device, pair } = await createWorld()
  await pair()
  const other = await startFaultyCloud()
  const { exitCode, stderr } = await device('pair', '--cloud', other.url)
  expect(exitCode).toBe(1)
  expect(stderr).toContain('is paired with')
  expect(stderr).toContain(state)
})

it('opens the folders that were named, and no home or disk by accident', async () => {
  const folder = await tempFolder()
  const link = join(folder, 'link')
  await symlink(homedir(), link)
  const { device } = await createWorld()
  const install = (...roots: string[]) =>
    device('install', '--dry-run', ...roots.flatMap((root) => ['--root', root]))
  for (const roots of [[], [''], [link], [`${homedir()}/.`], ['/srv/..'], ['/srv/a\nb']]) {
    const { exitCode, stderr } = await install(...roots)
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('"')])
  }
  const named = await install('/', homedir(), folder)
  expect(named.exitCode).toBe(0)
  expect(named.stdout).toContain(`"--root" "/" "--root" "${homedir()}" "--root" "${folder}"`)
})

it('stages the service elsewhere, twice, and leaves nothing when it is removed', async () => {
  const { device } = await createWorld()
  const staged = await tempFolder()
  for (const kind of ['systemd', 'launchd', 'windows']) {
    const where = ['--root-dir', staged, '--service', kind]
    expect((await device('install', '--root', '/srv/a', ...where)).exitCode).toBe(0)
    expect((await device('install', '--root', '/srv/b', ...where)).exitCode).toBe(0)
    expect(await readdir(staged)).not.toEqual([])
    expect((await device('uninstall', ...where)).exitCode).toBe(0)
    expect(await readdir(staged)).toEqual([])
  }
})

it('keeps the key on removal unless the user agrees, and then what others put beside it', async () => {
  const { state, device, pair } = await createWorld()
  await pair()
  await writeFile(join(state, 'notes.txt'), 'mine')
  const careful = await device('uninstall', '--json')
  expect(JSON.parse(careful.stdout)).toEqual({ removed: true, keyKept: true })
  expect(await readdir(state)).toContain('device-key')
  const contact = { pid: process.pid, startedAt: '', version: '0', roots: [] }
  await writeFile(join(state, 'contact.json'), JSON.stringify(contact))
  const hasty = await device('uninstall', '--yes')
  expect([hasty.exitCode, hasty.stderr]).toEqual([1, expect.stringContaining('Stop it')])
  await rm(join(state, 'contact.json'))
  await device('uninstall', '--yes')
  expect(await readdir(state)).toEqual(['notes.txt'])
  await rm(join(state, 'notes.txt'))
  await device('uninstall', '--yes')
})

it('finds what is wrong, says what to do, and exits with 1', async () => {
  const { cloud, state, dashboard, device, pair } = await createWorld()
  const doctor = async () => {
    const { exitCode, stdout } = await device('doctor', '--json')
    const { findings } = JSON.parse(stdout) as Findings
    const wrong = findings.filter(({ level }) => level === 'error')
    expect(exitCode).toBe(wrong.length > 0 ? 1 : 0)
    for (const { fix } of wrong) expect(fix).not.toBe('')
    return wrong.map(({ problem }) => problem).join('\n')
  }
  expect(await doctor()).toContain('is missing')
  await pair()
  expect(await doctor()).toBe('')

  const other = createFileOutbox({ folder: join(state, 'outbox') })
  await other.list()
  expect(await doctor()).toContain('is using it. Stop that agent')
  await other.close?.()

  await chmod(join(state, 'device-key'), 0o644)
  expect(await doctor()).toContain('Other users can get at')
  await chmod(join(state, 'device-key'), 0o600)

  const [device1] = (await dashboard.listDevices()).devices
  await dashboard.deleteDevice({ params: { id: device1?.id ?? '' } })
  expect(await doctor()).toContain('rejects the key')

  const portal = createServer((_, response) =>
    response.setHeader('content-type', 'text/html').end('<h1>Hotel'),
  )
  await new Promise<void>((resolve) => portal.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void portal.close())
  const rename = async (cloudUrl: string) => {
    const file = join(state, 'pairing.json')
    const pairing = JSON.parse(await readFile(file, 'utf8')) as object
    await writeFile(file, JSON.stringify({ ...pairing, cloudUrl }))
  }
  await rename(`http://127.0.0.1:${(portal.address() as AddressInfo).port}`)
  expect(await doctor()).toContain('Something else than a cloud responds')
  const late = createServer((_, response) => {
    response.setHeader('date', new Date(Date.now() - 86_400_000).toUTCString())
    response.writeHead(401, { 'content-type': 'application/json' }).end('{"error":"Unauthorized"}')
  })
  await new Promise<void>((resolve) => late.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void late.close())
  await rename(`http://127.0.0.1:${(late.address() as AddressInfo).port}`)
  expect(await doctor()).toContain('1440 minutes ahead of the clock')
  await rename('http://127.0.0.1:9')
  expect(await doctor()).toMatch(/refuses connections|cannot be reached/)
  await rename(cloud.url)

  await mkdir(join(state, 'empty'))
  const contact = { pid: 2 ** 22 - 1, startedAt: '', version: '0', roots: [join(state, 'gone')] }
  await writeFile(join(state, 'contact.json'), JSON.stringify(contact))
  expect(await doctor()).toContain('There is no folder')
  await writeFile(join(state, 'pairing.json'), '{')
  expect(await doctor()).toContain('is damaged')
})

it('does not run two agents with one state folder', async () => {
  const { state, device, pair } = await createWorld()
  await pair()
  const outbox = createFileOutbox({ folder: join(state, 'outbox') })
  await outbox.list()
  onTestFinished(async () => outbox.close?.())
  const { exitCode, stderr } = await device('run', '--root', await tempFolder())
  expect(exitCode).toBe(1)
  expect(stderr).toContain(`process ${process.pid} is using it`)
})
