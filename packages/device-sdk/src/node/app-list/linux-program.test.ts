import { expect, it } from 'vitest'
import { threadCpuMs } from '../../../../../tests/thread-cpu-ms.ts'
import { parseDesktopEntry } from './list-linux-apps.ts'
import { toProcess } from './linux-processes.ts'
import { toProgram } from './linux-program.ts'
import { splitCommand } from './split-command.ts'

const command = (exec: string) =>
  parseDesktopEntry(`[Desktop Entry]\nType=Application\nName=x\nExec=${exec}`)?.command ?? []

it.each<[string, string[]]>([
  [String.raw`/home/u/games/Big\\ Game/run -x`, ['/home/u/games/Big Game/run', '-x']],
  ['A="b c" --d="e"f', ['A=b c', '--d=ef']],
  [String.raw`wine C:\\\\Menu\\ Start\\\\App.lnk`, ['wine', String.raw`C:\Menu Start\App.lnk`]],
  [`sh -c 'a "b"'`, ['sh', '-c', 'a "b"']],
  ['a "unended b', ['a', '"unended', 'b']],
  ['a "" b', ['a', '', 'b']],
  ['', []],
])('splits %j', (exec, words) => {
  expect(command(exec)).toEqual(words)
})

it('splits in bounded time', async () => {
  const cpuMs = await threadCpuMs(() => {
    for (const part of ['"', '\\', `"'`, '"\\']) splitCommand(part.repeat(100_000))
  })
  expect(cpuMs).toBeLessThan(2000)
})

it.each<[string, string | undefined]>([
  ['env WINEPREFIX="/home/u/.wine" wine app.exe', 'wine'],
  ['env FOO="a b" prog', 'prog'],
  ['env -u NAME prog', 'prog'],
  ['env -uNAME -i prog', 'prog'],
  ['env --unset NAME --chdir=/x prog', 'prog'],
  ['env -C /x -- A=b prog', 'prog'],
  [`env -S "A=b prog -c"`, 'prog'],
  [`env -iS "prog"`, 'prog'],
  [`env --split-string="-u A prog"`, 'prog'],
  ['/usr/bin/env A=b nohup env C=d prog', 'prog'],
  ['env A=b', undefined],
  [`sh -c "exec prog --x"`, 'prog'],
  [`sh -c "cd /x && ./prog"`, undefined],
  ['gamemoderun -- prog', 'prog'],
])('finds the program of %s', (exec, file) => {
  expect(toProgram(command(exec))?.file).toBe(file)
})

it('names a process by its program, and by its script when an interpreter runs it', () => {
  const process = toProcess(['/usr/bin/python3', '/usr/bin/terminator', '-x'], '/usr/bin/python3.12')
  expect(process).toEqual({ names: ['terminator'], file: '/usr/bin/python3.12', args: ['-x'] })
  const removed = toProcess(['gimp'], '/app/bin/gimp-2.10 (deleted)')
  expect(removed).toEqual({ names: ['gimp', 'gimp-2.10'], file: '/app/bin/gimp-2.10', args: [] })
})
