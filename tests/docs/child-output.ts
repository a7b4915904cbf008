import type { ChildProcess } from 'node:child_process'

/** How a child process ended. */
export interface ChildEnd {
  /** Null when a signal ended it. */
  readonly exitCode: number | null
  /** What it printed, errors included. */
  readonly output: string
}

/** What a child process prints. */
interface ChildOutput {
  /** Resolves with the first match in what it printed so far or prints from now on; undefined when it ended without. */
  waitFor(pattern: RegExp): Promise<RegExpExecArray | undefined>
  /** Resolves when it ended; rejects when it could not be started. */
  readonly ended: Promise<ChildEnd>
}

/** Collects what a child process prints on both of its pipes. */
export function collectOutput(child: ChildProcess): ChildOutput {
  let output = ''
  let over = false
  const looking = new Set<() => void>()
  const look = () => {
    for (const each of looking) each()
  }
  for (const pipe of [child.stdout, child.stderr]) {
    pipe?.setEncoding('utf8').on('data', (text: string) => {
      output += text
      look()
    })
  }
  const ended = new Promise<ChildEnd>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (exitCode) => {
      over = true
      look()
      resolve({ exitCode, output })
    })
  })
  ended.catch(() => {}) // whoever waits for it hears of it
  return {
    ended,
    waitFor: (pattern) =>
      new Promise((resolve) => {
        const find = () => {
          const found = pattern.exec(output) ?? undefined
          if (!found && !over) return
          looking.delete(find)
          resolve(found)
        }
        looking.add(find)
        find()
      }),
  }
}
