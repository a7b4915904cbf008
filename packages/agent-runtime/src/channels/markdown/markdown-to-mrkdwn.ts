import { layoutBlocks } from './layout-blocks.ts'
import type { TextFormat } from './layout-blocks.ts'
import type { Block } from './markdown-tree.ts'

/** Markdown as Slack's mrkdwn. Nothing in it mentions anyone: `<!channel>` and `<@U…>` come out as text. */
export function toMrkdwn(blocks: readonly Block[]): string {
  return layoutBlocks(blocks, format)
}

/** A text for Slack: only these three characters are special outside of its marks. */
export function escapeMrkdwn(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

const format: TextFormat = {
  text: escapeMrkdwn,
  code: (text) => `\`${escapeMrkdwn(text)}\``,
  strong: (inner) => mark(inner, '*'),
  emphasis: (inner) => mark(inner, '_'),
  strike: (inner) => mark(inner, '~'),
  link(inner, href) {
    if (!/^(?:https?:\/\/|mailto:|tel:)[^\s]/i.test(href)) return inner
    const target = toTarget(href)
    const name = inner.replaceAll(/[\n|]/g, ' ')
    return name === '' || name === escapeMrkdwn(href) ? `<${target}>` : `<${target}|${name}>`
  },
  heading: (inner) => mark(inner, '*'),
  // three backticks in code would end it early; a space that has no width keeps them apart
  codeBlock: (text) => `\`\`\`\n${escapeMrkdwn(text).replaceAll('```', '``\u200B`')}\n\`\`\``,
  quote: (inner) => `>${inner.replaceAll('\n', '\n>')}`,
  rule: '———',
  // a space without width: Slack shows `这是*重点*` as it is written
  boundary: '\u200B',
}

/** Slack takes a mark only around text on one line that has no space at its ends. */
function mark(inner: string, sign: string): string {
  return inner
    .split('\n')
    .map((line) => (line.trim() === '' ? line : line.replace(line.trim(), (words) => sign + words + sign)))
    .join('\n')
}

/** An address without the characters that would end it. */
function toTarget(href: string): string {
  const codes: Readonly<Record<string, string>> = { '<': '%3C', '>': '%3E', '|': '%7C', ' ': '%20' }
  return href.replaceAll(/[<>| ]/g, (sign) => codes[sign] ?? sign).replaceAll('&', '&amp;')
}
