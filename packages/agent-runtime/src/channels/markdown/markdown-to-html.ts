import { layoutBlocks } from './layout-blocks.ts'
import type { TextFormat } from './layout-blocks.ts'
import type { Block } from './markdown-tree.ts'

/** Markdown as the small HTML of Telegram's `parse_mode: "HTML"`: its tags only, each closed. */
export function toTelegramHtml(blocks: readonly Block[]): string {
  return layoutBlocks(blocks, format)
}

const format: TextFormat = {
  text: escapeHtml,
  code: (text) => `<code>${escapeHtml(text)}</code>`,
  strong: (inner) => `<b>${inner}</b>`,
  emphasis: (inner) => `<i>${inner}</i>`,
  strike: (inner) => `<s>${inner}</s>`,
  link: (inner, href) =>
    isLinkable(href) ? `<a href="${escapeHtml(href)}">${inner || escapeHtml(href)}</a>` : inner,
  heading: (inner) => `<b>${inner}</b>`,
  codeBlock(text, language) {
    const name = /^[\w+#.-]{1,40}$/.test(language) ? ` class="language-${escapeHtml(language)}"` : ''
    return `<pre><code${name}>${escapeHtml(text)}</code></pre>`
  },
  // Telegram refuses a quote in a quote
  quote: (inner) => `<blockquote>${inner.replaceAll(/<\/?blockquote>/g, '')}</blockquote>`,
  rule: '———',
}

/** A text for HTML, in an attribute too. */
function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}

/** Whether an address may be followed from a chat; `javascript:` and what leads nowhere stay text. */
function isLinkable(href: string): boolean {
  return /^(?:https?:\/\/|mailto:|tel:|tg:\/\/)[^\s]/i.test(href)
}
