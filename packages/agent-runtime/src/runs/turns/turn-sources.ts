import type { LanguageModelV4Source } from '@ai-sdk/provider'
import type { SourcePart } from '../../ports/message.ts'
import type { ModelTurn, TurnListeners } from './model-turn.ts'
import { toSourcePart } from './source-part.ts'

/** Most sources of an answer that wait for a title. Not all of them are stored. */
const maxUntitled = 1000

/**
 * Adds a source to the turn. A source without a title waits until the answer ends: OpenAI first lists the pages that a search
 * found, and names the title of a page only where the answer cites it.
 */
export function addSource(turn: ModelTurn, part: LanguageModelV4Source, listeners: TurnListeners): void {
  turn.hasBegun = true
  const source = toSourcePart(part)
  if (!source) return
  if (source.title === undefined) {
    turn.untitled ??= new Map()
    if (turn.untitled.size < maxUntitled) turn.untitled.set(source.url, source)
    return
  }
  turn.untitled?.delete(source.url)
  keepSource(turn, source, listeners)
}

/** Adds the sources that got no title. */
export function keepUntitled(turn: ModelTurn, listeners: TurnListeners): void {
  for (const source of turn.untitled?.values() ?? []) keepSource(turn, source, listeners)
  turn.untitled = undefined
}

function keepSource(turn: ModelTurn, source: SourcePart, { onSource }: TurnListeners): void {
  if (onSource?.(source)) turn.parts.push(source)
}
