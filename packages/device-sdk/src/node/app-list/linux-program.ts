import path from 'node:path'
import { splitCommand } from './split-command.ts'

/** Which program a command line starts. */
export interface LinuxProgram {
  /** As the command line names it: a path, or a name to look for. */
  readonly file: string
  /** What it is started with. */
  readonly args: readonly string[]
  /** Started by another program, such as a sandbox or an interpreter: its own file is not at `file`. */
  readonly indirect: boolean
}

const shells = /^(?:bash|sh|dash)$/
const interpreters = /^(?:python|perl|ruby|node|bash|sh|dash|gjs|java|mono|electron)[\d.]*$/
/** Programs that run what follows them, and whose own options have no values. */
const wrappers = /^(?:nohup|setsid|pkexec|gamemoderun|mangohud|prime-run|optirun|dbus-run-session)$/

/** Looks through `env`, wrappers, Flatpak and interpreters to the program that a `.desktop` file starts. */
export function toProgram(command: readonly string[]): LinuxProgram | undefined {
  const [first = '', ...args] = command
  if (first === '') return undefined
  const name = path.posix.basename(first)
  if (name === 'env') return toProgram(afterEnv(args))
  if (wrappers.test(name)) return toProgram(afterOptions(args))
  if (name === 'flatpak') {
    const inner = args.find((word) => word.startsWith('--command='))?.slice('--command='.length)
    return inner === undefined ? undefined : { file: inner, args: [], indirect: true }
  }
  if (!interpreters.test(name)) return { file: first, args, indirect: false }
  if (shells.test(name) && args[0] === '-c') return toScripted(args[1] ?? '')
  const at = args.findIndex((word) => !word.startsWith('-'))
  const script = args[at]
  return script === undefined ? undefined : { file: script, args: args.slice(at + 1), indirect: true }
}

/** Whether a name says which language a program is written in, and not which program it is. */
export const isInterpreter = (name: string): boolean => interpreters.test(name)

function afterOptions(words: readonly string[]): readonly string[] {
  const at = words.findIndex((word) => !word.startsWith('-'))
  return at < 0 ? [] : words.slice(at)
}

// Of `env`: options that have a value, in the same word or the next one. `-S` holds words of its own.
const shortOption = /^-[0iv]*([uCSaP])?(.*)$/s
const longOption = /^--(unset|chdir|split-string|argv0)(?:=(.*))?$/s

function afterEnv(args: readonly string[]): string[] {
  const words = [...args]
  for (let word = words[0]; word !== undefined; word = words[0]) {
    const option = longOption.exec(word) ?? (word.startsWith('--') ? undefined : shortOption.exec(word))
    if (!word.startsWith('-') && !word.includes('=')) break
    words.shift()
    if (!option?.[1]) continue
    const value = option[2] || (words.shift() ?? '')
    if (/^S|split-string/.test(option[1])) words.unshift(...splitCommand(value))
  }
  return words
}

/** The program of a shell's command, where that is nothing but one program with its arguments. */
function toScripted(script: string): LinuxProgram | undefined {
  if (/[;&|$`()<>\n]/.test(script)) return undefined
  return toProgram(splitCommand(script.replace(/^\s*exec\s/, '')))
}
