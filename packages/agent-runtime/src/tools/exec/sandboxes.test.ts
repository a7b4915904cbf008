import { spawn } from 'node:child_process'
import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { bubblewrap } from './detect-sandbox.ts'
import { detectSandbox } from './detect-sandbox.ts'
import { detectLimits } from './exec-limits.ts'
import { namespaces } from './namespaces.ts'
import { runProcess } from './run-process.ts'
import { sandboxExec } from './detect-sandbox.ts'
import type { Sandbox } from './sandbox.ts'
import { canRunCommand } from './can-run-command.ts'

const request = {
  command: ['python3', '/home/me/skills/a/run.py'],
  workspace: '/home/me/workspaces/agent',
  readable: ['/home/me/skills/a'],
  hidden: ['/usr'],
  network: false,
}

it('A16: bubblewrap hides the data home before it shows the skill and the workspace', () => {
  const { command, wrappers } = bubblewrap.wrap(request)
  const text = command.join(' ')
  const order = [
    '--ro-bind / /',
    '--tmpfs /usr',
    '--ro-bind /home/me/skills/a',
    '--bind /home/me/workspaces/agent',
    '-- env',
  ]
  expect(order.map((part) => text.indexOf(part)).every((at, index, all) => at > (all[index - 1] ?? -1))).toBe(
    true,
  )
  expect(command).toEqual(expect.arrayContaining(['--die-with-parent', '--unshare-pid', '--unshare-net']))
  expect(command.slice(-2)).toEqual(request.command)
  expect(wrappers).toBe(2)
  expect(bubblewrap.wrap({ ...request, network: true }).command).not.toContain('--unshare-net')
})

it('A16: sandbox-exec lets the last rule count: workspace over data home', () => {
  const { command } = sandboxExec.wrap({ ...request, hidden: ['/home/me'], workspace: '/home/me/w "quoted"' })
  const [, , profile = ''] = command
  const order = [
    '(deny file-write*)',
    '(deny file-read* file-write* (subpath "/home/me"))',
    '(allow file-read* (subpath "/home/me/skills/a"))',
    '(allow file-read* file-write* (subpath "/home/me/w \\"quoted\\""))',
    '(deny network*)',
  ]
  expect(
    order.map((part) => profile.indexOf(part)).every((at, index, all) => at > (all[index - 1] ?? -1)),
  ).toBe(true)
  expect(command.slice(-2)).toEqual(request.command)
})

it('A16: a sandbox that is not there, or not for this system, is told apart from one that works', async () => {
  expect(await detectSandbox('/nowhere', 'linux')).toMatchObject({
    reason: expect.stringContaining('bubblewrap'),
  })
  expect(await detectSandbox('/nowhere', 'darwin')).toEqual({ reason: 'sandbox-exec does not work here' })
  expect(await detectSandbox('/nowhere', 'win32')).toEqual({ reason: 'no sandbox supports win32' })
})

const PATH = process.env['PATH'] ?? ''
const workspace = await realpath(await mkdtemp(join(tmpdir(), 'homeward-sandboxes-')))
afterAll(() => rm(workspace, { recursive: true, force: true }))

const runHere = async (command: readonly string[]) => {
  const environment = { PATH }
  const outcome = await runProcess({
    command,
    cwd: workspace,
    environment,
    timeoutMs: 20_000,
    maxOutputBytes: 10_000,
  })
  return { ...outcome, stdout: outcome.stdout.text(10_000).text, stderr: outcome.stderr.text(10_000).text }
}

const hasNamespaces = await canRunCommand(['true'], namespaces, PATH)

it.runIf(hasNamespaces)(
  'D16: namespaces work where mounts lie over others, and leave none to write to',
  async () => {
    // as systemd has it: below /run, and twice at one place
    const places = ['/run', '/run/lock', '/mnt', '/mnt/below', '/mnt', '/opt', '/opt']
    const mounts = places.map((place) => `mkdir -p ${place} && mount -t tmpfs none ${place}`).join(' && ')
    const attempt =
      'for place in /mnt /opt /etc /run .; do if touch $place/new 2>/dev/null; then echo $place; fi; done'
    const { command } = namespaces.wrap({
      command: ['sh', '-c', attempt],
      workspace,
      readable: [],
      hidden: [],
      network: false,
    })
    const system = [
      'unshare',
      '--user',
      '--map-root-user',
      '--mount',
      'sh',
      '-c',
      `${mounts} && exec "$@"`,
      'sh',
    ]
    expect(await runHere([...system, ...command])).toMatchObject({ exitCode: 0, stdout: '/run\n.\n' })
  },
)

const fences: { name: string; sandbox: Sandbox | undefined }[] = []
for (const sandbox of [bubblewrap, namespaces])
  if (await canRunCommand(['true'], sandbox, PATH)) fences.push({ name: sandbox.kind, sandbox })
if ((await detectLimits(undefined, PATH)).includes('setpriv'))
  fences.push({ name: 'no sandbox', sandbox: undefined })

describe.each(fences)('in $name', ({ sandbox }) => {
  it('A16: a program ends with the server, be it killed', async () => {
    const argv = [...(await detectLimits(sandbox, PATH)), 'sh', '-c', ': >started; sleep 5; echo outlived']
    const request = { command: argv, workspace, readable: [], hidden: [], network: false }
    const { command } = sandbox?.wrap(request) ?? { command: argv }
    // the program holds the output open for as long as it runs
    const server = 'rm -f started; "$@" & until [ -e started ]; do :; done; kill -9 $$'
    expect(await endOf('sh', ['-c', server, 'sh', ...command])).toEqual({ signal: 'SIGKILL', output: '' })
  })
})

/** How a program ended and what it wrote, once nobody holds its output any more. */
async function endOf(program: string, args: readonly string[]) {
  const child = spawn(program, args, { cwd: workspace, env: { PATH }, stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  child.stdout.on('data', (chunk) => (output += String(chunk)))
  return await new Promise((resolve) => child.once('close', (_, signal) => resolve({ signal, output })))
}
