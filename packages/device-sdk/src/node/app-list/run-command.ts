import { execFile } from 'node:child_process'

/** Runs a program without a shell and returns its output. */
export type RunCommand = (
  file: string,
  args: readonly string[],
  signal: AbortSignal,
  /** Turns the printed bytes into text. @default as UTF-8 */
  decode?: (bytes: Uint8Array) => string,
) => Promise<string>

const timeoutMs = 60_000
const maxOutputBytes = 64 * 1024 * 1024

/** Runs a program for at most a minute, with at most 64 MiB of output. */
export const runCommand: RunCommand = (file, args, signal, decode = decodeUtf8) =>
  new Promise((resolve, reject) => {
    const limits = { timeout: timeoutMs, maxBuffer: maxOutputBytes, signal, windowsHide: true, shell: false }
    execFile(file, args, { ...limits, encoding: 'buffer' }, (error, stdout) => {
      if (error === null) resolve(decode(stdout))
      else reject(signal.aborted ? (signal.reason as Error) : error) // an abort's reason may be any value
    })
  })

const decodeUtf8 = (bytes: Uint8Array): string => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
