import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { workspaceFolder } from '../../scripts/workspace-packages.ts'
import { collectOutput } from '../docs/child-output.ts'
import { exampleFile, hasProgram, runConformance } from './run-conformance.ts'

const program = join(workspaceFolder, 'packages/conformance/src/main.ts')
const hasPython = hasProgram('python3', '-c', 'import sys; sys.exit(sys.version_info < (3, 8))')

function start(args: readonly string[]) {
  const child = spawn(process.execPath, ['--conditions=@homeward/source', program, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  return collectOutput(child)
}

it('fails a program that sends nothing, in time', async () => {
  const silent = ['--', process.execPath, '-e', 'setInterval(() => {}, 1000)']
  const { code, results } = await runConformance([
    'device',
    '--only',
    'heartbeat-at-start',
    '--patience',
    '0.5',
    ...silent,
  ])
  expect(code).toBe(1)
  expect(results).toMatchObject([{ outcome: 'failed', reason: expect.stringContaining('for a heartbeat') }])
})

it('fails a program that ends, without waiting', async () => {
  const ending = ['--', process.execPath, '-e', 'console.log(process.env.DEVICE_API_KEY); process.exit(3)']
  const { results } = await runConformance(['device', '--only', 'heartbeat-at-start', ...ending])
  expect(results).toMatchObject([{ outcome: 'failed', reason: expect.stringContaining('exit code 3') }])
  expect(JSON.stringify(results)).not.toContain('hw_')
})

it('ends with 2 and says how it is used, for an option that it does not know', async () => {
  const { output, exitCode } = await start(['device', '--fast']).ended
  expect(output).toContain('homeward-conformance device [options]')
  expect(exitCode).toBe(2)
})

// To run it, install Python 3.8 or newer as `python3`.
it.skipIf(!hasPython)('judges an agent that somebody starts by hand, which needs python3', async () => {
  const only = ['search-reported', 'restart', 'outage-503'].flatMap((id) => ['--only', id])
  const runner = start(['device', '--interval', '0.3', ...only])
  const printed = (await runner.waitFor(/CLOUD_URL=[^]*Start your agent/))?.[0] ?? ''
  const environment = Object.fromEntries(
    [...printed.matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]),
  )
  const agent = spawn('python3', [exampleFile('python/device.py')], {
    env: { ...process.env, ...environment },
  })
  onTestFinished(() => void agent.kill('SIGKILL'))
  const { output, exitCode } = await runner.ended
  expect(output).toContain('2 passed, 0 failed, 1 skipped')
  expect(exitCode).toBe(0)
})
