import { existsSync } from 'node:fs'
import { parsePaths, toAbsolutePath } from '../files/parse-paths.ts'

/** What a person can write instead of a message. */
export const chatCommands = [
  { name: 'file', argument: '<path>', summary: 'attach a file to the next message' },
  { name: 'new', argument: '', summary: 'start a new conversation' },
  { name: 'stop', argument: '', summary: 'stop the answer' },
  { name: 'approve', argument: '', summary: 'approve the call that waits (or press y)' },
  { name: 'deny', argument: '[reason]', summary: 'deny the call that waits (or press n)' },
  { name: 'details', argument: '', summary: 'show the whole call that waits (or press d)' },
  { name: 'agent', argument: '[id]', summary: 'list the agents, or talk to another one' },
  { name: 'history', argument: '[number]', summary: 'list conversations, or continue one' },
  { name: 'help', argument: '', summary: 'show the commands and keys' },
  { name: 'quit', argument: '', summary: 'leave' },
] as const

export type ChatCommandName = (typeof chatCommands)[number]['name']

/** What a person has typed. */
type ChatInput =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'message'; readonly text: string }
  | { readonly kind: 'command'; readonly name: ChatCommandName; readonly argument: string }
  | { readonly kind: 'files'; readonly paths: readonly string[] }
  | { readonly kind: 'unknown'; readonly name: string }

const names: ReadonlySet<string> = new Set(chatCommands.map(({ name }) => name))
const isName = (name: string): name is ChatCommandName => names.has(name)

/**
 * Reads one input. A text that consists of paths of files, as a terminal writes them when files are dropped on it, attaches
 * the files. Two slashes at the start send a message that begins with one.
 *
 * @param exists whether there is a file at a path
 */
export function parseInput(typed: string, exists = (path: string) => existsSync(path)): ChatInput {
  const text = typed.trim()
  if (text === '') return { kind: 'nothing' }
  if (text.startsWith('//')) return { kind: 'message', text: text.slice(1) }
  const [, name = '', argument = ''] = /^\/(\w+)(?:\s+([\s\S]*))?$/.exec(text) ?? []
  if (name === 'file') return toFiles(argument, exists)
  if (isName(name)) return { kind: 'command', name, argument: argument.trim() }
  const dropped = droppedPaths(text, exists)
  if (dropped.length > 0) return { kind: 'files', paths: dropped }
  if (name !== '') return { kind: 'unknown', name }
  return { kind: 'message', text }
}

/** Of `/file`: a path with spaces needs no quotes. */
function toFiles(argument: string, exists: (path: string) => boolean): ChatInput {
  const whole = argument.trim()
  if (whole === '') return { kind: 'command', name: 'file', argument: '' }
  const isOne = /\s/.test(whole) && exists(toAbsolutePath(whole))
  return { kind: 'files', paths: isOne ? [whole] : parsePaths(whole) }
}

const isWhole = (path: string) => /^(?:\/|~\/|file:\/\/|[A-Za-z]:[\\/])/.test(path)

function droppedPaths(text: string, exists: (path: string) => boolean): readonly string[] {
  if (text.includes('\n') || !/^['"]?(?:\/|~\/|file:\/\/|[A-Za-z]:[\\/])/.test(text)) return []
  const paths = parsePaths(text)
  return paths.every((path) => isWhole(path) && exists(toAbsolutePath(path))) ? paths : []
}
