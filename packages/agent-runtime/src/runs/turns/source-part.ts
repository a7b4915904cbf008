import type { LanguageModelV4Source } from '@ai-sdk/provider'
import { cut } from '../../json/to-json.ts'
import type { SourcePart } from '../../ports/message.ts'

const maxUrlChars = 2000
const maxTitleChars = 300

/** OpenAI adds this to the addresses of pages that an answer cites, and not to those that a search found. */
const openaiMark = /[?&]utm_source=openai$/

/** A source as it is stored; undefined if it is not a page on the web. */
export function toSourcePart(source: LanguageModelV4Source): SourcePart | undefined {
  if (source.sourceType !== 'url' || source.url.length > maxUrlChars) return undefined
  const url = URL.parse(source.url)
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') return undefined
  const title = cut((source.title ?? '').replace(/\s+/g, ' ').trim().toWellFormed(), maxTitleChars)
  return { type: 'source', url: source.url.toWellFormed().replace(openaiMark, ''), ...(title && { title }) }
}
