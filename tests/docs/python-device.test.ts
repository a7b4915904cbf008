import { execFileSync, spawn } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createUserClient } from '@homeward/device-sdk'
import { describe, expect, it, onTestFinished } from 'vitest'
import { workspaceFolder } from '../../scripts/workspace-packages.ts'
import { startFaultyCloud } from '../device/faulty-cloud.ts'
import { collectOutput } from './child-output.ts'

const page = 'docs/getting-started/device-in-any-language.md'

/** The only block of Python on the page. */
async function readProgram(): Promise<string> {
  const text = await readFile(join(workspaceFolder, page), 'utf8')
  const [program, ...others] = [...text.matchAll(/^```python\n([^]*?)^```$/gm)].map((found) => found[1] ?? '')
  if (program === undefined || others.length > 0) throw new Error(`${page} must hold one block of Python`)
  return program
}

function hasPython(): boolean {
  try {
    execFileSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 8))'])
    return true
  } catch {
    return false
  }
}

it('is shorter than 100 lines', async () => {
  expect((await readProgram()).split('\n').length).toBeLessThanOrEqual(100)
})

// To run it, install Python 3.8 or newer as `python3`.
describe.skipIf(!hasPython())('the device in Python, which needs python3', { timeout: 60_000 }, () => {
  /** A cloud, and the program with a folder to share. */
  async function createPythonDevice() {
    const [cloud, program] = await Promise.all([startFaultyCloud(), readProgram()])
    const folder = await mkdtemp(join(tmpdir(), 'homeward-python-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    const [file, root, state] = [join(folder, 'device.py'), join(folder, 'root'), join(folder, 'state')]
    await writeFile(file, program)
    await mkdir(join(root, 'sub'), { recursive: true })
    await writeFile(join(root, 'sub/report "ä".txt'), 'figures')
    await writeFile(join(folder, 'secret.txt'), 'secret')
    const start = (env: Readonly<Record<string, string>> = {}) => {
      const child = spawn('python3', [file], {
        env: {
          PATH: process.env['PATH'],
          CLOUD_URL: cloud.url,
          DEVICE_ROOT: root,
          DEVICE_STATE: state,
          ...env,
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      const output = collectOutput(child)
      const kill = async () => {
        child.kill('SIGKILL')
        return (await output.ended).output
      }
      onTestFinished(async () => void (await kill()))
      return { ...output, kill }
    }
    const dashboard = createUserClient({ baseUrl: cloud.url })
    const online = async () => {
      for (;;) {
        const { devices } = await dashboard.listDevices()
        if (devices[0]?.status === 'online') return devices
        await new Promise((resolve) => void setTimeout(resolve, 50))
      }
    }
    return { cloud, dashboard, folder, root, state, start, online }
  }

  it('enrolls by a code, answers searches, and uploads from its folder only', async () => {
    const { cloud, dashboard, folder, root, state, start, online } = await createPythonDevice()
    const device = start()
    const code = (await device.waitFor(/approve the code (\S+)/))?.[1] ?? ''
    const { enrollment } = await dashboard.findEnrollment({ query: { code } })
    await dashboard.approveEnrollment({ params: { id: enrollment.id }, body: {} })
    const [registered] = await online()
    expect(registered?.metadata['scopes']).toEqual([{ name: 'files' }])

    const deviceIds = [registered?.id ?? '']
    const path = join(root, 'sub/report "ä".txt')
    const filePaths = [path, join(folder, 'secret.txt')]
    for (const filePath of filePaths) await dashboard.createUploads({ body: { deviceIds, filePath } })
    const { searchQueries } = await dashboard.createSearches({
      body: { query: 'REPORT', scope: ['files', 'printers'], deviceIds },
    })
    const queryId = searchQueries[0]?.id ?? ''
    await cloud.settlement(queryId)
    const { results } = await dashboard.listSearches({ query: { queryId } })
    expect(results).toMatchObject([
      {
        status: 'failed',
        error: 'not provided: printers',
        results: { files: [{ path, name: 'report "ä".txt', size: 7 }] },
      },
    ])
    const { results: uploads } = await dashboard.listUploads({ query: {} })
    for (const { id } of uploads) await cloud.settlement(id)
    const settled = await dashboard.listUploads({ query: {} })
    const outcomes = Object.fromEntries(settled.results.map((each) => [each.filePath, each]))
    expect(outcomes[path]).toMatchObject({ status: 'completed', fileName: 'report _ä_.txt' })
    expect(outcomes[filePaths[1] ?? '']).toMatchObject({
      status: 'failed',
      error: 'policy_denied: the file lies outside the shared folder',
    })
    const key = await readFile(join(state, 'device-key'), 'utf8')
    expect(await device.kill()).not.toContain(key)
  })

  it('is one device when the response to its enrollment is lost and it is killed', async () => {
    const { cloud, dashboard, start, online } = await createPythonDevice()
    const { secret } = await dashboard.createEnrollmentToken({ body: { label: 'lab', approval: 'auto' } })
    cloud.fault = (path) => (path === '/api/devices/enrollments' ? 'withhold-answer' : undefined)
    const first = start({ ENROLLMENT_TOKEN: secret })
    await cloud.nextFault()
    await first.kill()
    cloud.fault = () => undefined
    start({ ENROLLMENT_TOKEN: secret })
    expect(await online()).toHaveLength(1)
  })
})
