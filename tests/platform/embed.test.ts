import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { workspaceFolder } from '../../scripts/workspace-packages.ts'

const run = promisify(execFile)
const program = 'examples/embed/main.ts'

it(
  'runs inside a program of fewer than 30 lines, without a key, a file or a setting',
  { timeout: 60_000 },
  async () => {
    const source = await readFile(join(workspaceFolder, program), 'utf8')
    expect(source.trimEnd().split('\n').length).toBeLessThan(30)
    const { stdout, stderr } = await run(process.execPath, ['--conditions=@homeward/source', program], {
      cwd: workspaceFolder,
      env: {},
    })
    expect(stderr).toBe('')
    expect(stdout).toContain("stock_of { product: 'apples' }")
    expect(stdout).toContain('"pieces":12')
  },
)
