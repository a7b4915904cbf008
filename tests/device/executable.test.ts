import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createUserClient } from '@homeward/device-sdk'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { workspaceFolder } from '../../scripts/workspace-packages.ts'
import { startFaultyCloud } from './faulty-cloud.ts'

let folder = ''
let executable = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'homeward-executable-'))
  execFileSync(process.execPath, ['scripts/build-device.ts', '--out', folder], {
    cwd: workspaceFolder,
    stdio: 'pipe',
  })
  const [name = ''] = await readdir(folder)
  executable = join(folder, name)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Starts the executable where there is no Node, and waits for lines of its output. */
function start(args: readonly string[], environment: Readonly<Record<string, string>>) {
  const child = spawn(executable, args, { cwd: '/', env: { PATH: '/nowhere', HOME: folder, ...environment } })
  let output = ''
  const seen = new Set<() => void>()
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString()
      for (const check of seen) check()
    })
  }
  const ended = once(child, 'close').then(() => seen.forEach((check) => check()))
  const kill = async () => {
    child.kill('SIGKILL')
    await ended
  }
  onTestFinished(kill)
  const line = (text: string) =>
    new Promise<void>((resolve, reject) => {
      const check = () => {
        if (output.includes(text)) resolve()
        else if (child.exitCode !== null) reject(new Error(`ended without "${text}":\n${output}`))
      }
      seen.add(check)
      check()
    })
  return { kill, line, ended }
}

it('pairs, answers a search, uploads a file, and survives kill -9, without Node', async () => {
  const cloud = await startFaultyCloud()
  const dashboard = createUserClient({ baseUrl: cloud.url })
  const { secret } = await dashboard.createEnrollmentToken({ body: { label: 'test', approval: 'auto' } })
  const [root, state] = await Promise.all(['root', 'state'].map((name) => mkdtemp(join(folder, name))))
  await writeFile(join(root ?? '', 'findme.txt'), 'the content')
  const environment = { DEVICE_STATE: state ?? '', DEVICE_INTERVAL_MS: '2000', ENROLLMENT_TOKEN: secret }
  await start(['device', 'pair', '--cloud', cloud.url], environment).line('Paired with')

  const search = async (query: string) => {
    const body = { query, scope: ['files'], deviceIds: [deviceId] }
    const { searchQueries } = await dashboard.createSearches({ body })
    const id = searchQueries[0]?.id ?? ''
    await cloud.settlement(id)
    const { results: rows } = await dashboard.listSearches({ query: { deviceId } })
    return rows.find((row) => row.id === id)
  }
  const deviceId = (await dashboard.listDevices()).devices[0]?.id ?? ''
  const run = ['run', '--root', root ?? '']
  const first = start(run, environment)
  await first.line('online')
  expect(await search('findme')).toMatchObject({ results: { files: [{ name: 'findme.txt' }] } })
  const filePath = join(root ?? '', 'findme.txt')
  const { uploadRequests } = await dashboard.createUploads({
    body: { filePath, destination: 'cloud', deviceIds: [deviceId] },
  })
  await cloud.settlement(uploadRequests[0]?.id ?? '')
  const { results: uploads } = await dashboard.listUploads({ query: { deviceId } })
  expect(uploads).toMatchObject([{ status: 'completed' }])

  await first.kill()
  const second = start(run, environment)
  await second.line('online')
  expect(await search('findme')).toMatchObject({ status: 'completed' })
  expect((await dashboard.listDevices()).devices).toHaveLength(1)
  expect(await readFile(join(state ?? '', 'device-key'), 'utf8')).toMatch(/^hw_/)
}, 300_000)
