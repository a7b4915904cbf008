import { execFile } from 'node:child_process'

/** Runs a program and gives what it printed. Never through a shell. */
export type RunCommand = (file: string, args: readonly string[], signal: AbortSignal) => Promise<string>

const timeoutMs = 60_000
const maxOutputBytes = 64 * 1024 * 1024

/** Runs a program for at most a minute, with at most 64 MiB of output. */
export const runCommand: RunCommand = (file, args, signal) =>
  new Promise((resolve, reject) => {
    const options = { timeout: timeoutMs, maxBuffer: maxOutputBytes, signal, windowsHide: true, shell: false }
    execFile(file, args, options, (error, stdout) => {
      if (error === null) resolve(stdout)
      else reject(signal.aborted ? (signal.reason as Error) : error) // an abort's reason may be any value
    })
  })
