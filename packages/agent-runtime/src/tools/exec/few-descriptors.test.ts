import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'

const here = (file: string) => JSON.stringify(new URL(file, import.meta.url).href)

/** What a program prints that has no free descriptor, in a process of its own: this one needs some. */
function printedWithoutDescriptors(program: string): { printed: string; problems: string } {
  const whole = `
    import { openSync, writeSync } from 'node:fs'
    const load = (file) => import(file)
    const say = (text) => writeSync(1, String(text))
    const useUp = () => { try { for (;;) openSync('/dev/null') } catch {} }
    ${program}
    await new Promise((resolve) => setImmediate(resolve)) // a rejection that nobody handles ends it by then
    process.exit()`
  const limited = 'ulimit -n 64; exec "$0" --conditions=@homeward/source --input-type=module -e "$1"'
  const { stdout, stderr } = spawnSync('sh', ['-c', limited, process.execPath, whole], { encoding: 'utf8' })
  return { printed: stdout, problems: stderr }
}

it.skipIf(process.platform === 'win32')(
  'a machine without a free descriptor fails the call of a program, and ends no process',
  () => {
    const ended = printedWithoutDescriptors(`
      const { runProcess } = await load(${here('./run-process.ts')})
      useUp()
      const request = { command: ['true'], cwd: '/', environment: {}, timeoutMs: 5000, maxOutputBytes: 10 }
      await runProcess(request).then(() => say('ran'), (error) => say(error.code))
    `)
    expect(ended).toEqual({ printed: 'EMFILE', problems: '' })
  },
)

it.skipIf(process.platform === 'win32')(
  'A16: a machine without a free descriptor is not taken for one without a sandbox',
  () => {
    const ended = printedWithoutDescriptors(`
      const { detectSandbox } = await load(${here('./detect-sandbox.ts')})
      useUp()
      await detectSandbox(process.env.PATH, 'linux').then(
        () => say('found out'),
        (error) => say(error.code + ' ' + error.retryable),
      )
    `)
    expect(ended).toEqual({ printed: 'run_error true', problems: '' })
  },
)
