import type { AssistantPart } from '../../ports/message.ts'

const opening = '<think>'
const closing = '</think>'

/** Longest beginning that is held back while it is not known whether it is a thought. */
const maxHeld = 10_000

/** A piece of an answer. */
export interface ThoughtPiece {
  readonly type: 'text' | 'reasoning'
  readonly delta: string
}

/** Tells thoughts at the beginning of a text from the text: models on one's own machine write both into one channel. */
export interface ThoughtReader {
  /** Gives what a piece of the stream adds. What may be half of a tag is held back. */
  read(delta: string): ThoughtPiece[]
  /** Gives what was held back. */
  end(): ThoughtPiece[]
  /** Whether the rest of the text is read without looking: it is neither a thought nor the start of one. */
  readonly isDone: boolean
}

/** Reads `<think>…</think>` at the beginning of a text as reasoning. */
export function createThoughtReader(): ThoughtReader {
  let state: 'start' | 'thought' | 'after' | 'text' = 'start'
  let held = ''

  function read(delta: string): ThoughtPiece[] {
    held += delta
    if (state === 'text') return finish()
    if (state === 'start') {
      const begun = held.trimStart()
      // also for nothing but spaces; after very many of them no tag is expected any more
      if (opening.startsWith(begun) && held.length < maxHeld) return []
      if (!begun.startsWith(opening)) return finish()
      state = 'thought'
      held = begun.slice(opening.length)
    }
    const pieces: ThoughtPiece[] = []
    if (state === 'thought') {
      const end = held.indexOf(closing)
      const keep = end >= 0 ? end : held.length - heldBack(held)
      if (keep > 0) pieces.push({ type: 'reasoning', delta: held.slice(0, keep) })
      held = held.slice(end >= 0 ? end + closing.length : keep)
      if (end < 0) return pieces
      state = 'after'
    }
    held = held.trimStart()
    return held === '' ? pieces : [...pieces, ...finish()]
  }

  function finish(): ThoughtPiece[] {
    const type = state === 'thought' ? 'reasoning' : 'text'
    const delta = state === 'after' ? held.trimStart() : held
    state = 'text'
    held = ''
    return delta === '' ? [] : [{ type, delta }]
  }

  return {
    read,
    end: finish,
    get isDone() {
      return state === 'text'
    },
  }
}

/** How many characters at the end of a text may be the beginning of the closing tag. */
function heldBack(text: string): number {
  for (let length = Math.min(closing.length - 1, text.length); length > 0; length -= 1)
    if (text.endsWith(closing.slice(0, length))) return length
  return 0
}

/** `</think>` at the end of a line: some servers leave the opening tag to the prompt, so the answer lacks it. */
const closedOnly = /<\/think>[ \t]*(?:\r?\n|$)/

/** Makes the text before a closing tag without an opening one reasoning. @returns the same parts if there is none */
export function splitThoughts(parts: readonly AssistantPart[]): readonly AssistantPart[] {
  const at = parts.findIndex(({ type }) => type === 'text')
  const part = parts[at]
  if (part?.type !== 'text') return parts
  const found = closedOnly.exec(part.text)
  if (!found || part.text.slice(0, found.index).includes(opening)) return parts
  const thought = part.text.slice(0, found.index).trim()
  const text = part.text.slice(found.index + found[0].length).trimStart()
  const reasoning = thought === '' ? [] : [{ type: 'reasoning' as const, text: thought }]
  return [...parts.slice(0, at), ...reasoning, { ...part, text }, ...parts.slice(at + 1)]
}
