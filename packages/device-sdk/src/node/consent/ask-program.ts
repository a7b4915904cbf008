import { spawn } from 'node:child_process'
import { onAbort } from '@homeward/kit'
import type { WaitingRequest } from './consent-files.ts'

/** Variables that hold keys: a program that decides has no need of them. */
const secretNames = new Set(['DEVICE_API_KEY', 'ENROLLMENT_TOKEN'])

/**
 * Starts a program, without a shell, and gives it the request as JSON on its standard input. Exit code 0 is a yes. It ends with
 * all that it started when `signal` aborts.
 *
 * @throws {Error} if it could not be started
 * @throws the reason of `signal`
 */
export function askProgram(program: string, request: WaitingRequest, signal: AbortSignal): Promise<boolean> {
  const environment = Object.entries(process.env).filter(([name]) => !secretNames.has(name.toUpperCase()))
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason as Error)
      return
    }
    const child = spawn(program, [], {
      env: Object.fromEntries(environment),
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: process.platform !== 'win32', // a group of its own, which can be ended as a whole
      windowsHide: true,
    })
    const forget = onAbort(signal, () => {
      end(child.pid)
      reject(signal.reason as Error)
    })
    child.stdin.on('error', () => {}) // it need not read
    child.stdin.end(`${JSON.stringify(request)}\n`)
    child.on('error', (error) => {
      forget()
      reject(
        new Error('Asking the program for consent failed. Check DEVICE_CONSENT_COMMAND.', { cause: error }),
      )
    })
    child.on('exit', (code) => {
      forget()
      resolve(code === 0)
    })
  })
}

function end(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL')
  } catch {
    // it has ended
  }
}
