import { expect, it } from 'vitest'
import { bubblewrap } from './bubblewrap.ts'
import { detectSandbox } from './detect-sandbox.ts'
import { sandboxExec } from './sandbox-exec.ts'

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
  expect(await detectSandbox('/nowhere', 'win32')).toEqual({ reason: 'there is none for win32' })
})
