import path from 'node:path'

/** Which program a command line starts. */
export interface LinuxProgram {
  /** As the command line names it: a path, or a name to look for. */
  readonly file: string
  /** Started by another program, such as a sandbox or an interpreter: its own file is not at `file`. */
  readonly indirect: boolean
}

const interpreters = /^(?:python|perl|ruby|node|bash|sh|dash|gjs|java|mono|electron)[\d.]*$/

/** Looks through `env`, Flatpak and interpreters to the program that a `.desktop` file starts. */
export function toProgram(command: readonly string[]): LinuxProgram | undefined {
  const words = [...command]
  if (path.posix.basename(words[0] ?? '') === 'env') {
    words.shift()
    while (/^(?:-|\w+=)/.test(words[0] ?? '')) words.shift()
  }
  const [first, ...rest] = words
  if (first === undefined || first === '') return undefined
  const name = path.posix.basename(first)
  if (name === 'flatpak') {
    const inner = rest.find((word) => word.startsWith('--command='))?.slice('--command='.length)
    return inner === undefined ? undefined : { file: inner, indirect: true }
  }
  if (!interpreters.test(name)) return { file: first, indirect: false }
  const script = rest.find((word) => !word.startsWith('-'))
  return script === undefined ? undefined : { file: script, indirect: true }
}

/**
 * Names under which a process answers: its program, and, when that is an interpreter, the script.
 *
 * @param commandLine - the contents of `/proc/<pid>/cmdline`: arguments, each ended by a NUL.
 */
export function toProcessNames(commandLine: string, executable: string | undefined): string[] {
  const words = commandLine.split('\0').filter((word) => word !== '')
  const program = toProgram(words)
  const names = [program?.file, executable?.replace(/ \(deleted\)$/, '')]
  return names
    .filter((name) => name !== undefined)
    .map((name) => path.posix.basename(name))
    .filter((name) => !interpreters.test(name))
}
