import { RuntimeError } from '../ports/runtime-error.ts'

// The ids of nodes, as the contract has them.
const placeholder = /\{\{\s*([A-Za-z0-9][A-Za-z0-9._-]{0,63})\s*\}\}/g

/** Longest task that an agent takes, in characters. */
const maxTaskChars = 1_000_000

/** Names in the placeholders of a node's text, each once. */
export function placeholdersOf(template: string): readonly string[] {
  return [...new Set([...template.matchAll(placeholder)].map(([, name = '']) => name))]
}

/** What a node's task is made of. */
interface NodeInput {
  /** The node's own text. */
  readonly template: string | undefined
  /** What comes in: the outputs of the nodes before it, or the graph's input for a node that has none before it. */
  readonly incoming: readonly string[]
  /** What a placeholder stands for. */
  readonly valueOf: (name: string) => string
}

/**
 * The task of a node (A10): its text with every placeholder replaced; without one, what comes in behind its text. What
 * stands for a placeholder is not looked at again: an agent's answer cannot ask for the answer of another.
 *
 * @throws {RuntimeError} `validation_error` when it would be longer than an agent's task may be.
 */
export function renderNodeInput({ template = '', incoming, valueOf }: NodeInput): string {
  const pieces: string[] = []
  let position = 0
  let names = 0
  for (const { 0: whole, 1: name = '', index } of template.matchAll(placeholder)) {
    pieces.push(template.slice(position, index), valueOf(name))
    position = index + whole.length
    names += 1
  }
  pieces.push(template.slice(position))
  if (names > 0) return join(pieces, '')
  return join(
    [template, ...incoming].filter((text) => text.trim() !== ''),
    '\n\n',
  )
}

/** Joins texts, once their length is known to be bearable. An agent needs some text to answer to. */
function join(pieces: readonly string[], separator: string): string {
  const length = pieces.reduce((sum, piece) => sum + piece.length + separator.length, 0)
  if (length > maxTaskChars + separator.length) {
    throw new RuntimeError(
      'validation_error',
      `Building the input of a node failed: the input must have at most ${maxTaskChars} characters, got ${length}. Shorten the outputs of the nodes before it.`,
    )
  }
  const text = pieces.join(separator)
  return text.trim() === '' ? '(empty)' : text
}

/** The ISO form of the time that a node waits for; undefined for another text. */
export function toTime(text: string): string | undefined {
  const given = text.trim()
  const ms = Date.parse(given)
  return /^\d{4}-\d\d/.test(given) && !Number.isNaN(ms) ? new Date(ms).toISOString() : undefined
}

/** What is wrong with a time that {@link toTime} does not know. */
export const notATime = (text: string): string =>
  `must be an ISO 8601 time such as 2026-11-01T09:00:00Z, got "${text.slice(0, 100)}"`
