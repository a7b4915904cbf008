import { yieldToEventLoop } from '../../concurrency/yield-to-event-loop.ts'
import { createMarkdownWriter } from './markdown-writer.ts'

/** A page as text. */
export interface ReadablePage {
  readonly title: string
  /** Markdown: headings, lists, links, tables and code. */
  readonly text: string
}

/** Elements without text for people. */
const hidden = new Set([
  'script',
  'style',
  'noscript',
  'template',
  'svg',
  'iframe',
  'object',
  'head',
  'nav',
  'button',
  'select',
])
/** Elements that hold the main part of a page. */
const main = new Set(['main', 'article'])
/** Deeper elements are left out: a parser takes too long to find their ends. */
const maxDepth = 1000
/** Characters that are parsed before others get their turn. */
const piece = 50_000
/** A main part with fewer characters is not the page. */
const fewestMainChars = 200

/** Turns HTML into Markdown: the part that a page marks as its main one, or all of it. */
export async function htmlToMarkdown(html: string, base: URL): Promise<ReadablePage> {
  const { Parser } = await import('htmlparser2')
  const whole = createMarkdownWriter(base)
  const mainPart = createMarkdownWriter(base)
  let title = ''
  let isTitle = false
  let depth = 0
  let hiddenDepth = 0
  let mainDepth = 0
  const write = (change: (writer: typeof whole) => void) => {
    if (hiddenDepth > 0) return
    change(whole)
    if (mainDepth > 0) change(mainPart)
  }
  const parser = new Parser({
    onopentag(name, attributes) {
      depth += 1
      if (depth > maxDepth) throw new TooDeep()
      if (name === 'title') isTitle = true
      if (hidden.has(name) || attributes['hidden'] !== undefined || hiddenDepth > 0) hiddenDepth += 1
      if (main.has(name) || mainDepth > 0) mainDepth += 1
      write((writer) => writer.open(name, attributes))
    },
    ontext(text) {
      if (isTitle && title.length < 500) title += text
      else write((writer) => writer.text(text))
    },
    onclosetag(name) {
      write((writer) => writer.close(name))
      depth -= 1
      if (name === 'title') isTitle = false
      if (hiddenDepth > 0) hiddenDepth -= 1
      if (mainDepth > 0) mainDepth -= 1
    },
  })
  try {
    for (let at = 0; at < html.length; at += piece) {
      if (at > 0) await yieldToEventLoop()
      parser.write(html.slice(at, at + piece))
    }
    parser.end()
  } catch (error) {
    if (!(error instanceof TooDeep)) throw error
  }
  const text = mainPart.end()
  return {
    title: title.replace(/\s+/g, ' ').trim().slice(0, 300),
    text: text.length >= fewestMainChars ? text : whole.end(),
  }
}

class TooDeep extends Error {
  override readonly name = 'TooDeep'
}
