import { execFile, spawnSync } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { workspaceFolder } from '../../scripts/workspace-packages.ts'

const hasDocker = spawnSync('docker', ['info'], { timeout: 10_000 }).status === 0
const run = promisify(execFile)
const docker = async (...args: string[]) =>
  (await run('docker', args, { cwd: workspaceFolder, maxBuffer: 64 * 1024 * 1024 })).stdout.trim()

it.skipIf(!hasDocker)(
  'the image is built, runs as a user without rights, and answers',
  async () => {
    await docker('build', '-f', 'deploy/Dockerfile', '-t', 'homeward-test', '.')
    const id = await docker('run', '-d', '-e', 'API_TOKEN=for-a-test-of-the-image', 'homeward-test')
    try {
      const health =
        "fetch('http://127.0.0.1:3010/health').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"
      await expect.poll(() => docker('exec', id, 'node', '-e', health).then(() => true)).toBe(true)
      expect(await docker('exec', id, 'id', '-u')).toBe('10001')
    } finally {
      await docker('rm', '-f', id)
    }
  },
  1_800_000,
)
