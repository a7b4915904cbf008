import { mkdtemp, realpath, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { bubblewrap } from './detect-sandbox.ts'
import { canRunCommand } from './can-run-command.ts'
import { detectLimits, type ExecLimits } from './exec-limits.ts'
import { namespaces } from './namespaces.ts'
import { runProcess } from './run-process.ts'
import type { Sandbox } from './sandbox.ts'

const PATH = process.env['PATH'] ?? ''
const fences: { name: string; sandbox: Sandbox | undefined }[] = [{ name: 'no sandbox', sandbox: undefined }]
for (const sandbox of [bubblewrap, namespaces]) {
  if (await canRunCommand(['true'], sandbox, PATH)) fences.push({ name: sandbox.kind, sandbox })
}
const canLimit = (await detectLimits(undefined, PATH)).length > 0
// The kernel never counts the processes of its own root.
const isRoot = process.getuid?.() === 0

let workspace: string
beforeEach(async () => {
  workspace = await mkdtemp(join(await realpath(tmpdir()), 'homeward-limits-test-'))
})
afterEach(() => rm(workspace, { recursive: true, force: true }))

it('limits nothing where the system cannot', async () => {
  expect(await detectLimits(undefined, '/nowhere', {}, 'linux')).toEqual([])
  expect(await detectLimits(undefined, PATH, {}, 'darwin')).toEqual([])
})

describe.runIf(canLimit).each(fences)('in $name', ({ sandbox }) => {
  async function run(limits: ExecLimits, command: readonly string[]) {
    const argv = [...(await detectLimits(sandbox, PATH, limits)), ...command]
    const request = { command: argv, workspace, readable: [], hidden: [], network: false }
    const { exitCode, stderr } = await runProcess({
      ...(sandbox?.wrap(request) ?? { command: argv }),
      cwd: workspace,
      environment: { PATH },
      timeoutMs: 20_000,
      maxOutputBytes: 10_000,
    })
    return { exitCode, stderr: stderr.text(10_000).text }
  }

  it('A16: a program gets no more memory than it may have', async () => {
    // awk keeps what it joins: 1 byte, doubled 28 times
    const grow = [
      'awk',
      'BEGIN { text = "x"; for (i = 0; i < 28; i++) text = text text; print length(text) }',
    ]
    expect(await run({}, grow)).toMatchObject({ exitCode: 0 })
    expect((await run({ memoryBytes: 64 * 1024 * 1024 }, grow)).exitCode).not.toBe(0)
  })

  it('A16: a program writes no file larger than it may', async () => {
    const result = await run({ fileBytes: 100_000 }, [
      'dd',
      'if=/dev/zero',
      'of=large',
      'bs=1000',
      'count=1000',
    ])
    expect(result.exitCode).not.toBe(0)
    expect((await stat(join(workspace, 'large'))).size).toBe(100_000)
  })

  it.skipIf(isRoot || sandbox === undefined)('A16: a program that forks and forks is stopped', async () => {
    const fork = 'i=0; while [ $i -lt 60 ]; do sleep 5 & i=$((i+1)); done; wait'
    const { stderr } = await run({ processes: 20 }, ['sh', '-c', fork])
    expect(stderr).toMatch(/fork|resource/i)
  })
})
