import { spawnSync } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'

it.skipIf(process.platform === 'win32')(
  'keeps the old lockfile when the disk takes only a part of the new one',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'replace-file-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const file = join(folder, 'skills.lock.json')
    await writeFile(file, 'old')
    // A limit for the size of files ends a write in its middle as a full disk does.
    const program = `
      import { replaceFile } from ${JSON.stringify(new URL('./replace-file.ts', import.meta.url).href)}
      process.on('SIGXFSZ', () => {})
      await replaceFile(${JSON.stringify(file)}, 'n'.repeat(100_000)).catch(({ code }) => process.stdout.write(code))`
    const node = [process.execPath, '--input-type=module', '-e', program]
    const { stdout } = spawnSync('sh', ['-c', 'ulimit -f 16 && exec "$0" "$@"', ...node], {
      encoding: 'utf8',
    })
    expect(stdout).toBe('EFBIG')
    expect(await readFile(file, 'utf8')).toBe('old')
    expect(await readdir(folder)).toEqual(['skills.lock.json'])
  },
)
