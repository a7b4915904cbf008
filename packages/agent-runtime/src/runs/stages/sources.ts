import type { LanguageModelV4Source } from '@ai-sdk/provider'
import { cut } from '../../json/to-json.ts'
import type { SourcePart } from '../../ports/message.ts'
import type { ModelTurn } from '../loop/answer.ts'
import type { Run } from '../loop/run.ts'
import type { Tell } from '../loop/stage.ts'
import { sourcesOf } from '../run-messages.ts'

const maxUrlChars = 2000
const maxTitleChars = 300
/** Most sources of a run. */
const maxSources = 100
/** Most sources of an answer that wait for a title. Not all of them are stored. */
const maxUntitled = 1000

/** OpenAI adds this to the addresses of pages that an answer cites, and not to those that a search found. */
const openaiMark = /[?&]utm_source=openai$/

/**
 * Adds a source to the turn. A source without a title waits until the answer ends: OpenAI first lists the pages that a search
 * found, and names the title of a page only where the answer cites it.
 */
export function readSource(run: Run, turn: ModelTurn, part: LanguageModelV4Source, tell: Tell): void {
  const source = toSourcePart(part)
  if (!source) return
  if (source.title === undefined) {
    turn.untitled ??= new Map()
    if (turn.untitled.size < maxUntitled) turn.untitled.set(source.url, source)
    return
  }
  turn.untitled?.delete(source.url)
  tellSource(run, turn, source, tell)
}

/** Adds the sources that got no title. */
export function tellUntitled(run: Run, turn: ModelTurn, tell: Tell): void {
  for (const source of turn.untitled?.values() ?? []) tellSource(run, turn, source, tell)
  turn.untitled = undefined
}

/** Announces a source: once for each address, and taints the run. */
function tellSource(run: Run, turn: ModelTurn, source: SourcePart, tell: Tell): void {
  run.taint()
  const { url, title } = source
  const known = [...sourcesOf(run.writer.messages), ...turn.parts.filter((part) => part.type === 'source')]
  const isSecret = run.redact.text(url) !== url
  if (isSecret || known.length >= maxSources || known.some((one) => one.url === url)) return
  turn.parts.push(source)
  tell({ event: 'source', data: { url, ...(title !== undefined && { title: run.redact.text(title) }) } })
}

/** A source as it is stored; undefined if it is not a page on the web. */
function toSourcePart(source: LanguageModelV4Source): SourcePart | undefined {
  if (source.sourceType !== 'url' || source.url.length > maxUrlChars) return undefined
  const url = URL.parse(source.url)
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') return undefined
  const title = cut((source.title ?? '').replace(/\s+/g, ' ').trim().toWellFormed(), maxTitleChars)
  return { type: 'source', url: source.url.toWellFormed().replace(openaiMark, ''), ...(title && { title }) }
}
